"""`?format=` of decisions: which there are, and their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from core_app.csv import csv_response
from core_app.errors import FieldError, Invalid
from runs_app.reports import junit, markdown, tables

FORMATS = OpenApiParameter("format", description="json (default), markdown, csv; for gate checks also junit.")

_TEXT: dict[tuple[str, str], tuple[Callable[[Mapping[str, Any]], str | bytes], str]] = {
    ("check", "junit"): (junit.check_junit, "application/xml; charset=utf-8"),
    ("check", "markdown"): (markdown.check_markdown, "text/markdown; charset=utf-8"),
    ("comparison", "markdown"): (markdown.comparison_markdown, "text/markdown; charset=utf-8"),
    ("run", "markdown"): (markdown.run_markdown, "text/markdown; charset=utf-8"),
}
_TABLES: dict[str, tuple[Sequence[str], Callable[[Mapping[str, Any]], Any]]] = {
    "check": (tables.CHECK_HEADER, tables.check_rows),
    "comparison": (tables.COMPARISON_HEADER, tables.comparison_rows),
    "run": (tables.RUN_HEADER, tables.run_rows),
}


def chosen_format(request: Request, known: Sequence[str]) -> str:
    """Return `?format=`, or the first known; raises `Invalid` for another."""
    chosen = request.query_params.get("format", known[0])
    if chosen not in known:
        detail = _("The format is one of: %(known)s.") % {"known": ", ".join(known)}
        raise Invalid(detail, errors=[FieldError("/format", "unknown_choice", detail)])
    return str(chosen)


def as_text(kind: str, chosen: str, view: Mapping[str, Any], name: str) -> HttpResponseBase:
    """Return the view in a format other than JSON; `kind` is run, comparison or check."""
    if chosen == "csv":
        header, rows = _TABLES[kind]
        return csv_response(f"{name}.csv", header, rows(view))
    render, content_type = _TEXT[kind, chosen]
    return HttpResponse(render(view), content_type=content_type, headers={"X-Content-Type-Options": "nosniff"})


def absolute(request: Request, view: Mapping[str, Any]) -> dict[str, Any]:
    """Return the view with the addresses of its pages made absolute."""
    urls = {key: request.build_absolute_uri(view[key]) for key in ("url", "comparison_url") if view.get(key)}
    return {**view, **urls}
