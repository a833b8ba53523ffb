"""Small builders shared by the scoring tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scoring.registry import identity
from scoring.score import score_batch
from scoring.types import EvalItem, Score, SystemOutput

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"


def shared(folder: str) -> Path:
    """A folder of the public sample data; skips the test where it is absent."""
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"the public sample data ../shared/data/{folder} is not here")
    return path


def item(external_id: str = "q", **fields: Any) -> EvalItem:
    return EvalItem.from_native({"external_id": external_id, **fields})


def output(external_id: str = "q", **fields: Any) -> SystemOutput:
    return SystemOutput.from_native({"external_id": external_id, **fields})


def listed(*units: Any, stage: str = "coarse", external_id: str = "q") -> SystemOutput:
    return output(external_id, answer="x", outcome="answered", retrieved={stage: list(units)})


def score(metric: str, one_item: EvalItem, one_output: SystemOutput, stage: str | None = None, **params: Any) -> Score:
    return score_batch([identity(metric, stage=stage, **params)], [one_item], [one_output])[0][0]
