"""Runs over REST: start, push outputs, complete, read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.errors import FieldError, Invalid
from core_app.rest.fields import check_unknown_fields, validated
from core_app.rest.pagination import CursorPagination
from core_app.rest.parsers import JSONParser, NDJSONParser
from core_app.rest.streaming import hold_until, wants_ndjson
from core_app.rest.views import ApiView
from runs_app.models import Run
from runs_app.policies import RunAction, policy
from runs_app.rest import rendering
from runs_app.rest.serializers import CancelSerializer, RunStartSerializer
from runs_app.selectors.comparisons import run_by_id
from runs_app.selectors.disclosure import Figure
from runs_app.selectors.items import outputs_worst_first, scores_readable
from runs_app.selectors.runs import primary_figures, run_status, runs_visible
from runs_app.services.outputs import outputs_push
from runs_app.services.reading import items_read_record
from runs_app.services.runs import estimate_of, run_cancel, run_complete, run_retry_failed
from runs_app.services.start import run_start
from runs_app.states import TERMINAL

_FILTERS = [OpenApiParameter(name, str) for name in ("status", "split", "system", "dataset")]
_LIMIT = OpenApiParameter("limit", int, description="Rows on a page, up to 500.")
_WAIT = OpenApiParameter("wait", float, description="Hold the answer until the run has ended, up to 60 seconds.")


def run_url(run: Run) -> str:
    return reverse("api:runs-detail", kwargs={"run": run.public_id})


class RunsView(ApiView):
    """All runs that the caller may see; start one."""

    @extend_schema(operation_id="runs_list", parameters=[*_FILTERS, _LIMIT], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> HttpResponseBase:
        """List runs, newest first, each with its primary figure."""
        filters = {name: request.query_params.get(name, "") for name in ("status", "split", "system", "dataset")}
        runs = runs_visible(self.actor, **filters)
        if wants_ndjson(request):
            return self.paged(request, runs, lambda run: self._brief(run, primary_figures(self.actor, [run])))
        paginator = CursorPagination()
        page = paginator.paginate_queryset(runs, request, view=self) or []
        figures = primary_figures(self.actor, page)
        return paginator.get_paginated_response([self._brief(run, figures) for run in page])

    @staticmethod
    def _brief(run: Run, figures: Mapping[int, Figure]) -> dict[str, Any]:
        return rendering.run_brief(run, figures.get(run.pk))

    @extend_schema(operation_id="runs_create", request=RunStartSerializer, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Start a run; it collects outputs until `complete`."""
        data = validated(RunStartSerializer, request.data)
        data.pop("mode")
        run = run_start(actor=self.actor, **{key: "" if value is None else value for key, value in data.items()})
        body = {**rendering.run_brief(run), "estimate": estimate_of(run), "manifest_sha256": run.manifest_sha256}
        return Response(body, status=201, headers={"Location": run_url(run)})


class RunView(ApiView):
    """One run."""

    @extend_schema(operation_id="runs_get", parameters=[_WAIT], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, run: str) -> Response:
        """Status, progress, figures with their counts and intervals, manifest, warnings."""
        found = run_by_id(self.actor, run)
        hold_until(lambda: run_status(found) in TERMINAL, request)
        return Response(rendering.run_full(self.actor, run_by_id(self.actor, run)))


class RunOutputsView(ApiView):
    """Outputs pushed to a run."""

    parser_classes = [JSONParser, NDJSONParser]

    @extend_schema(
        operation_id="runs_outputs",
        request={"application/json": OpenApiTypes.OBJECT, "application/x-ndjson": OpenApiTypes.STR},
        responses=OpenApiTypes.OBJECT,
    )
    def post(self, request: Request, run: str) -> Response:
        """Store a list, `{"outputs": [...]}` or NDJSON; all rows or none, and sending again is harmless."""
        found = run_by_id(self.actor, run)
        policy.require(self.actor, RunAction.PUSH, found)
        rows, lines, prefix = rows_of(request)
        return Response(outputs_push(actor=self.actor, run=found, rows=rows, lines=lines, prefix=prefix))


def rows_of(request: Request) -> tuple[Sequence[Any], Sequence[int] | None, str]:
    """Return the body's rows with their lines (NDJSON) or the pointer of the list that holds them."""
    data = request.data
    if request.content_type.partition(";")[0].strip() == NDJSONParser.media_type:
        return [row for _line, row in data], [line for line, _row in data], ""
    if isinstance(data, Mapping):
        check_unknown_fields(data, {"outputs"})
        data, prefix = data.get("outputs"), "/outputs"
    else:
        prefix = ""
    if not isinstance(data, list):
        text = _("Send a list of outputs, or an object with “outputs”.")
        raise Invalid(text, errors=[FieldError(prefix, "not_a_list", text)])
    return data, None, prefix


class RunCompleteView(ApiView):
    """End of the collection."""

    @extend_schema(operation_id="runs_complete", request=None, responses={202: OpenApiTypes.OBJECT})
    def post(self, request: Request, run: str) -> Response:
        """End collection and have the run scored; what is missing counts as failed. Safe to call again."""
        found = run_complete(actor=self.actor, run=run_by_id(self.actor, run))
        return Response(rendering.run_brief(found), status=202, headers={"Location": run_url(found)})


class RunCancelView(ApiView):
    """A run called off."""

    @extend_schema(operation_id="runs_cancel", request=CancelSerializer, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, run: str) -> Response:
        """Stop a run that has not ended."""
        found = run_by_id(self.actor, run)
        policy.require(self.actor, RunAction.CANCEL, found)
        reason = validated(CancelSerializer, request.data or {})["reason"]
        return Response(rendering.run_brief(run_cancel(actor=self.actor, run=found, reason=reason)))


class RunRetryFailedView(ApiView):
    """A failed run taken up again."""

    @extend_schema(operation_id="runs_retry_failed", request=None, responses={202: OpenApiTypes.OBJECT})
    def post(self, request: Request, run: str) -> Response:
        """Score what a failed run has not scored."""
        found = run_retry_failed(actor=self.actor, run=run_by_id(self.actor, run))
        return Response(rendering.run_brief(found), status=202, headers={"Location": run_url(found)})


class RunScoresView(ApiView):
    """A run's scores, item by item."""

    @extend_schema(
        operation_id="runs_scores",
        parameters=[OpenApiParameter("metric", str, description="One metric's identity."), _LIMIT],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, run: str) -> HttpResponseBase:
        """Scores on dev splits, or with the level `read`; a page, or all of them as NDJSON."""
        found = run_by_id(self.actor, run)
        scores = scores_readable(self.actor, found)
        items_read_record(actor=self.actor, run=found)
        if metric := request.query_params.get("metric", ""):
            scores = scores.filter(metric__identity=metric)
        return self.paged(request, scores, rendering.score_row, ordering="id")


class RunItemsView(ApiView):
    """A run's outputs with their scores."""

    @extend_schema(
        operation_id="runs_items",
        parameters=[
            OpenApiParameter("outcome", str),
            OpenApiParameter("type", str),
            OpenApiParameter("q", str),
            _LIMIT,
        ],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, run: str) -> HttpResponseBase:
        """Outputs on dev splits, or with the level `read`."""
        found = run_by_id(self.actor, run)
        asked = request.query_params
        outputs = outputs_worst_first(
            self.actor,
            found,
            None,
            outcome=asked.get("outcome", ""),
            kind=asked.get("type", ""),
            text=asked.get("q", ""),
        ).prefetch_related("scores__metric")
        items_read_record(actor=self.actor, run=found)
        return self.paged(request, outputs, rendering.output_row, ordering="id")
