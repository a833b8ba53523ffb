"""The base of every REST view: the actor, lists in pages or as NDJSON, idempotent POST."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import models
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core_app.actors import Actor
from core_app.rest import idempotency
from core_app.rest.pagination import CursorPagination
from core_app.rest.renderers import JSONRenderer, NDJSONRenderer
from core_app.rest.streaming import ndjson_stream, wants_ndjson


class ApiView(APIView):
    """An APIView whose `actor` comes from the authenticated session or token; any POST honours `Idempotency-Key`."""

    renderer_classes = [JSONRenderer, NDJSONRenderer]
    #: Fields of the answer that are shown once; an answer kept for repeated POSTs holds null in their place.
    secret_fields: tuple[str, ...] = ()
    _reservation: idempotency.Reservation | None = None

    @property
    def actor(self) -> Actor:
        return self.request.actor  # type: ignore[attr-defined]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate, throttle, and for a repeated POST put the first answer in the handler's place."""
        super().initial(request, *args, **kwargs)
        if request.method != "POST" or not hasattr(self, "post"):
            return
        begun = idempotency.begin(request, self.actor)
        if isinstance(begun, idempotency.Reservation):
            self._reservation = begun
        elif begun is not None:
            self.post = lambda *_args, **_kwargs: begun

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return super().dispatch(request, *args, **kwargs)
        except BaseException:
            if self._reservation is not None:
                self._reservation.release()
            raise

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        if self._reservation is not None:
            if isinstance(response, Response):
                response.render()
            self._reservation.complete(response, self.secret_fields)
        return response

    def paged(
        self,
        request: Request,
        queryset: models.QuerySet[Any],
        render: Callable[[Any], dict[str, Any]],
        *,
        ordering: str = "-id",
    ) -> HttpResponseBase:
        """Return one cursor page of the queryset, each row rendered to a dict; all rows, streamed, as NDJSON."""
        if wants_ndjson(request):
            rows = queryset.order_by(ordering).iterator(chunk_size=500)
            return ndjson_stream(render(row) for row in rows)
        paginator = CursorPagination()
        paginator.ordering = ordering
        page = paginator.paginate_queryset(queryset, request, view=self)
        return paginator.get_paginated_response([render(row) for row in page or []])
