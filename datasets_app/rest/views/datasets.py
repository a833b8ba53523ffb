"""Datasets, imports into them, and the list of their versions."""

from __future__ import annotations

import io
from typing import Any, cast

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.rest.fields import validated
from core_app.rest.views import ApiView
from datasets_app.imports.formats import FORMATS
from datasets_app.imports.sources import mapping_of, open_source
from datasets_app.models import DatasetVersion
from datasets_app.policies import DatasetAction, policy
from datasets_app.rest import render
from datasets_app.rest.bodies import FILE_PARSERS, body_of, choice, flag
from datasets_app.rest.serializers import DatasetIn, DatasetOut, ImportReportOut, VersionBriefOut, VersionOut
from datasets_app.selectors import corpus_by_ref, dataset_by_ref, datasets_of
from datasets_app.services import dataset_create, dataset_import, draft_get_or_create
from datasets_app.states import Split
from teams_app.selectors import team_member_of


class DatasetsView(ApiView):
    @extend_schema(operation_id="datasets_list", responses=DatasetOut(many=True), tags=["datasets"])
    def get(self, request: Request) -> HttpResponseBase:
        """List the datasets that the caller may see, newest first."""
        return self.paged(request, datasets_of(self.actor), render.dataset)

    @extend_schema(operation_id="datasets_create", request=DatasetIn, responses={201: DatasetOut}, tags=["datasets"])
    def post(self, request: Request) -> Response:
        """Create a dataset with an empty draft, version 1."""
        slug = request.data.get("team") if isinstance(request.data, dict) else None
        if isinstance(slug, str):
            policy.require(self.actor, DatasetAction.CREATE, team_member_of(self.actor, slug))
        data = validated(DatasetIn, request.data)
        team = team_member_of(self.actor, data.pop("team"))
        corpus = data.pop("corpus")
        dataset = dataset_create(
            actor=self.actor, team=team, corpus=corpus_by_ref(self.actor, corpus) if corpus else None, **data
        )
        return Response(render.dataset(dataset), status=201)


class DatasetView(ApiView):
    @extend_schema(operation_id="datasets_get", responses=DatasetOut, tags=["datasets"])
    def get(self, request: Request, dataset: str) -> Response:
        """Return one dataset by id or `team/slug`."""
        return Response(render.dataset(dataset_by_ref(self.actor, dataset)))


class ImportDoneOut(ImportReportOut):
    format = serializers.CharField(help_text="The format that the body was read as.")
    encoding = serializers.CharField()
    mapping = serializers.DictField(child=serializers.CharField(), help_text="Column → field, of a table.")


class ImportsView(ApiView):
    parser_classes = FILE_PARSERS

    @extend_schema(
        operation_id="datasets_import",
        request={"application/x-ndjson": OpenApiTypes.BINARY, "application/json": OpenApiTypes.OBJECT},
        responses={200: ImportDoneOut, 201: ImportDoneOut},
        parameters=[
            OpenApiParameter("format", enum=["auto", *FORMATS], description="How the body is written."),
            OpenApiParameter("mapping", description="Of a table: column=field pairs, separated by commas."),
            OpenApiParameter("split", enum=Split.values, description="Where new items go that don't say."),
            OpenApiParameter("dry_run", OpenApiTypes.BOOL, description="Report what would happen, change nothing."),
            OpenApiParameter("on_error", enum=["abort", "skip"], description="Refused rows stop all, or are left out."),
        ],
        tags=["datasets"],
    )
    def post(self, request: Request, dataset: str) -> Response:
        """Import a file into the dataset's draft, begun where there is none; format and encoding are detected."""
        found = dataset_by_ref(self.actor, dataset)
        policy.require(self.actor, DatasetAction.EDIT, found)
        name = choice(request, "format", ("auto", *FORMATS), "auto")
        on_error = cast(Any, choice(request, "on_error", ("abort", "skip"), "abort"))
        split = choice(request, "split", ("", *Split.values), "")
        dry_run = flag(request, "dry_run")
        mapping = mapping_of(request.query_params.get("mapping", ""))
        source = open_source(io.BytesIO(body_of(request)), format=name, mapping=mapping)
        report = dataset_import(
            actor=self.actor,
            dataset=found,
            rows=source.rows,
            default_split=split or None,
            on_error=on_error,
            dry_run=dry_run,
        )
        return Response({**report.as_dict(), **source.as_dict()}, status=200 if dry_run else 201)


class DatasetVersionsView(ApiView):
    @extend_schema(operation_id="datasets_versions", responses=VersionBriefOut(many=True), tags=["datasets"])
    def get(self, request: Request, dataset: str) -> HttpResponseBase:
        """List the dataset's versions, newest first."""
        found = dataset_by_ref(self.actor, dataset)
        versions = DatasetVersion.objects.filter(dataset=found).select_related("dataset__team")
        return self.paged(request, versions, render.version_brief, ordering="-number")

    @extend_schema(operation_id="datasets_begin_draft", request=None, responses={201: VersionOut}, tags=["datasets"])
    def post(self, request: Request, dataset: str) -> Response:
        """Begin the next draft from the newest frozen version; the open version where there is one."""
        draft = draft_get_or_create(actor=self.actor, dataset=dataset_by_ref(self.actor, dataset))
        return Response(render.version(self.actor, draft), status=201)
