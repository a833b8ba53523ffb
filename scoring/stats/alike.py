"""An interval where all values are alike: resampling sees no spread there, and would claim what it can't know."""

from __future__ import annotations

import math

from scoring.errors import ScoringError
from scoring.stats.bootstrap import Interval


def unseen_share(n: int, confidence: float = 0.95) -> float:
    """The share of other ones that n alike independent draws do not rule out: 1 - (alpha/2)^(1/n).

    The upper end of the exact binomial interval for 0 of n (Clopper and Pearson 1934). Raises ScoringError for n below
    1 or a confidence outside (0, 1). Worked example: 0 of 62: 0.0577.
    """
    if n < 1:
        raise ScoringError(f"n is {n}, below 1")
    if not 0.0 < confidence < 1.0:
        raise ScoringError(f"confidence is {confidence}, not between 0 and 1")
    return float(1.0 - ((1.0 - confidence) / 2.0) ** (1.0 / n))


def alike_interval(value: float, g: int, *, lowest: float, highest: float, confidence: float = 0.95) -> Interval:
    """Return the interval of a mean of which g independent clusters all show the same value.

    After g alike clusters a share of up to s = 1 - (alpha/2)^(1/g) of other ones can't be ruled out (the upper end of
    the exact binomial interval for 0 of g; Clopper and Pearson 1934), and those may lie anywhere in
    ``[lowest, highest]``: the interval is ``[value - s (value - lowest), value + s (highest - value)]``.

    Raises ScoringError for g below 1, or a number that is not finite. Worked example: 0 of 62 clusters differ,
    differences in [-1, 1]: s = 0.0577, so the mean difference is 0 with the interval [-0.0577, 0.0577].
    """
    if g < 1:
        raise ScoringError(f"g is {g}, below 1")
    for name, number in (("value", value), ("lowest", lowest), ("highest", highest)):
        if not math.isfinite(number):
            raise ScoringError(f"{name} is {number!r}, not finite")
    share = unseen_share(g, confidence)
    low = value - share * max(0.0, value - lowest)
    high = value + share * max(0.0, highest - value)
    return Interval(low, high, "exact binomial bound")
