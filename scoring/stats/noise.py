"""A judge's noise: how far two runs of one system fall apart because the judge does not repeat itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.errors import ScoringError
from scoring.stats.clusters import as_values
from scoring.stats.wilson import normal_quantile


@dataclass(frozen=True, slots=True)
class JudgeNoise:
    """``sd``: within-item standard deviation of one judgement; ``degrees``: degrees of freedom behind it."""

    sd: float
    n_items: int
    degrees: int

    def band(self, items: int, judge_repeats: int = 1, confidence: float = 0.95) -> float:
        """The difference of two runs' means that 95 % of pairs of runs of one system stay within.

        ``1.96 * sqrt(2) * sd / sqrt(items * judge_repeats)``. Raises ScoringError for items or repeats below 1.
        Worked example: sd 0.1, 100 items: 0.0277.
        """
        if items < 1 or judge_repeats < 1:
            raise ScoringError(f"items ({items}) and judge_repeats ({judge_repeats}) must be at least 1")
        return normal_quantile(confidence) * math.sqrt(2.0) * self.sd / math.sqrt(items * judge_repeats)

    def repeats_for(self, eps: float, items: int, confidence: float = 0.95) -> int:
        """Judge repeats per output at which the band is within ``eps``, so that noise no longer rules the verdict.

        Raises ScoringError for eps not above 0 or items below 1. Worked example: sd 0.3, 100 items, eps 0.03: 8.
        """
        if not math.isfinite(eps) or eps <= 0:
            raise ScoringError(f"eps is {eps!r}, not a finite number above 0")
        return max(1, math.ceil((self.band(items, 1, confidence) / eps) ** 2 - 1e-9))


def effective_eps(eps: float, noise: float) -> float:
    """The difference that a claim must pass: the larger of eps and the judge noise band, as ``verdict`` has it.

    Raises ScoringError for a negative or not finite value. Worked example: eps 0.03, noise 0.05: 0.05.
    """
    for name, value in (("eps", eps), ("noise", noise)):
        if not math.isfinite(value) or value < 0:
            raise ScoringError(f"{name} is {value!r}, not a finite number from 0 up")
    return max(eps, noise)


def judge_noise(repeats: Mapping[str, Sequence[float]]) -> JudgeNoise:
    """Pooled within-item standard deviation over items judged twice or more (others are left out).

    Raises ScoringError where no item was judged twice, or for NaN. Worked example: a: 0.4, 0.6; b: 0.5, 0.5: 0.1.
    """
    squares, degrees, items = 0.0, 0, 0
    for item, values in sorted(repeats.items()):
        array = as_values(values, f"repeats of {item}")
        if len(array) < 2:
            continue
        squares += float(((array - array.mean()) ** 2).sum())
        degrees += len(array) - 1
        items += 1
    if not degrees:
        raise ScoringError("repeats: no item was judged twice")
    return JudgeNoise(math.sqrt(squares / degrees), items, degrees)
