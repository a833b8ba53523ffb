"""REST: a run's report."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.rest.views import ApiView
from runs_app.rest.formats import FORMATS, as_text, chosen_format
from runs_app.selectors.comparisons import run_by_id
from runs_app.selectors.reports import run_report


class RunReportView(ApiView):
    """A completed run's figures by group with n, states and intervals, as JSON, markdown or CSV."""

    @extend_schema(operation_id="runs_report", parameters=[FORMATS], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, run: str) -> HttpResponseBase:
        found = run_by_id(self.actor, run)
        chosen = chosen_format(request, ("json", "markdown", "csv"))
        report = run_report(self.actor, found)
        return Response(report) if chosen == "json" else as_text("run", chosen, report, found.public_id)
