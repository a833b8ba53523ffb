"""REST: comparisons of two runs."""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.rest.fields import StrictSerializer, validated
from core_app.rest.views import ApiView
from runs_app.models import Comparison
from runs_app.policies import RunAction, policy
from runs_app.rest.formats import FORMATS, absolute, as_text, chosen_format
from runs_app.selectors.comparisons import (
    comparison_brief,
    comparison_by_id,
    comparison_view,
    comparisons_visible,
    run_by_id,
)
from runs_app.services.comparisons import comparison_create, comparison_items_read
from teams_app.models import Team
from teams_app.selectors import team_member_of

TEAM = OpenApiParameter("team", description="Only this team's, by its short name.")


class ComparisonRequest(StrictSerializer):
    """The ids of two completed runs."""

    baseline = serializers.CharField(max_length=40)
    candidate = serializers.CharField(max_length=40)


def team_asked(request: Request, actor: Any, action: RunAction) -> Team | None:
    """Return the team of `?team=`, having asked whether the actor may see its rows; None without it."""
    slug = request.query_params.get("team", "")
    if not slug:
        return None
    team = team_member_of(actor, slug)
    policy.require(actor, action, team)
    return team


def _body(request: Request, view: ApiView, comparison: Comparison) -> dict[str, Any]:
    return absolute(request, comparison_view(view.actor, comparison))


class ComparisonsView(ApiView):
    """The comparisons that the caller may see; make one."""

    @extend_schema(operation_id="comparisons_list", parameters=[TEAM], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> HttpResponseBase:
        team = team_asked(request, self.actor, RunAction.VIEW)
        return self.paged(
            request, comparisons_visible(self.actor, team), lambda row: absolute(request, comparison_brief(row))
        )

    @extend_schema(operation_id="comparisons_create", request=ComparisonRequest, responses={200: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Compare two completed runs; the same pair gives the comparison that is there."""
        asked = validated(ComparisonRequest, request.data)
        baseline = run_by_id(self.actor, asked["baseline"])
        candidate = run_by_id(self.actor, asked["candidate"])
        comparison = comparison_create(actor=self.actor, baseline=baseline, candidate=candidate)
        return Response(_body(request, self, comparison))


class ComparisonView(ApiView):
    """One comparison, as JSON, markdown or CSV."""

    @extend_schema(operation_id="comparisons_detail", parameters=[FORMATS], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, comparison: str) -> HttpResponseBase:
        found = comparison_by_id(self.actor, comparison)
        chosen = chosen_format(request, ("json", "markdown", "csv"))
        body = _body(request, self, found)
        return Response(body) if chosen == "json" else as_text("comparison", chosen, body, found.public_id)


class ComparisonItemsView(ApiView):
    """The items that moved most on a metric, with both answers; reading them on a frozen split enters its ledger."""

    @extend_schema(
        operation_id="comparisons_items",
        parameters=[OpenApiParameter("metric", required=True, description="The metric's full identity.")],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, comparison: str) -> Response:
        found = comparison_by_id(self.actor, comparison)
        metric = request.query_params.get("metric", "")
        read = comparison_items_read(actor=self.actor, comparison=found, metric=metric)
        return Response({"results": read["movers"], "unpaired": read["unpaired"], "next": None})
