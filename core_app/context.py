"""What surrounds the present request or task: its id and the caller's address, for logs and the audit trail."""

from contextvars import ContextVar

request_id_var: ContextVar[str] = ContextVar("request_id", default="")
address_var: ContextVar[str] = ContextVar("address", default="")
