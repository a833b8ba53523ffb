"""Who may see and change systems, suites, runs, comparisons and gates."""

from enum import StrEnum

from django.utils.translation import gettext_lazy as _

from core_app.actors import Actor
from core_app.errors import Forbidden
from core_app.policy import Need, Policy
from core_app.roles import Role
from datasets_app import policies as dataset_policies
from datasets_app.states import Level
from runs_app.models import (
    Aggregate,
    AnswerThreshold,
    Comparison,
    Gate,
    GateCheck,
    GatePolicy,
    Output,
    Run,
    Score,
    Suite,
    SuiteVersion,
    System,
    SystemVersion,
)
from teams_app.models import Team


class RunAction(StrEnum):
    SYSTEM_VIEW = "system.view"
    SYSTEM_EDIT = "system.edit"
    SUITE_VIEW = "suite.view"
    SUITE_EDIT = "suite.edit"
    VIEW = "run.view"
    START = "run.start"
    PUSH = "run.push"
    CANCEL = "run.cancel"
    COMPARE = "run.compare"
    GATE_VIEW = "gate.view"
    GATE_DRAFT = "gate.draft"
    GATE_ACTIVATE = "gate.activate"
    GATE_CHECK = "gate.check"


class RunPolicy(Policy):
    table = {
        RunAction.SYSTEM_VIEW: Need(Role.VIEWER, "runs:read"),
        RunAction.SYSTEM_EDIT: Need(Role.EDITOR, "runs:write"),
        RunAction.SUITE_VIEW: Need(Role.VIEWER, "runs:read"),
        RunAction.SUITE_EDIT: Need(Role.EDITOR, "runs:write"),
        RunAction.VIEW: Need(Role.VIEWER, "runs:read"),
        RunAction.START: Need(Role.EDITOR, "runs:write"),
        RunAction.PUSH: Need(Role.EDITOR, "runs:write"),
        RunAction.CANCEL: Need(Role.EDITOR, "runs:write"),
        RunAction.COMPARE: Need(Role.VIEWER, "runs:read"),
        RunAction.GATE_VIEW: Need(Role.VIEWER, "gates:read"),
        RunAction.GATE_DRAFT: Need(Role.EDITOR, "gates:write"),
        RunAction.GATE_ACTIVATE: Need(Role.STEWARD, "gates:steward"),
        RunAction.GATE_CHECK: Need(Role.EDITOR, "gates:check"),
    }
    team_paths = {
        Team: "id",
        System: "team_id",
        SystemVersion: "system__team_id",
        Suite: "team_id",
        SuiteVersion: "suite__team_id",
        Run: "team_id",
        Output: "run__team_id",
        Score: "run__team_id",
        Aggregate: "run__team_id",
        Comparison: "team_id",
        AnswerThreshold: "system__team_id",
        Gate: "team_id",
        GatePolicy: "gate__team_id",
        GateCheck: "policy__gate__team_id",
    }
    view_actions = {
        System: RunAction.SYSTEM_VIEW,
        SystemVersion: RunAction.SYSTEM_VIEW,
        Suite: RunAction.SUITE_VIEW,
        SuiteVersion: RunAction.SUITE_VIEW,
        Run: RunAction.VIEW,
        Output: RunAction.VIEW,
        Score: RunAction.VIEW,
        Aggregate: RunAction.VIEW,
        Comparison: RunAction.VIEW,
        AnswerThreshold: RunAction.SYSTEM_VIEW,
        Gate: RunAction.GATE_VIEW,
        GatePolicy: RunAction.GATE_VIEW,
        GateCheck: RunAction.GATE_VIEW,
    }

    def may_read_items(self, actor: Actor, run: Run) -> bool:
        """Return whether the actor may see the run item by item: always on dev, with `read` on a frozen split.

        A dev run whose items became protected later is guarded item by item (`datasets_app.policies.may_read_item`).
        """
        if not self.can(actor, RunAction.VIEW, run):
            return False
        if not run.is_frozen_split:
            return True
        return dataset_policies.policy.has_level(actor, run.dataset_version.dataset, Level.READ)

    def require_items(self, actor: Actor, run: Run) -> None:
        """Raise `Forbidden` where the run's items are behind a frozen split that the actor may not read."""
        self.require(actor, RunAction.VIEW, run)
        if not self.may_read_items(actor, run):
            raise Forbidden(
                _("Per-item results of a frozen split need the level “read”. Aggregates are open."),
                code="level_required",
            )


policy = RunPolicy()
