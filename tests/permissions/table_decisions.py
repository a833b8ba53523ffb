"""Comparisons, gates and reports."""

from __future__ import annotations

from typing import Any

from core_app.roles import Role
from runs_app.services.comparisons import comparison_create
from runs_app.services.gates import gate_check, gate_policy_draft
from tests.conftest import Cast
from tests.datasets_app.factories import make_dataset, make_frozen
from tests.permissions.harness import Table, form, page, rest
from tests.runs_app.decisions import TASK, make_gate, make_pair

APPS = ("runs_app",)
_RULES = [{"kind": "floor", "metric": "answers.task_success", "limit": 0.5}]
_METRIC = "?metric=answers.task_success%20v1"


def seed(cast: Cast) -> dict[str, Any]:
    """Two completed runs over a dev split with their comparison, and a gate with a verdict and a draft."""
    version = make_frozen(cast, dataset=make_dataset(cast, "decisions-kb"))
    first, second = make_pair(cast, version, baseline={TASK: [1.0] * 4}, candidate={TASK: [0.0] * 4}, slug="decided")
    comparison = comparison_create(actor=cast.actor("editor"), baseline=first, candidate=second)
    gate = make_gate(cast, _RULES, slug="decided")
    check = gate_check(actor=cast.actor("editor"), gate=gate, run=second)
    gate_policy_draft(actor=cast.actor("editor"), gate=gate, rules=[{**_RULES[0], "limit": 0.6}])
    ref = {"gate": "support/decided"}
    return {
        "team": cast.team.slug,
        "run": first.public_id,
        "other": second.public_id,
        "comparison": comparison.public_id,
        "gate": "decided",
        "check": check.public_id,
        "version": 2,
        "api:gate": ref,
        "api:gate-policies": ref,
        "api:gate-policy-activate": {**ref, "version": 2},
        "api:gate-checks": ref,
        "api:gate-check": {**ref, "check": check.public_id},
    }


def _pair(cast: Cast, seeded: Any) -> dict[str, Any]:
    return {"baseline": seeded["run"], "candidate": seeded["other"]}


def _run(cast: Cast, seeded: Any) -> dict[str, Any]:
    return {"run": seeded["run"]}


_READ, _GATES = "runs:read", "gates:read"
_NEW_GATE = {"team": "support", "slug": "new-gate", "name": "New"}
_RULES_TEXT = '[{"kind": "split_not_spent"}]'

TABLE: Table = {
    "runs:comparisons": {"GET": page(Role.VIEWER)},
    "runs:compare": {"GET": page(Role.VIEWER), "POST": form(Role.VIEWER, _pair)},
    "runs:comparison": {"GET": page(Role.VIEWER)},
    "runs:gates": {"GET": page(Role.VIEWER)},
    "runs:gate-create": {"GET": page(Role.EDITOR), "POST": form(Role.EDITOR, {"slug": "new-gate", "name": "New"})},
    "runs:gate": {"GET": page(Role.VIEWER)},
    "runs:gate-policy-draft": {"GET": page(Role.EDITOR), "POST": form(Role.EDITOR, {"rules": _RULES_TEXT})},
    "runs:gate-policy-activate": {"POST": form(Role.STEWARD)},
    "runs:gate-check-create": {"POST": form(Role.EDITOR, _run)},
    "runs:gate-check": {"GET": page(Role.VIEWER)},
    "api:run-report": {"GET": rest(Role.VIEWER, _READ)},
    "api:comparisons": {
        "GET": rest(Role.VIEWER, _READ, query="?team=support"),
        "POST": rest(Role.VIEWER, _READ, data=_pair),
    },
    "api:comparison": {"GET": rest(Role.VIEWER, _READ)},
    "api:comparison-items": {"GET": rest(Role.VIEWER, _READ, query=_METRIC)},
    "api:gates": {
        "GET": rest(Role.VIEWER, _GATES, query="?team=support"),
        "POST": rest(Role.EDITOR, "gates:write", 201, data=_NEW_GATE),
    },
    "api:gate": {"GET": rest(Role.VIEWER, _GATES)},
    "api:gate-policies": {
        "GET": rest(Role.VIEWER, _GATES),
        "POST": rest(Role.EDITOR, "gates:write", 201, data={"rules": _RULES}),
    },
    "api:gate-policy-activate": {"POST": rest(Role.STEWARD, "gates:steward")},
    "api:gate-checks": {"GET": rest(Role.VIEWER, _GATES), "POST": rest(Role.EDITOR, "gates:check", data=_run)},
    "api:gate-check": {"GET": rest(Role.VIEWER, _GATES)},
}
