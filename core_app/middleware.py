"""Request ids and addresses for logs and audit; each request counted and logged; domain errors rendered as pages."""

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core_app import error_pages, metrics
from core_app.address import client_address
from core_app.context import actor_var, address_var, request_id_var
from core_app.errors import DomainError, Malformed, TooLarge

_REQUEST_ID = re.compile(r"^[A-Za-z0-9._-]{8,64}$")
#: Asked every few seconds by machines; worth counting, not a line each.
_QUIET = {"/healthz", "/readyz", "/metrics"}
#: What a form may hold beside its file.
_FORM_BYTES = 1024 * 1024

log = logging.getLogger("core_app.access")


def _note(request: HttpRequest, status: int, seconds: float) -> None:
    """Count the request and write its line: no query string, which may hold what somebody searched for."""
    match = request.resolver_match
    metrics.observe_request(match.view_name if match else "unknown", request.method or "", status, seconds)
    level = logging.DEBUG if request.path in _QUIET else logging.INFO
    log.log(
        level,
        "request",
        extra={"method": request.method, "path": request.path, "status": status, "ms": round(seconds * 1000, 1)},
    )


class RequestContextMiddleware:
    """Give each request an id (the caller's `X-Request-ID` where it is well formed) and answer with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def _answer(self, request: HttpRequest) -> HttpResponse:
        """Hand the request on, unless its address holds a null character, which PostgreSQL refuses in any text."""
        if "\x00" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            return error_pages.bare(request, Malformed(_("The address holds a null character.")))
        return self.get_response(request)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if _REQUEST_ID.match(given) else uuid.uuid4().hex
        tokens = [
            (request_id_var, request_id_var.set(request_id)),
            (address_var, address_var.set(client_address(request))),
            (actor_var, actor_var.set("")),
        ]
        started = time.monotonic()
        try:
            response = self._answer(request)
            _note(request, response.status_code, time.monotonic() - started)
        finally:
            for variable, token in tokens:
                variable.reset(token)
        response["X-Request-ID"] = request_id
        return response


class BodyLimitMiddleware:
    """Refuse a page's upload by the length that it announces, before any of it is written to disk.

    Stands before the check of forms, which reads the body. REST calls count what they read themselves.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        announced = request.META.get("CONTENT_LENGTH") or "0"
        limit = settings.IMPORT_MAX_BODY_BYTES + _FORM_BYTES
        if not request.path.startswith("/api/") and announced.isdecimal() and int(announced) > limit:
            detail = _("The upload is larger than the %(limit)s MB that one may have. Split the file into several.")
            return error_pages.answer(
                request, TooLarge(detail % {"limit": settings.IMPORT_MAX_BODY_BYTES // 1024 // 1024})
            )
        return self.get_response(request)


class DomainErrorMiddleware:
    """Render a service's refusal as a page with its status (REST has its own handler)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        return error_pages.answer(request, exception) if isinstance(exception, DomainError) else None
