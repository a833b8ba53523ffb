"""One version: its state, items, questions, export, differences and ledger."""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.rest.fields import validated
from core_app.rest.streaming import ndjson_stream, wants_ndjson
from core_app.rest.views import ApiView
from datasets_app import services
from datasets_app.models import DatasetVersion
from datasets_app.policies import DatasetAction, policy
from datasets_app.rest import render
from datasets_app.rest.bodies import choice
from datasets_app.rest.serializers import (
    DetectableOut,
    DiffOut,
    ExposureOut,
    NativeItemOut,
    NoteIn,
    QuestionOut,
    ReasonIn,
    VersionOut,
)
from datasets_app.selectors import (
    FACETS,
    detectable_of,
    exposures_of,
    is_exposure,
    question_entries,
    readable_split,
    version_by_ref,
    version_diff,
)
from datasets_app.states import ExposureUse, Level, Split

SPLIT = OpenApiParameter("split", enum=Split.values, description="dev (the default) or frozen.")
REASON = OpenApiParameter("reason", description="Why a frozen split is read; entered in its ledger.")
FILTERS = [OpenApiParameter(name) for name in (*FACETS, "q")]


class VersionView(ApiView):
    @extend_schema(operation_id="versions_get", responses=VersionOut, tags=["versions"])
    def get(self, request: Request, version: str) -> Response:
        """Return a version with its hash, counts, checks and exposure."""
        return Response(render.version(self.actor, version_by_ref(self.actor, version)))


class MoveView(ApiView):
    """A POST that moves a version's status. Subclasses name the action, the service and what it takes."""

    action = DatasetAction.FREEZE
    body = NoteIn

    def move(self, version: DatasetVersion, **data: Any) -> DatasetVersion:
        """Call the service."""
        return services.version_freeze(actor=self.actor, version=version, **data)

    def moved(self, request: Request, ref: str) -> Response:
        version = version_by_ref(self.actor, ref)
        policy.require(self.actor, self.action, version)
        data = validated(self.body, request.data or {})
        return Response(render.version(self.actor, self.move(version, **data)))


class FreezeView(MoveView):
    @extend_schema(operation_id="versions_freeze", request=NoteIn, responses=VersionOut, tags=["versions"])
    def post(self, request: Request, version: str) -> Response:
        """Freeze a version for good; where the team asks for four eyes, hand it to a second steward."""
        return self.moved(request, version)


class ApproveView(MoveView):
    def move(self, version: DatasetVersion, **data: Any) -> DatasetVersion:
        return services.version_approve(actor=self.actor, version=version, **data)

    @extend_schema(operation_id="versions_approve", request=NoteIn, responses=VersionOut, tags=["versions"])
    def post(self, request: Request, version: str) -> Response:
        """Freeze a version in review, as a second steward."""
        return self.moved(request, version)


class SubmitView(MoveView):
    action = DatasetAction.EDIT

    def move(self, version: DatasetVersion, **data: Any) -> DatasetVersion:
        return services.version_submit(actor=self.actor, version=version, **data)

    @extend_schema(operation_id="versions_submit", request=NoteIn, responses=VersionOut, tags=["versions"])
    def post(self, request: Request, version: str) -> Response:
        """Hand a draft in for review."""
        return self.moved(request, version)


class ReopenView(MoveView):
    action = DatasetAction.EDIT
    body = ReasonIn

    def move(self, version: DatasetVersion, **data: Any) -> DatasetVersion:
        return services.version_reopen(actor=self.actor, version=version, **data)

    @extend_schema(operation_id="versions_reopen", request=ReasonIn, responses=VersionOut, tags=["versions"])
    def post(self, request: Request, version: str) -> Response:
        """Give a version in review back for editing."""
        return self.moved(request, version)


class RetireView(MoveView):
    action = DatasetAction.RETIRE
    body = ReasonIn

    def move(self, version: DatasetVersion, **data: Any) -> DatasetVersion:
        return services.version_retire(actor=self.actor, version=version, **data)

    @extend_schema(operation_id="versions_retire", request=ReasonIn, responses=VersionOut, tags=["versions"])
    def post(self, request: Request, version: str) -> Response:
        """Retire a frozen version; its items stay protected."""
        return self.moved(request, version)


class ItemsView(ApiView):
    @extend_schema(
        operation_id="versions_items",
        responses=NativeItemOut(many=True),
        parameters=[SPLIT, REASON, *FILTERS],
        tags=["versions"],
    )
    def get(self, request: Request, version: str) -> HttpResponseBase:
        """List a split's items with gold. A frozen test split needs the level `read` and enters it in the ledger."""
        found = version_by_ref(self.actor, version)
        split = choice(request, "split", tuple(Split.values), Split.DEV.value)
        filters = {name: request.query_params.get(name, "") for name in (*FACETS, "q")}
        entries = readable_split(self.actor, found, split, filters)
        if not is_exposure(self.actor, found, split):
            return self.paged(request, entries, render.item, ordering="id")
        count = entries.count() if wants_ndjson(request) else 0
        response = self.paged(request, entries, render.item, ordering="id")
        services.exposure_record(
            actor=self.actor,
            version=found,
            split=split,
            use=ExposureUse.READ,
            items=count or len(getattr(response, "data", {}).get("results", [])),
            reason=request.query_params.get("reason", ""),
        )
        return response


class QuestionsView(ApiView):
    @extend_schema(
        operation_id="versions_questions",
        responses=QuestionOut(many=True),
        parameters=[SPLIT, REASON],
        tags=["versions"],
    )
    def get(self, request: Request, version: str) -> HttpResponseBase:
        """List a split's questions without anything of the gold, shuffled. A frozen one needs the level `questions`."""
        found = version_by_ref(self.actor, version)
        split = choice(request, "split", tuple(Split.values), Split.DEV.value)
        entries = question_entries(found, split)
        if split == Split.FROZEN:
            policy.require_level(self.actor, found.dataset, Level.QUESTIONS)
        count = entries.count() if split == Split.FROZEN and wants_ndjson(request) else 0
        response = self.paged(request, entries, render.question, ordering="opaque")
        services.exposure_record(
            actor=self.actor,
            version=found,
            split=split,
            use=ExposureUse.QUESTIONS,
            items=count or len(getattr(response, "data", {}).get("results", [])),
            reason=request.query_params.get("reason", ""),
        )
        return response


class ExportView(ApiView):
    @extend_schema(
        operation_id="versions_export",
        responses={(200, "application/x-ndjson"): OpenApiTypes.BINARY},
        parameters=[OpenApiParameter("format", enum=["jsonl"]), SPLIT, REASON],
        tags=["versions"],
    )
    def get(self, request: Request, version: str) -> HttpResponseBase:
        """Download a split as native JSONL, with the nonces from which the version's hash is computed."""
        found = version_by_ref(self.actor, version)
        choice(request, "format", ("jsonl",), "jsonl")
        split = choice(request, "split", tuple(Split.values), Split.DEV.value)
        entries = readable_split(self.actor, found, split, {})
        reason = request.query_params.get("reason", "")
        services.export_record(actor=self.actor, version=found, split=split, items=entries.count(), reason=reason)
        response = ndjson_stream(render.item(entry) for entry in entries.iterator(chunk_size=500))
        name = f"{found.dataset.team.slug}-{found.dataset.slug}-{found.number}-{split}.jsonl"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response


class DiffView(ApiView):
    @extend_schema(operation_id="versions_diff", responses=DiffOut, tags=["versions"])
    def get(self, request: Request, version: str, other: str) -> Response:
        """Return what differs from the first version to the second; ids and hashes alone of items you may not read."""
        old, new = version_by_ref(self.actor, version), version_by_ref(self.actor, other)
        rows = version_diff(self.actor, old, new)
        counts = {name: sum(row.change == name for row in rows) for name in ("added", "removed", "changed")}
        shown = [render.difference(row) for row in rows[:1000]]
        return Response({"old": old.ref, "new": new.ref, **counts, "rows": shown})


class ExposureView(ApiView):
    @extend_schema(operation_id="versions_exposure", responses=ExposureOut(many=True), tags=["versions"])
    def get(self, request: Request, version: str) -> HttpResponseBase:
        """List the uses of the version's frozen split, newest first."""
        found = version_by_ref(self.actor, version)
        policy.require(self.actor, DatasetAction.EXPOSURE_VIEW, found)
        return self.paged(request, exposures_of(found), render.exposure)


class DetectableView(ApiView):
    @extend_schema(operation_id="versions_detectable", responses=DetectableOut, tags=["versions"])
    def get(self, request: Request, version: str) -> Response:
        """Return the smallest difference that each split can show, over all items and by question type."""
        found = version_by_ref(self.actor, version)
        policy.require(self.actor, DatasetAction.VIEW, found)
        return Response({"version": found.ref, "splits": detectable_of(self.actor, found)})
