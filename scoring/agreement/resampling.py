"""Percentile bootstrap over items for coefficients that are functions of counts: equal items are grouped, drawn at
once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from scoring.stats.seeds import generator

Floats = NDArray[np.float64]
RESAMPLES = 2_000


def interval(
    counts: Floats, statistic: Callable[[Floats], Floats], seed: str, confidence: float = 0.95
) -> tuple[float | None, float | None]:
    """Percentile interval of ``statistic`` over multinomial redraws of ``counts`` (patterns).

    ``statistic`` maps (resamples, patterns) to (resamples) with NaN where it is not defined; such draws are left out.
    Fewer than two items, or fewer than half of the draws defined: no interval.
    """
    n = int(counts.sum())
    if n < 2:
        return None, None
    drawn = generator(seed, "agreement").multinomial(n, counts / counts.sum(), size=RESAMPLES).astype(np.float64)
    values = statistic(drawn)
    values = values[np.isfinite(values)]
    if len(values) < RESAMPLES / 2:
        return None, None
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(values, [tail, 1.0 - tail])
    return float(low), float(high)


def ratio(top: Floats, bottom: Floats) -> Floats:
    """Element-wise quotient; NaN, quietly, where the denominator is (nearly) 0: the coefficient is not defined
    there.
    """
    result = np.full(np.shape(top), np.nan)
    np.divide(top, bottom, out=result, where=np.abs(bottom) > 1e-12)
    return result
