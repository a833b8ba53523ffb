"""The base of every REST view: the actor, long answers held with `?wait=`, idempotent POST."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import models
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core_app.actors import Actor
from core_app.rest.pagination import CursorPagination


class ApiView(APIView):
    """An APIView whose `actor` comes from the authenticated session or token."""

    @property
    def actor(self) -> Actor:
        return self.request.actor  # type: ignore[attr-defined]

    def paged(
        self,
        request: Request,
        queryset: models.QuerySet[Any],
        render: Callable[[Any], dict[str, Any]],
        *,
        ordering: str = "-id",
    ) -> Response:
        """Return one cursor page of the queryset, each row rendered to a dict."""
        paginator = CursorPagination()
        paginator.ordering = ordering
        page = paginator.paginate_queryset(queryset, request, view=self)
        return paginator.get_paginated_response([render(row) for row in page or []])
