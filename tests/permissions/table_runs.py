"""Runs, systems and suites."""

from __future__ import annotations

from typing import Any

from core_app.roles import Role
from runs_app.services.thresholds import threshold_choose
from tests.conftest import Cast
from tests.datasets_app.factories import make_dataset, make_frozen
from tests.permissions.harness import Table, form, page, rest
from tests.runs_app.factories import answers, complete, make_run, push

APPS = ("runs_app",)


def seed(cast: Cast) -> dict[str, Any]:
    """A completed run, and one that collects, over a frozen version's dev split."""
    version = make_frozen(cast, dataset=make_dataset(cast, "runs-kb"))
    done = make_run(cast, version)
    push(done, answers(done, confidence=0.9))
    complete(done)
    threshold_choose(actor=cast.actor("editor"), system=done.system_version.system, run=done, max_risk=1.0)
    collecting = make_run(cast, version)
    failed = make_run(cast, version)
    type(failed).objects.filter(pk=failed.pk).update(status="failed")
    failed.batches.create(index=0, first_output=0, last_output=0, size=0)
    item = done.outputs.select_related("entry__item").first().entry.item
    live = {"run": collecting.public_id}
    retry = {"run": failed.public_id}
    return {
        "team": cast.team.slug,
        "run": done.public_id,
        "system": "assistant",
        "suite": "default",
        "item": item.public_id,
        "external_id": item.external_id,
        "runs:complete": live,
        "runs:cancel": live,
        "runs:retry": retry,
        "api:runs-outputs": live,
        "api:runs-complete": live,
        "api:runs-cancel": live,
        "api:runs-retry-failed": retry,
        "api:systems-detail": {"system": "support/assistant"},
        "api:systems-versions": {"system": "support/assistant"},
        "api:systems-thresholds": {"system": "support/assistant"},
        "api:suites-detail": {"suite": "support/default"},
        "api:suites-versions": {"suite": "support/default"},
    }


def _outputs(cast: Cast, seeded: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"external_id": seeded["external_id"], "answer": "Twelve."}]


def _threshold(cast: Cast, seeded: dict[str, Any]) -> dict[str, Any]:
    return {"run": seeded["run"], "max_risk": 1.0}


_START = {
    "dataset": "support/runs-kb@1",
    "split": "dev",
    "system": {"ref": "support/assistant", "version": "v1"},
    "suite": "support/default",
}
_METRICS = ["answers.task_success v1"]
_READ, _WRITE = "runs:read", "runs:write"


def everybody(**more: Any) -> Any:
    return rest(None, None, **{"anyone": True, **more})  # type: ignore[arg-type]


TABLE: Table = {
    "runs:list": {"GET": page(Role.VIEWER)},
    "runs:new": {"GET": page(Role.EDITOR), "POST": form(Role.EDITOR, {}, allowed=422)},
    "runs:detail": {"GET": page(Role.VIEWER)},
    "runs:items": {"GET": page(Role.VIEWER)},
    "runs:item": {"GET": page(Role.VIEWER)},
    "runs:complete": {"POST": form(Role.EDITOR)},
    "runs:cancel": {"POST": form(Role.EDITOR)},
    "runs:threshold": {"POST": form(Role.EDITOR, {"max_risk": "1", "bound": "point"})},
    "runs:retry": {"POST": form(Role.EDITOR)},
    "runs:systems": {
        "GET": page(Role.VIEWER),
        "POST": form(Role.EDITOR, {"slug": "second", "name": "Second"}),
    },
    "runs:system": {"GET": page(Role.VIEWER), "POST": form(Role.EDITOR, {"label": "v9"})},
    "runs:suites": {
        "GET": page(Role.VIEWER),
        "POST": form(Role.EDITOR, {"slug": "own", "name": "Own", "metrics": _METRICS[0]}),
    },
    "runs:suite": {"GET": page(Role.VIEWER), "POST": form(Role.EDITOR, {"metrics": _METRICS[0]})},
    "api:runs": {"GET": everybody(), "POST": rest(Role.EDITOR, _WRITE, 201, data=_START)},
    "api:runs-detail": {"GET": rest(Role.VIEWER, _READ)},
    "api:runs-outputs": {"POST": rest(Role.EDITOR, _WRITE, data=_outputs)},
    "api:runs-complete": {"POST": rest(Role.EDITOR, _WRITE, 202)},
    "api:runs-cancel": {"POST": rest(Role.EDITOR, _WRITE)},
    "api:runs-retry-failed": {"POST": rest(Role.EDITOR, _WRITE, 202)},
    "api:runs-scores": {"GET": rest(Role.VIEWER, _READ)},
    "api:runs-items": {"GET": rest(Role.VIEWER, _READ)},
    "api:systems": {
        "GET": everybody(),
        "POST": rest(Role.EDITOR, _WRITE, 201, data={"team": "support", "slug": "third", "name": "Third"}),
    },
    "api:systems-detail": {"GET": rest(Role.VIEWER, _READ)},
    "api:systems-versions": {"POST": rest(Role.EDITOR, _WRITE, 201, data={"label": "v10"})},
    "api:runs-risk-coverage": {"GET": rest(Role.VIEWER, _READ)},
    "api:runs-robustness": {"GET": rest(Role.VIEWER, _READ)},
    "api:systems-thresholds": {
        "GET": rest(Role.VIEWER, _READ),
        "POST": rest(Role.EDITOR, _WRITE, 201, data=_threshold),
    },
    "api:suites": {
        "GET": everybody(),
        "POST": rest(Role.EDITOR, _WRITE, 201, data={"team": "support", "slug": "mine", "metrics": _METRICS}),
    },
    "api:suites-detail": {"GET": rest(Role.VIEWER, _READ)},
    "api:suites-versions": {"POST": rest(Role.EDITOR, _WRITE, 201, data={"metrics": _METRICS})},
}
