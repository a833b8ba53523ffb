"""What surrounds the present request or task: its id and the caller's address, for logs and the audit trail."""

from contextvars import ContextVar

request_id_var: ContextVar[str] = ContextVar("request_id", default="")
address_var: ContextVar[str] = ContextVar("address", default="")
#: Who acts, as `person:3` or `token:7`; set where the actor is made, read by the logs.
actor_var: ContextVar[str] = ContextVar("actor", default="")
