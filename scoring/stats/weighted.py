"""A mean from a probability sample: each value weighted by the inverse of its inclusion probability (Hajek)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.errors import ScoringError
from scoring.stats.cluster_t import t_quantile
from scoring.stats.clusters import Floats, as_values
from scoring.stats.wilson import wilson


@dataclass(frozen=True, slots=True)
class WeightedMean:
    """``low``, ``high`` None under two sampled values in a stratum, or where no spread was seen that could give them;
    ``effective_n``: Kish's, (sum w)^2 / sum w^2.
    """

    value: float
    low: float | None
    high: float | None
    n: int
    effective_n: float


def weighted_mean(
    values: Sequence[float],
    probabilities: Sequence[float],
    strata: Sequence[str] | None = None,
    *,
    confidence: float = 0.95,
) -> WeightedMean:
    """Sum of y/p by sum of 1/p, with an interval.

    Of 0/1 values drawn with equal probabilities within each stratum: Wilson's interval in each, put together by the
    method of variance estimates recovery (Zou and Donner 2008), which holds where a stratum shows hardly any failures.
    Else: the linearised variance within strata and a t interval of n - strata degrees. Sampling fractions are taken as
    small (no finite population correction: the interval errs on the wide side).

    Raises ScoringError for no values, NaN, a probability outside (0, 1], or sequences of different length.
    Worked example: values 1 and 0 with probabilities 0.5 and 0.25: weights 2 and 4: 1/3. Equal probabilities: the plain
    mean, with its t interval or, of 0/1 values, Wilson's.
    """
    y, p = as_values(values, "values"), as_values(probabilities, "probabilities")
    if len(y) != len(p) or (strata is not None and len(strata) != len(y)):
        raise ScoringError("values, probabilities and strata differ in length")
    if not len(y):
        raise ScoringError("values: is empty")
    if ((p <= 0) | (p > 1)).any():
        raise ScoringError("probabilities: holds one outside (0, 1]")
    weight = 1.0 / p
    names = np.array(list(strata)) if strata is not None else np.full(len(y), "")
    groups = list(dict.fromkeys(names.tolist()))
    total = float(weight.sum())
    mean = float((weight * y).sum()) / total
    effective = total**2 / float((weight**2).sum())
    members = [names == group for group in groups]
    low, high = _ends(y, weight, mean, members, confidence)
    return WeightedMean(mean, low, high, len(y), effective)


def _ends(
    y: Floats, weight: Floats, mean: float, members: list[NDArray[np.bool_]], confidence: float
) -> tuple[float | None, float | None]:
    if any(int(member.sum()) < 2 for member in members):
        return None, None
    total = float(weight.sum())
    binary = bool(np.isin(y, (0.0, 1.0)).all())
    if binary and all(float(np.ptp(weight[member])) <= 1e-9 * float(weight[member].max()) for member in members):
        below = above = 0.0
        for member in members:
            n, share = int(member.sum()), float(weight[member].sum()) / total
            rate = float(y[member].mean())
            low, high = wilson(rate * n, n, confidence)
            below, above = below + (share * (rate - low)) ** 2, above + (share * (high - rate)) ** 2
        return max(0.0, mean - math.sqrt(below)), min(1.0, mean + math.sqrt(above))
    if float(np.ptp(y)) == 0.0:
        return None, None
    influence = weight * (y - mean) / total
    variance = 0.0
    for member in members:
        part = influence[member]
        variance += len(part) / (len(part) - 1) * float(((part - part.mean()) ** 2).sum())
    half = t_quantile(confidence, len(y) - len(members)) * math.sqrt(variance)
    return mean - half, mean + half
