"""What may be claimed from an interval: improved, regressed, equivalent, or nothing; and the non-inferiority verdict.

All figures are oriented so that up is better. Noise is the band within which two runs of one system fall; it only makes
a claim harder.
"""

from __future__ import annotations

import math
from enum import StrEnum

from scoring.errors import ScoringError


class Verdict(StrEnum):
    """Of a comparison."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"


class NonInferiority(StrEnum):
    """Of a non-inferiority rule."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


def _check(name: str, value: float) -> None:
    if not math.isfinite(value) or value < 0:
        raise ScoringError(f"{name} is {value!r}, not a finite number from 0 up")


def _check_interval(estimate: float | None, low: float | None, high: float | None) -> None:
    for name, value in (("estimate", estimate), ("low", low), ("high", high)):
        if value is not None and not math.isfinite(value):
            raise ScoringError(f"{name} is {value!r}, not a finite number")
    if low is not None and high is not None and low > high:
        raise ScoringError(f"low ({low}) is above high ({high})")


def verdict(
    estimate: float | None, low: float | None, high: float | None, eps: float = 0.03, noise: float = 0.0
) -> Verdict:
    """Improved: low > 0 and estimate > max(eps, noise). Regressed: likewise below. Equivalent: the interval inside
    (-eps, eps) and noise <= eps. Else, or without an interval, inconclusive.

    Raises ScoringError for a negative or not finite eps or noise, or an interval that is not finite or the wrong way
    round. Worked examples (eps 0.03): 0.05 in [0.01, 0.09]
    improved; 0.02 in [0.01, 0.028] equivalent; 0.02 in [0.01, 0.04] inconclusive.
    """
    _check("eps", eps)
    _check("noise", noise)
    _check_interval(estimate, low, high)
    if estimate is None or low is None or high is None:
        return Verdict.INCONCLUSIVE
    threshold = max(eps, noise)
    if low > 0 and estimate > threshold:
        return Verdict.IMPROVED
    if high < 0 and estimate < -threshold:
        return Verdict.REGRESSED
    if -eps < low and high < eps and noise <= eps:
        return Verdict.EQUIVALENT
    return Verdict.INCONCLUSIVE


def non_inferiority(
    low: float | None, high: float | None, estimate: float | None, margin: float, noise: float = 0.0
) -> NonInferiority:
    """Pass if low > -margin; fail if high < -margin, or if high < 0 and estimate < -margin; else inconclusive.

    Inconclusive too without an interval or where the noise band is wider than the margin. Raises ScoringError for a
    negative margin or noise. Worked examples (margin 0.02): [-0.01, 0.03] pass; [-0.08, -0.03] fail; [-0.05, 0.01]
    inconclusive; [-0.06, -0.01] with estimate -0.03 fail.
    """
    _check("margin", margin)
    _check("noise", noise)
    _check_interval(estimate, low, high)
    if low is None or high is None or estimate is None or noise > margin:
        return NonInferiority.INCONCLUSIVE
    if low > -margin:
        return NonInferiority.PASS
    if high < -margin or (high < 0 and estimate < -margin):
        return NonInferiority.FAIL
    return NonInferiority.INCONCLUSIVE
