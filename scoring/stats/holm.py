"""Holm's step-down adjustment of several p-values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from scoring.errors import ScoringError
from scoring.stats.clusters import as_values


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the given order (Holm 1979): each compared with the level alone keeps the family-wise rate.

    Raises ScoringError for a value outside [0, 1] or NaN; empty gives empty.
    Worked example: 0.01, 0.04, 0.03: 0.03, 0.06, 0.06.
    """
    values = as_values(p_values, "p_values")
    if ((values < 0) | (values > 1)).any():
        raise ScoringError("p_values: holds a value outside [0, 1]")
    m = len(values)
    order = np.argsort(values, kind="stable")
    stepped = np.minimum(1.0, np.maximum.accumulate(values[order] * (m - np.arange(m))))
    adjusted = np.empty(m)
    adjusted[order] = stepped
    return [float(p) for p in adjusted]
