"""RFC 9457 problem+json for every refusal: `type, title, status, detail, code, errors[], request_id`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from core_app.context import request_id_var
from core_app.errors import DomainError

CONTENT_TYPE = "application/problem+json"


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
    body = {
        "type": f"urn:evalplatform:problem:{code}",
        "title": title or HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": list(errors),
        "request_id": request_id_var.get(),
        **(extra or {}),
    }
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
    return [{"pointer": pointer, "code": getattr(detail, "code", "invalid"), "detail": str(detail)}]


def exception_handler(exc: Exception, context: Mapping[str, Any]) -> Response | None:
    """Turn a refusal into a problem; anything else is a fault and becomes a bare 500 without a traceback."""
    if isinstance(exc, DomainError):
        set_rollback()
        return problem(
            status=exc.status,
            code=exc.code,
            title=str(exc.title),
            detail=str(exc.detail),
            errors=[error.as_dict() for error in exc.errors],
            extra=exc.extra,
        )
    if isinstance(exc, Http404):
        exc = exceptions.NotFound(_("There is no such thing here."))
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied()
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
