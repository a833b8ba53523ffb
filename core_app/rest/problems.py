"""RFC 9457 problem+json for every refusal: `type, title, status, detail, code, errors[], request_id`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, UnreadablePostError
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from core_app.context import request_id_var
from core_app.errors import MAX_FAULTS, DomainError, Malformed, NotFound, TooLarge, brief

CONTENT_TYPE = "application/problem+json"


def problem_body(
    *,
    status: int,
    code: str,
    detail: str,
    title: str | None = None,
    errors: Sequence[Mapping[str, Any]] = (),
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the members of a problem; `title` defaults to the status phrase."""
    return {
        "type": f"urn:evalplatform:problem:{code}",
        "title": title or HTTPStatus(status).phrase,
        "status": status,
        "detail": brief(detail),
        "code": code,
        "errors": list(errors)[:MAX_FAULTS],
        "request_id": request_id_var.get(),
        **(extra or {}),
    }


def problem(
    *,
    status: int,
    code: str,
    detail: str,
    title: str | None = None,
    errors: Sequence[Mapping[str, Any]] = (),
    headers: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Response:
    """Return a problem+json response; `title` defaults to the status phrase."""
    body = problem_body(status=status, code=code, detail=detail, title=title, errors=errors, extra=extra)
    return Response(body, status=status, headers=dict(headers or {}), content_type=CONTENT_TYPE)


def _flatten(detail: Any, pointer: str = "") -> list[dict[str, str]]:
    """Return DRF's nested error details as a list of pointer, code and detail."""
    if isinstance(detail, Mapping):
        rows = []
        for key, value in detail.items():
            rows += _flatten(value, pointer if key == "non_field_errors" else f"{pointer}/{key}")
        return rows
    if isinstance(detail, list | tuple):
        nested = any(isinstance(value, Mapping | list) for value in detail)
        rows = []
        for index, value in enumerate(detail):
            rows += _flatten(value, f"{pointer}/{index}" if nested else pointer)
        return rows
    return [{"pointer": brief(pointer), "code": getattr(detail, "code", "invalid"), "detail": brief(detail)}]


def _as_refusal(exc: Exception) -> Exception:
    """Return the refusal that one of Django's own exceptions means, or the exception as it is."""
    if isinstance(exc, Http404):
        return NotFound(_("There is no such thing here."))
    if isinstance(exc, PermissionDenied):
        return exceptions.PermissionDenied()
    if isinstance(exc, RequestDataTooBig):
        return TooLarge(_("The body is larger than this call takes."))
    if isinstance(exc, SuspiciousOperation | UnreadablePostError):
        return Malformed(_("The request can't be read."))
    return exc


def exception_handler(exc: Exception, context: Mapping[str, Any]) -> Response | None:
    """Turn a refusal into a problem; anything else is a fault and becomes a bare 500 without a traceback."""
    exc = _as_refusal(exc)
    if isinstance(exc, DomainError):
        set_rollback()
        retry_after = getattr(exc, "retry_after", None)
        return problem(
            status=exc.status,
            code=exc.code,
            title=str(exc.title),
            detail=str(exc.detail),
            errors=[error.as_dict() for error in exc.errors],
            headers={"Retry-After": str(retry_after)} if retry_after is not None else None,
            extra=exc.extra,
        )
    if not isinstance(exc, exceptions.APIException):
        return None
    set_rollback()
    headers = {}
    if getattr(exc, "auth_header", None):
        headers["WWW-Authenticate"] = exc.auth_header
    if getattr(exc, "wait", None) is not None:
        headers["Retry-After"] = str(max(1, round(exc.wait)))
    if isinstance(exc, exceptions.ValidationError):
        errors = _flatten(exc.detail)
        return problem(status=422, code="invalid", detail=_("Some fields are not valid."), errors=errors)
    codes = exc.get_codes()
    return problem(
        status=exc.status_code,
        code=codes if isinstance(codes, str) else "error",
        detail=str(exc.detail),
        headers=headers,
    )
