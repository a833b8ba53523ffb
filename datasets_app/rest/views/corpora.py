"""Corpora, their documents and snapshots."""

from __future__ import annotations

from typing import Any, cast

from django.db.models import Prefetch
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.rest.fields import validated
from core_app.rest.parsers import JSONParser
from core_app.rest.views import ApiView
from datasets_app.imports.jsonl import read_rows
from datasets_app.models import Document, DocumentVersion, Snapshot
from datasets_app.policies import DatasetAction, policy
from datasets_app.rest import render
from datasets_app.rest.bodies import FILE_PARSERS, body_of, choice, flag
from datasets_app.rest.serializers import (
    CorpusIn,
    CorpusOut,
    DocumentOut,
    DocumentReportOut,
    SnapshotIn,
    SnapshotOut,
)
from datasets_app.selectors import corpora_of, corpus_by_ref
from datasets_app.services import corpus_create, documents_import, snapshot_create
from teams_app.selectors import team_member_of


class CorporaView(ApiView):
    parser_classes = [JSONParser]

    @extend_schema(operation_id="corpora_list", responses=CorpusOut(many=True), tags=["corpora"])
    def get(self, request: Request) -> HttpResponseBase:
        """List the corpora that the caller may see, newest first."""
        return self.paged(request, corpora_of(self.actor), render.corpus)

    @extend_schema(operation_id="corpora_create", request=CorpusIn, responses={201: CorpusOut}, tags=["corpora"])
    def post(self, request: Request) -> Response:
        """Create an empty corpus."""
        slug = request.data.get("team") if isinstance(request.data, dict) else None
        if isinstance(slug, str):
            policy.require(self.actor, DatasetAction.CORPUS_EDIT, team_member_of(self.actor, slug))
        data = validated(CorpusIn, request.data)
        team = team_member_of(self.actor, data.pop("team"))
        return Response(render.corpus(corpus_create(actor=self.actor, team=team, **data)), status=201)


class CorpusView(ApiView):
    @extend_schema(operation_id="corpora_get", responses=CorpusOut, tags=["corpora"])
    def get(self, request: Request, corpus: str) -> Response:
        """Return one corpus by id or `team/slug`."""
        found = corpus_by_ref(self.actor, corpus)
        return Response(render.corpus(corpora_of(self.actor).get(pk=found.pk)))


class DocumentsView(ApiView):
    parser_classes = FILE_PARSERS

    @extend_schema(
        operation_id="documents_list",
        responses=DocumentOut(many=True),
        parameters=[OpenApiParameter("text", OpenApiTypes.BOOL, description="Give each version's text too.")],
        tags=["corpora"],
    )
    def get(self, request: Request, corpus: str) -> HttpResponseBase:
        """List the corpus's documents with their versions."""
        found = corpus_by_ref(self.actor, corpus)
        text = flag(request, "text")
        versions = DocumentVersion.objects.order_by("version_id")
        versions = versions if text else versions.defer("text")
        documents = Document.objects.filter(corpus=found).prefetch_related(Prefetch("versions", queryset=versions))
        return self.paged(request, documents, lambda row: render.document(row, text=text), ordering="id")

    @extend_schema(
        operation_id="documents_import",
        request={"application/x-ndjson": OpenApiTypes.BINARY, "application/json": OpenApiTypes.OBJECT},
        responses={200: DocumentReportOut, 201: DocumentReportOut},
        parameters=[
            OpenApiParameter("dry_run", OpenApiTypes.BOOL),
            OpenApiParameter("on_error", enum=["abort", "skip"]),
        ],
        tags=["corpora"],
    )
    def post(self, request: Request, corpus: str) -> Response:
        """Add documents and versions. The text of a stored version never changes."""
        found = corpus_by_ref(self.actor, corpus)
        policy.require(self.actor, DatasetAction.CORPUS_EDIT, found)
        on_error = cast(Any, choice(request, "on_error", ("abort", "skip"), "abort"))
        dry_run = flag(request, "dry_run")
        rows = read_rows(body_of(request))
        report = documents_import(actor=self.actor, corpus=found, rows=rows, on_error=on_error, dry_run=dry_run)
        return Response(report.as_dict(), status=200 if dry_run else 201)


class SnapshotsView(ApiView):
    @extend_schema(operation_id="snapshots_list", responses=SnapshotOut(many=True), tags=["corpora"])
    def get(self, request: Request, corpus: str) -> HttpResponseBase:
        """List the corpus's snapshots, newest first."""
        found = corpus_by_ref(self.actor, corpus)
        return self.paged(
            request, Snapshot.objects.filter(corpus=found).select_related("corpus__team"), render.snapshot
        )

    @extend_schema(operation_id="snapshots_create", request=SnapshotIn, responses={201: SnapshotOut}, tags=["corpora"])
    def post(self, request: Request, corpus: str) -> Response:
        """Name a moment of the corpus: the document versions valid then."""
        found = corpus_by_ref(self.actor, corpus)
        policy.require(self.actor, DatasetAction.CORPUS_EDIT, found)
        data = validated(SnapshotIn, request.data)
        return Response(render.snapshot(snapshot_create(actor=self.actor, corpus=found, **data)), status=201)
