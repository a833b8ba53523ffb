"""Systems and runs for tests, made by the services themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.test import TestCase

from core_app.actors import SYSTEM, Actor
from datasets_app.models import DatasetVersion
from datasets_app.selectors import entries_of
from runs_app.models import Run, SuiteVersion, SystemVersion
from runs_app.services.outputs import outputs_push
from runs_app.services.runs import run_complete, run_create
from runs_app.services.suites import default_suite
from runs_app.services.systems import system_get_or_create, system_version_get_or_create
from tests.conftest import Cast


def make_system_version(cast: Cast, label: str = "v1", slug: str = "assistant", **extra: Any) -> SystemVersion:
    system, _made = system_get_or_create(actor=cast.actor("editor"), team=cast.team, slug=slug, name="Assistant")
    version, _made = system_version_get_or_create(actor=cast.actor("editor"), system=system, label=label, **extra)
    return version


def make_run(
    cast: Cast,
    version: DatasetVersion,
    *,
    split: str = "dev",
    actor: Actor | None = None,
    system_version: SystemVersion | None = None,
    suite_version: SuiteVersion | None = None,
    **extra: Any,
) -> Run:
    """Return a run that collects; on a frozen split the system itself starts it, unless an actor is given."""
    who = actor or (SYSTEM if split == "frozen" else cast.actor("editor"))
    return run_create(
        actor=who,
        dataset_version=version,
        split=split,
        system_version=system_version or make_system_version(cast),
        suite_version=suite_version or default_suite(cast.team, actor=cast.actor("editor")),
        **extra,
    )


def answers(run: Run, **fields: Any) -> list[dict[str, Any]]:
    """Return one answered output for each item and repeat, its gold chunk first of two in every stage."""
    rows = []
    for entry in entries_of(run.dataset_version, run.split, run.tier):
        relevant = next(iter(entry.revision.content.get("relevance") or {"chunk-0": 1}))
        units = [{"id": relevant}, {"id": "other"}]
        for repeat in range(1, run.repeats + 1):
            rows.append(
                {
                    "external_id": entry.item.external_id,
                    "repeat": repeat,
                    "answer": f"The answer to {entry.item.external_id}.",
                    "outcome": "answered",
                    "retrieved": {"coarse": units, "reranked": units, "prompt": units},
                    **fields,
                }
            )
    return rows


def push(run: Run, rows: list[Any], actor: Actor = SYSTEM, **more: Any) -> Mapping[str, int]:
    return outputs_push(actor=actor, run=run, rows=rows, **more)


def complete(run: Run, actor: Actor = SYSTEM) -> Run:
    """End the collection and let the eager workers score: what waits for the commit runs here."""
    with TestCase.captureOnCommitCallbacks(execute=True):
        run_complete(actor=actor, run=run)
    run.refresh_from_db()
    return run


def make_completed_run(
    cast: Cast, version: DatasetVersion, *, fields: Mapping[str, Any] | None = None, **extra: Any
) -> Run:
    run = make_run(cast, version, **extra)
    push(run, answers(run, **(fields or {})))
    return complete(run)
