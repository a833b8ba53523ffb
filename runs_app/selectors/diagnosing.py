"""Where a run, or one answer, loses: the rules of `scoring.diagnosis` under the suite's thresholds, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runs_app.models import Run
from runs_app.wording import explained
from scoring.diagnosis import Thresholds, diagnose
from scoring.identity import MetricIdentity


def thresholds_of(run: Run) -> Thresholds:
    """Return the suite's thresholds, the usual ones where it sets none."""
    given = run.suite_version.settings.get("diagnosis") or {}
    return Thresholds(**{key: value for key, value in given.items() if key in Thresholds.__dataclass_fields__})


def findings_of(values: Mapping[MetricIdentity, float], limits: Thresholds) -> list[dict[str, Any]]:
    """Return each finding as `{"symptom", "layer", "figures": [(identity, value), …]}`, the texts translated."""
    return [
        {
            "symptom": explained(found.symptom),
            "layer": explained(found.layer),
            "figures": list(found.figures.items()),
        }
        for found in diagnose(values, limits)
    ]
