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
