"""A few REST views that do nothing but what the tests of the base need."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.urls import include, path
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.errors import Invalid
from core_app.models import AuditEvent
from core_app.rest.fields import check_unknown_fields, require_object
from core_app.rest.parsers import JSONParser, NDJSONParser
from core_app.rest.streaming import hold_until, ndjson_stream, wants_ndjson
from core_app.rest.views import ApiView


class EchoView(ApiView):
    calls: ClassVar[list[Any]] = []

    def post(self, request: Request) -> Response:
        data = require_object(request.data)
        check_unknown_fields(data, {"name", "refuse", "crash"})
        EchoView.calls.append(data)
        if data.get("refuse"):
            raise Invalid("refused")
        if data.get("crash"):
            raise RuntimeError("a fault with a secret in it")
        return Response(
            {"call": len(EchoView.calls), "data": data},
            status=201,
            headers={"Location": f"/made/{len(EchoView.calls)}"},
        )


class RawView(ApiView):
    """Reads its body in pieces, as an import does, and may stop early."""

    def post(self, request: Request) -> Response:
        size = 0
        stream = request._request
        while chunk := stream.read(1000):
            size += len(chunk)
            if request.query_params.get("early"):
                break
        EchoView.calls.append(size)
        return Response({"size": size}, status=202)


class LinesView(ApiView):
    parser_classes = [NDJSONParser, JSONParser]

    def post(self, request: Request) -> Response:
        return Response({"rows": request.data})

    def get(self, request: Request) -> Any:
        rows = ({"n": n} for n in range(3))
        return ndjson_stream(rows) if wants_ndjson(request) else Response(list(rows))


class WaitView(ApiView):
    def get(self, request: Request) -> Response:
        looks = []
        done = hold_until(lambda: looks.append(1) or len(looks) >= 3, request)
        return Response({"done": done, "looks": len(looks)})


class EventsView(ApiView):
    def get(self, request: Request) -> Any:
        return self.paged(request, AuditEvent.objects.all(), lambda event: {"id": event.pk})


def crash(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a fault with a secret in it")


def body(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.body)


urlpatterns = [
    path("api/v1/echo", EchoView.as_view()),
    path("api/v1/raw", RawView.as_view()),
    path("api/v1/lines", LinesView.as_view()),
    path("api/v1/wait", WaitView.as_view()),
    path("api/v1/events", EventsView.as_view()),
    path("api/v1/crash", crash),
    path("crash", crash),
    path("api/v1/body", body),
    path("", include("evalplatform.urls")),
]

handler400 = "core_app.error_pages.bad_request"
handler403 = "core_app.error_pages.permission_denied"
handler404 = "core_app.error_pages.not_found"
handler500 = "core_app.error_pages.server_error"
