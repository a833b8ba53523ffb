"""What Django itself refuses, and what fails: problem+json under /api/, a page elsewhere; never a traceback."""

from __future__ import annotations

import logging
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import get_template
from django.utils.translation import gettext as _

from core_app.context import request_id_var
from core_app.errors import DomainError, Forbidden, Malformed, NotFound, TooLarge, TooMany
from core_app.rest.problems import CONTENT_TYPE, problem_body

log = logging.getLogger(__name__)


class ServerFault(DomainError):
    """Something failed on our side."""

    status = 500
    code = "server_error"


def answer(request: HttpRequest, error: DomainError, template: str = "error.html") -> HttpResponse:
    """Return the refusal in the form that the address promises."""
    if request.path.startswith("/api/"):
        body = problem_body(
            status=error.status,
            code=error.code,
            title=str(error.title) if error.status != 500 else None,
            detail=str(error.detail),
            errors=[row.as_dict() for row in error.errors],
        )
        response: HttpResponse = JsonResponse(
            body, status=error.status, content_type=CONTENT_TYPE, json_dumps_params={"ensure_ascii": False}
        )
    else:
        context = {"error": error, "status": error.status, "request_id": request_id_var.get()}
        response = render(request, template, context, status=error.status)
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    return response


def bare(request: HttpRequest, error: DomainError) -> HttpResponse:
    """Return a refusal from before sessions and people are known: a problem, or one line of text."""
    if request.path.startswith("/api/"):
        return answer(request, error)
    return HttpResponse(f"{error.detail}\n", status=error.status, content_type="text/plain; charset=utf-8")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig):
        return answer(request, TooLarge(_("The body is larger than this address takes.")))
    return answer(request, Malformed(_("The request can't be read.")))


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, Forbidden(_("You may not do this.")), "403.html")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return answer(request, NotFound(_("There is no such address.")), "404.html")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    log.warning("csrf check failed", extra={"reason": reason})
    detail = _("The form is too old or came from elsewhere. Load the page again and send it once more.")
    return answer(request, Forbidden(detail), "403_csrf.html")


def locked_out(request: HttpRequest, *_args: Any, **_more: Any) -> HttpResponse:
    """Answer a sign-in after too many failures for this name from this address (django-axes)."""
    seconds = round(float(settings.AXES_COOLOFF_TIME) * 3600)
    detail = _("Too many failed attempts to sign in. Try again in %(minutes)s minutes.") % {"minutes": seconds // 60}
    return answer(request, TooMany(detail, retry_after=seconds))


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a fault, with a page that needs neither database nor context: they may be what has just failed."""
    if request.path.startswith("/api/"):
        return answer(request, ServerFault(_("Something failed on our side. It is logged under the request id.")))
    return HttpResponse(get_template("500.html").render(), status=500)
