"""Rank correlation of two graded scores: Spearman's rho and Kendall's tau-b, ties counted; equal to scipy's.

Intervals by Fisher's z with the standard errors of Bonett and Wright 2000 (Spearman) and Fieller et al. 1957 (Kendall).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from scoring.agreement.result import Agreement
from scoring.errors import ScoringError
from scoring.stats.clusters import Floats, as_values
from scoring.stats.wilson import normal_quantile

_BLOCK = 4_000_000


def _paired(left: Sequence[float | None], right: Sequence[float | None]) -> tuple[Floats, Floats]:
    if len(left) != len(right):
        raise ScoringError(f"left ({len(left)}) and right ({len(right)}) differ in length")
    both = [(a, b) for a, b in zip(left, right, strict=True) if a is not None and b is not None]
    return as_values([a for a, _ in both], "left"), as_values([b for _, b in both], "right")


def _fisher(value: float, error: float, n: int, confidence: float, method: str) -> Agreement:
    half = normal_quantile(confidence) * error
    if abs(value) >= 1.0 - 1e-12:
        return Agreement(max(-1.0, min(1.0, value)), None, None, n, "none", "the ranks agree wholly: no interval")
    middle = math.atanh(value)
    return Agreement(value, math.tanh(middle - half), math.tanh(middle + half), n, method)


def spearman(left: Sequence[float | None], right: Sequence[float | None], *, confidence: float = 0.95) -> Agreement:
    """Pearson correlation of the mid-ranks; None drops the pair.

    Under two pairs or one value on a side: undefined; under four pairs: no interval. NaN raises ScoringError.
    Worked example: 1 2 3 4 against 1 3 2 4: 0.8.
    """
    x, y = _paired(left, right)
    n = len(x)
    if n < 2 or (x == x[0]).all() or (y == y[0]).all():
        return Agreement.undefined(n, "fewer than two pairs, or one value only")
    a, b = rankdata(x) - (n + 1) / 2, rankdata(y) - (n + 1) / 2
    value = float((a @ b) / math.sqrt(float(a @ a) * float(b @ b)))
    if n < 4:
        return Agreement(value, None, None, n, "none", "fewer than four pairs: no interval")
    return _fisher(value, math.sqrt((1.0 + value**2 / 2.0) / (n - 3)), n, confidence, "Fisher z, Bonett-Wright")


def kendall_tau_b(
    left: Sequence[float | None], right: Sequence[float | None], *, confidence: float = 0.95
) -> Agreement:
    """(concordant - discordant) / sqrt(pairs untied on the left * pairs untied on the right); None drops the pair.

    Edges as for ``spearman``; under five pairs: no interval. Time grows with the square of n, memory does not.
    Worked example: 1 2 3 4 against 1 3 2 4: (5 - 1) / 6 = 0.6667.
    """
    x, y = _paired(left, right)
    n = len(x)
    if n < 2 or (x == x[0]).all() or (y == y[0]).all():
        return Agreement.undefined(n, "fewer than two pairs, or one value only")
    top = left_pairs = right_pairs = 0.0
    block = max(1, _BLOCK // n)
    for start in range(0, n, block):
        a = np.sign(x[start : start + block, None] - x[None, :])
        b = np.sign(y[start : start + block, None] - y[None, :])
        top += float((a * b).sum())
        left_pairs += float(np.abs(a).sum())
        right_pairs += float(np.abs(b).sum())
    value = top / math.sqrt(left_pairs * right_pairs)
    if n < 5:
        return Agreement(value, None, None, n, "none", "fewer than five pairs: no interval")
    return _fisher(value, math.sqrt(0.437 / (n - 4)), n, confidence, "Fisher z, Fieller")
