"""Cursor pages: `{"results": [...], "next": url|null}` with `?limit=` up to 500."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import DataError
from rest_framework import pagination
from rest_framework.exceptions import NotFound
from rest_framework.response import Response


class CursorPagination(pagination.CursorPagination):
    page_size = 50
    max_page_size = 500
    page_size_query_param = "limit"
    ordering = "-id"

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> list[Any] | None:
        """Return the page; raises `NotFound` for a cursor that is made up: its position is no value of the column."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, TypeError, ValidationError, DataError):
            if self.cursor_query_param not in request.query_params:
                raise
            raise NotFound(self.invalid_cursor_message) from None

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.get_next_link()})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {
                "results": schema,
                "next": {"type": ["string", "null"], "format": "uri", "description": "The next page, if any."},
            },
        }
