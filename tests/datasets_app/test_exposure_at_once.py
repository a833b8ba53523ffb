"""Two runs started at the same moment on a split with one run left."""

from __future__ import annotations

from typing import Any

import pytest

from core_app.actors import SYSTEM
from core_app.errors import Conflict
from datasets_app.models import DatasetVersion, ExposureEntry
from datasets_app.services import exposure_budget_set, exposure_charge, version_freeze
from tests.datasets_app.test_two_at_once import Scene, at_once


def charge(version: DatasetVersion, run_ref: str) -> Any:
    return exposure_charge(
        actor=SYSTEM, version=version, split="frozen", items=8, system_ref="race/a@v1", run_ref=run_ref
    )


@pytest.fixture
def scene(database_copy: None) -> Scene:
    return Scene()


@pytest.mark.parametrize("attempt", range(3))
def test_of_two_runs_at_once_exactly_one_gets_the_last_of_the_budget(scene: Scene, attempt: int) -> None:
    version = version_freeze(actor=scene.one, version=scene.draft, note="x")
    exposure_budget_set(actor=scene.one, version=version, runs_per_period=9, period_days=30, runs_lifetime=1)
    found = at_once(lambda: charge(version, "run_a"), lambda: charge(version, "run_b"))
    assert sum(isinstance(item, Conflict) for item in found) == 1
    assert ExposureEntry.objects.filter(version=version).count() == 1
