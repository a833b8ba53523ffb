"""Runs against the budget of a frozen split: what is charged, what is refused, what a gate says of a spent split."""

from __future__ import annotations

from typing import Any

import pytest

from core_app.actors import SYSTEM
from datasets_app.models import DatasetVersion, ExposureEntry
from datasets_app.selectors import exposure_usage
from datasets_app.services import exposure_budget_set
from datasets_app.states import Level
from runs_app.models import Run
from runs_app.services.gates import gate_check
from runs_app.services.runs import run_cancel
from tests.conftest import Cast
from tests.datasets_app.factories import grant, make_frozen
from tests.runs_app.decisions import make_gate
from tests.runs_app.factories import make_completed_run, make_run

pytestmark = pytest.mark.django_db


def limited(cast: Cast, runs: int) -> DatasetVersion:
    version = make_frozen(cast)
    exposure_budget_set(
        actor=cast.actor("steward"), version=version, runs_per_period=100, period_days=30, runs_lifetime=runs
    )
    return version


def started(cast: Cast, version: DatasetVersion) -> Any:
    body = {
        "dataset": version.ref,
        "split": "frozen",
        "system": {"ref": "support/assistant", "version": "v1"},
        "mode": "push",
    }
    return cast.api("editor").post("/api/v1/runs", body, format="json")


def test_past_the_budget_no_run_is_made_and_the_refusal_says_how_to_go_on(cast: Cast) -> None:
    version = limited(cast, 1)
    grant(cast, version.dataset, "editor", Level.QUESTIONS)
    assert started(cast, version).status_code == 201
    refused = started(cast, version)
    assert (refused.status_code, refused.json()["code"]) == (409, "exposure_spent")
    assert "steward" in refused.json()["detail"]
    assert Run.objects.count() == ExposureEntry.objects.filter(use="run").count() == 1


def test_a_cancelled_run_stays_charged(cast: Cast) -> None:
    version = limited(cast, 2)
    run_cancel(actor=SYSTEM, run=make_run(cast, version, split="frozen"))
    assert (exposure_usage(version).life_used, exposure_usage(version).left) == (1, 1)


def test_a_dev_run_costs_nothing(cast: Cast) -> None:
    version = limited(cast, 1)
    make_run(cast, version)
    assert exposure_usage(version).life_used == 0


@pytest.mark.parametrize(("runs", "passes"), [(1, False), (2, True)])
def test_a_check_that_asks_for_it_never_passes_on_a_spent_split(cast: Cast, runs: int, passes: bool) -> None:
    version = limited(cast, runs)
    run = make_completed_run(cast, version, split="frozen")
    check = gate_check(actor=SYSTEM, gate=make_gate(cast, [{"kind": "split_not_spent"}]), run=run)
    assert (check.verdict == "pass") is passes
    assert check.rules[0]["code"] == ("holds" if passes else "split_spent")
