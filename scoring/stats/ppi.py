"""Prediction-powered mean: a judge on all outputs, people on a random subset, and an honest interval for the truth.

theta = lambda * mean(judge, unlabelled) + mean(human - lambda * judge, labelled). Source: Angelopoulos, Duchi and Zrnic
2023 (PPI++, arXiv 2311.01453); equal to ppi-python's mean estimate and interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.errors import ScoringError
from scoring.stats.alike import alike_interval
from scoring.stats.clusters import Floats, as_values
from scoring.stats.wilson import normal_quantile


@dataclass(frozen=True, slots=True)
class PredictionPowered:
    """``estimate`` of the human mean with its interval; ``raw_judge``: the judge's mean over all, for comparison."""

    estimate: float
    low: float
    high: float
    power: float
    n_labelled: int
    n_unlabelled: int
    raw_judge: float


def _tuned(human: Floats, judge: Floats, unlabelled: Floats) -> float:
    """The lambda that makes the variance least, cut to [0, 1]; 0 where the judge does not vary."""
    n, rest = len(human), len(unlabelled)
    together = np.concatenate([judge, unlabelled])
    spread = float(together.var(ddof=1))
    if spread <= 1e-15:
        return 0.0
    covariance = float(((human - human.mean()) * (judge - judge.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1.0 + n / rest) * spread)))


def ppi_mean(
    human: Sequence[float],
    judge_labelled: Sequence[float],
    judge_unlabelled: Sequence[float],
    *,
    power: float | None = None,
    confidence: float = 0.95,
) -> PredictionPowered:
    """Estimate from n human labels, the judge on the same n items, and the judge on N other items of the run.

    The labelled items must be a simple random sample of the run. ``power`` is lambda; None tunes it, 0 is the plain
    mean of the human labels, 1 is untuned PPI. Where nothing varies at all, in values of [0, 1], the exact bound of
    ``alike`` stands for an interval without width.

    Raises ScoringError for fewer than two labelled or no unlabelled items, NaN, or sequences of different length.
    Worked example: human 1 0 1 0, judge 1 0 1 0 there and 1 1 0 0 elsewhere, power 1: 0.5.
    """
    truth = as_values(human, "human")
    judge = as_values(judge_labelled, "judge_labelled")
    rest = as_values(judge_unlabelled, "judge_unlabelled")
    if len(truth) != len(judge):
        raise ScoringError(f"human ({len(truth)}) and judge_labelled ({len(judge)}) differ in length")
    if len(truth) < 2:
        raise ScoringError("human: needs at least two labels")
    if not len(rest):
        raise ScoringError("judge_unlabelled: is empty")
    if power is None:
        power = _tuned(truth, judge, rest)
    elif not math.isfinite(power):
        raise ScoringError("power is not finite")
    rectifier = truth - power * judge
    estimate = power * float(rest.mean()) + float(rectifier.mean())
    error = math.sqrt(power**2 * float(rest.var()) / len(rest) + float(rectifier.var()) / len(truth))
    half = normal_quantile(confidence) * error
    low, high = estimate - half, estimate + half
    if error <= 1e-12 and min(truth.min(), rest.min()) >= 0.0 and max(truth.max(), rest.max()) <= 1.0:
        bound = alike_interval(estimate, len(truth), lowest=0.0, highest=1.0, confidence=confidence)
        low, high = bound.low, bound.high
    raw = float(np.concatenate([judge, rest]).mean())
    return PredictionPowered(estimate, low, high, power, len(truth), len(rest), raw)
