"""Request ids and addresses for logs and audit; domain errors rendered as pages."""

import re
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from core_app.context import address_var, request_id_var
from core_app.errors import DomainError

_REQUEST_ID = re.compile(r"^[A-Za-z0-9._-]{8,64}$")


class RequestContextMiddleware:
    """Give each request an id (the caller's `X-Request-ID` where it is well formed) and answer with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if _REQUEST_ID.match(given) else uuid.uuid4().hex
        id_token = request_id_var.set(request_id)
        address_token = address_var.set(request.META.get("REMOTE_ADDR", ""))
        try:
            response = self.get_response(request)
        finally:
            request_id_var.reset(id_token)
            address_var.reset(address_token)
        response["X-Request-ID"] = request_id
        return response


class DomainErrorMiddleware:
    """Render a service's refusal as a page with its status (REST has its own handler)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, DomainError):
            return None
        return render(request, "error.html", {"error": exception, "status": exception.status}, status=exception.status)
