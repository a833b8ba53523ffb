"""Wilson score interval for a proportion, also with a fractional (effective) sample size."""

from __future__ import annotations

import math

from scipy.special import ndtri

from scoring.errors import ScoringError


def wilson(successes: float, n: float, confidence: float = 0.95) -> tuple[float, float]:
    """Interval ``(low, high)`` in [0, 1] for ``successes`` out of ``n`` (Wilson 1927), both in items.

    ``n`` may be fractional (items divided by the design effect). Raises ScoringError for n not above 0, successes
    outside [0, n] or not finite, or confidence outside (0, 1). Worked example: 8 of 10 at 95 %: (0.4902, 0.9433).
    """
    if not (math.isfinite(successes) and math.isfinite(n)):
        raise ScoringError("wilson: successes or n is not finite")
    if n <= 0:
        raise ScoringError(f"wilson: n is {n}, not above 0")
    if not -1e-9 <= successes <= n * (1 + 1e-9):
        raise ScoringError(f"wilson: successes {successes} are not between 0 and n {n}")
    z = normal_quantile(confidence)
    p = min(max(successes / n, 0.0), 1.0)
    denominator = 1.0 + z * z / n
    centre = (p + z * z / (2.0 * n)) / denominator
    half = z * math.sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n)) / denominator
    low = 0.0 if p == 0.0 else max(0.0, centre - half)
    high = 1.0 if p == 1.0 else min(1.0, centre + half)
    return low, high


def normal_quantile(confidence: float) -> float:
    """The two-sided standard normal quantile; raises ScoringError unless 0 < confidence < 1."""
    if not 0.0 < confidence < 1.0:
        raise ScoringError(f"confidence is {confidence}, not between 0 and 1")
    return float(ndtri(0.5 + confidence / 2.0))
