"""REST: gates, their policies, and checks of runs."""

from __future__ import annotations

from typing import Any

from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.actors import SYSTEM
from core_app.errors import FieldError, Invalid, NotFound
from core_app.rest.fields import StrictSerializer, require_object, validated
from core_app.rest.streaming import hold_until, wait_seconds
from core_app.rest.views import ApiView
from runs_app.models import Gate, Run
from runs_app.policies import RunAction, policy
from runs_app.rest.comparisons import TEAM, team_asked
from runs_app.rest.formats import FORMATS, absolute, as_text, chosen_format
from runs_app.selectors.comparisons import runs_for_reading
from runs_app.selectors.gates import (
    check_brief,
    check_by_id,
    check_view,
    checks_of,
    gate_by_ref,
    gate_view,
    gates_visible,
    policy_view,
)
from runs_app.selectors.systems import system_by_ref
from runs_app.services.gates import gate_check, gate_create, gate_policy_activate, gate_policy_draft
from runs_app.states import TERMINAL
from teams_app.selectors import team_member_of


class GateRequest(StrictSerializer):
    """A new gate; `rules` makes its first draft at once."""

    team = serializers.CharField(max_length=50)
    slug = serializers.CharField(max_length=50)
    name = serializers.CharField(max_length=200, required=False, default="")
    system = serializers.CharField(max_length=120, required=False, allow_null=True, default=None)
    rules = serializers.JSONField(required=False, default=None)


class PolicyRequest(StrictSerializer):
    """A draft of rules (docs/gates.md)."""

    rules = serializers.JSONField()


class CheckRequest(StrictSerializer):
    """A completed run, and a baseline where it is not to be chosen."""

    run = serializers.CharField(max_length=40)
    baseline = serializers.CharField(max_length=40, required=False, allow_null=True, default=None)


class GatesView(ApiView):
    """The gates that the caller may see; make one."""

    @extend_schema(operation_id="gates_list", parameters=[TEAM], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> HttpResponseBase:
        team = team_asked(request, self.actor, RunAction.GATE_VIEW)
        return self.paged(request, gates_visible(self.actor, team), lambda row: absolute(request, gate_view(row)))

    @extend_schema(operation_id="gates_create", request=GateRequest, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        slug = require_object(request.data).get("team")
        if isinstance(slug, str) and slug:
            policy.require(self.actor, RunAction.GATE_DRAFT, team_member_of(self.actor, slug))
        asked = validated(GateRequest, request.data)
        team = team_member_of(self.actor, asked["team"])
        system = system_by_ref(self.actor, asked["system"]) if asked["system"] else None
        gate = gate_create(
            actor=self.actor, team=team, slug=asked["slug"], name=asked["name"], system=system, rules=asked["rules"]
        )
        return Response(_gate_body(request, gate), status=201)


def _gate_body(request: Request, gate: Gate) -> dict[str, Any]:
    # By the system: a token may make gates that it may not read.
    annotated = gates_visible(SYSTEM).get(pk=gate.pk)
    policies = [policy_view(row) for row in gate.policies.all()]
    return absolute(request, {**gate_view(annotated), "policies": policies})


class GateView(ApiView):
    """One gate with its policies, newest first."""

    @extend_schema(operation_id="gates_detail", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, gate: str) -> Response:
        return Response(_gate_body(request, gate_by_ref(self.actor, gate)))


def gate_for(view: ApiView, ref: str, action: RunAction) -> Gate:
    """Return a gate for an action that may need other rights than viewing it."""
    team, slash, slug = ref.partition("/")
    lookup = {"team__slug": team, "slug": slug} if slash else {"public_id": ref}
    gate = Gate.objects.select_related("team", "system__team").filter(**lookup).first()
    if gate is None:
        raise NotFound(_("There is no such thing here."))
    policy.require(view.actor, action, gate)
    return gate


class GatePoliciesView(ApiView):
    """A gate's policies; draft one."""

    @extend_schema(operation_id="gates_policies_list", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, gate: str) -> HttpResponseBase:
        found = gate_by_ref(self.actor, gate)
        return self.paged(request, found.policies.all(), policy_view, ordering="-version")

    @extend_schema(operation_id="gates_policies_create", request=PolicyRequest, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request, gate: str) -> Response:
        found = gate_for(self, gate, RunAction.GATE_DRAFT)
        asked = validated(PolicyRequest, request.data)
        draft = gate_policy_draft(actor=self.actor, gate=found, rules=asked["rules"])
        return Response(policy_view(draft), status=201)


class GatePolicyActivateView(ApiView):
    """Make a draft the policy by which runs are checked (steward)."""

    @extend_schema(operation_id="gates_policies_activate", request=None, responses=OpenApiTypes.OBJECT)
    def post(self, request: Request, gate: str, version: int) -> Response:
        found = gate_for(self, gate, RunAction.GATE_ACTIVATE)
        return Response(policy_view(gate_policy_activate(actor=self.actor, gate=found, version=version)))


def _run_of(gate: Gate, public_id: str, field: str) -> Run:
    """Return a run of the gate's team: whoever may check gates there may name it."""
    run = runs_for_reading().filter(public_id=public_id, team_id=gate.team_id).first()
    if run is None:
        detail = _("The team has no such run.")
        raise Invalid(detail, errors=[FieldError(f"/{field}", "unknown_run", detail)])
    return run


class GateChecksView(ApiView):
    """A gate's verdicts; check a run. With `?wait=` the answer is held until the run has ended."""

    @extend_schema(operation_id="gates_checks_list", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, gate: str) -> HttpResponseBase:
        found = gate_by_ref(self.actor, gate)
        return self.paged(request, checks_of(found), lambda row: absolute(request, check_brief(row)))

    @extend_schema(
        operation_id="gates_checks_create",
        request=CheckRequest,
        parameters=[OpenApiParameter("wait", description="Seconds to wait for the run to end, at most 60.")],
        responses={200: OpenApiTypes.OBJECT, 202: OpenApiTypes.OBJECT},
    )
    def post(self, request: Request, gate: str) -> Response:
        found = gate_for(self, gate, RunAction.GATE_CHECK)
        asked = validated(CheckRequest, request.data)
        run = _run_of(found, asked["run"], "run")
        baseline = _run_of(found, asked["baseline"], "baseline") if asked["baseline"] else None
        if wait_seconds(request) and not hold_until(lambda: _has_ended(run), request):
            return _still_running(request, run)
        check = gate_check(actor=self.actor, gate=found, run=run, baseline=baseline)
        return Response(absolute(request, check_view(self.actor, check)))


def _has_ended(run: Run) -> bool:
    run.refresh_from_db(fields=["status", "manifest_sha256", "scores_sha256", "finished_at", "warnings"])
    return run.status in TERMINAL


def _still_running(request: Request, run: Run) -> Response:
    """Answer 202: the run has not ended within the wait; ask again."""
    body = {"id": None, "verdict": None, "effective_verdict": None, "run": run.public_id, "run_status": run.status}
    return Response(body, status=202, headers={"Location": request.build_absolute_uri(), "Retry-After": "5"})


class GateCheckView(ApiView):
    """One verdict, as JSON, JUnit XML, markdown or CSV."""

    @extend_schema(operation_id="gates_checks_detail", parameters=[FORMATS], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, gate: str, check: str) -> HttpResponseBase:
        found = check_by_id(self.actor, gate_by_ref(self.actor, gate), check)
        chosen = chosen_format(request, ("json", "junit", "markdown", "csv"))
        body = absolute(request, check_view(self.actor, found))
        return Response(body) if chosen == "json" else as_text("check", chosen, body, found.public_id)
