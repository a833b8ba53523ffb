"""Over REST: risk against coverage, robustness, and the thresholds of a system."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.rest.fields import StrictSerializer, validated
from core_app.rest.views import ApiView
from runs_app.models import ThresholdBound
from runs_app.policies import RunAction, policy
from runs_app.selectors.comparisons import run_by_id
from runs_app.selectors.risk_coverage import risk_coverage_of, threshold_row
from runs_app.selectors.robustness import robustness_of
from runs_app.selectors.systems import system_by_ref
from runs_app.selectors.thresholds import thresholds_of
from runs_app.services.thresholds import threshold_choose


class ThresholdSerializer(StrictSerializer):
    """On which dev run, and under which limit, a threshold is chosen."""

    run = serializers.CharField(max_length=40)
    max_risk = serializers.FloatField(min_value=0, max_value=1)
    bound = serializers.ChoiceField(ThresholdBound.choices, default=ThresholdBound.POINT.value)
    note = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class RiskCoverageView(ApiView):
    """A completed run's risk against its coverage."""

    @extend_schema(operation_id="runs_risk_coverage", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, run: str) -> Response:
        """The curve, AURC, what is left out by name, and coverage and risk at the threshold locked before the run."""
        return Response(risk_coverage_of(self.actor, run_by_id(self.actor, run)))


class RobustnessView(ApiView):
    """A completed run's perturbed items against their originals."""

    @extend_schema(operation_id="runs_robustness", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, run: str) -> Response:
        """One row a kind of perturbation: paired changes with intervals, and attack success with utility beside it."""
        return Response(robustness_of(self.actor, run_by_id(self.actor, run)))


class ThresholdsView(ApiView):
    """The answer thresholds of a system: the newest is in force."""

    @extend_schema(operation_id="systems_thresholds_list", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, system: str) -> HttpResponseBase:
        """The history, newest first."""
        return self.paged(request, thresholds_of(system_by_ref(self.actor, system)), threshold_row)

    @extend_schema(
        operation_id="systems_thresholds_choose",
        request=ThresholdSerializer,
        responses={201: OpenApiTypes.OBJECT},
    )
    def post(self, request: Request, system: str) -> Response:
        """Choose a threshold on a completed dev run and lock it; a run on a frozen split is refused."""
        found = system_by_ref(self.actor, system)
        policy.require(self.actor, RunAction.SYSTEM_EDIT, found)
        data = validated(ThresholdSerializer, request.data)
        run = run_by_id(self.actor, data.pop("run"))
        row = threshold_row(threshold_choose(actor=self.actor, system=found, run=run, **data))
        location = reverse("api:systems-thresholds", kwargs={"system": found.public_id})
        return Response(row, status=201, headers={"Location": location})
