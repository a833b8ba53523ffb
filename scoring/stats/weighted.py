"""A mean from a probability sample: each value weighted by the inverse of its inclusion probability (Hajek)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.errors import ScoringError
from scoring.stats.cluster_t import t_quantile
from scoring.stats.clusters import as_values


@dataclass(frozen=True, slots=True)
class WeightedMean:
    """``low``, ``high`` None under two sampled values in a stratum; ``effective_n``: Kish's, (sum w)^2 / sum w^2."""

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
    """Sum of y/p by sum of 1/p, with the linearised variance within strata and a t interval of n - strata degrees.

    Sampling fractions are taken as small (no finite population correction: the interval errs on the wide side).
    Raises ScoringError for no values, NaN, a probability outside (0, 1], or sequences of different length.
    Worked example: values 1 and 0 with probabilities 0.5 and 0.25: weights 2 and 4: 1/3. Equal probabilities: the plain
    mean and its t interval.
    """
    y, p = as_values(values, "values"), as_values(probabilities, "probabilities")
    if len(y) != len(p) or (strata is not None and len(strata) != len(y)):
        raise ScoringError("values, probabilities and strata differ in length")
    if not len(y):
        raise ScoringError("values: is empty")
    if ((p <= 0) | (p > 1)).any():
        raise ScoringError("probabilities: holds one outside (0, 1]")
    weight = 1.0 / p
    total = float(weight.sum())
    mean = float((weight * y).sum()) / total
    effective = total**2 / float((weight**2).sum())
    influence = weight * (y - mean) / total
    variance, groups = 0.0, list(dict.fromkeys(strata)) if strata is not None else [""]
    names = np.array(list(strata)) if strata is not None else np.full(len(y), "")
    for group in groups:
        part = influence[names == group]
        if len(part) < 2:
            return WeightedMean(mean, None, None, len(y), effective)
        variance += len(part) / (len(part) - 1) * float(((part - part.mean()) ** 2).sum())
    half = t_quantile(confidence, len(y) - len(groups)) * math.sqrt(variance)
    return WeightedMean(mean, mean - half, mean + half, len(y), effective)
