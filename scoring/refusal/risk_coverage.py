"""Risk against coverage as the system answers only above a confidence, AURC, and a threshold chosen on dev and locked.

Source: El-Yaniv and Wiener 2010; Geifman and El-Yaniv 2017. Items of equal confidence enter together, so that their
order changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from scoring.errors import ScoringError
from scoring.stats.clusters import as_values
from scoring.stats.wilson import wilson


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """Answering at confidence >= ``threshold``: share of items answered, and share of those that are wrong."""

    threshold: float
    coverage: float
    risk: float
    answered: int
    wrong: int


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """Points from the highest threshold to the lowest; ``aurc``: mean risk over the coverages 1/n, 2/n, …, 1."""

    points: tuple[RiskPoint, ...]
    aurc: float
    n: int


def risk_coverage(
    confidence: Sequence[float], wrong: Sequence[bool | float], *, n_total: int | None = None
) -> RiskCoverage:
    """Curve over n answers with their confidence and whether each was wrong (0 or 1).

    ``n_total`` counts all items where some were not answered at all (coverage is of these). Within a group of equal
    confidence the risk is that of a random order. Raises ScoringError for no answers, NaN, values of ``wrong`` other
    than 0 and 1, different lengths, or ``n_total`` below n.
    Worked example: confidence 0.9 0.8 0.7, wrong 0 1 0: risks 0, 1/2, 1/3; AURC 0.2778.
    """
    score = as_values(confidence, "confidence")
    error = as_values([float(w) for w in wrong], "wrong")
    if len(score) != len(error):
        raise ScoringError(f"confidence ({len(score)}) and wrong ({len(error)}) differ in length")
    n = len(score)
    if not n:
        raise ScoringError("confidence: is empty")
    if not np.isin(error, (0.0, 1.0)).all():
        raise ScoringError("wrong: holds a value that is neither 0 nor 1")
    total = n if n_total is None else n_total
    if total < n:
        raise ScoringError(f"n_total is {total}, below the {n} answers")
    points: list[RiskPoint] = []
    area, answered, mistakes = 0.0, 0, 0.0
    for threshold in np.unique(score)[::-1].tolist():
        group = error[score == threshold]
        size, bad = len(group), float(group.sum())
        steps = np.arange(1, size + 1)
        area += float(((mistakes + bad * steps / size) / (answered + steps)).sum())
        answered, mistakes = answered + size, mistakes + bad
        points.append(RiskPoint(threshold, answered / total, mistakes / answered, answered, int(mistakes)))
    return RiskCoverage(tuple(points), area / n, n)


def choose_threshold(
    curve: RiskCoverage, max_risk: float, *, split: str, upper_end: bool = False, confidence: float = 0.95
) -> RiskPoint | None:
    """The point of largest coverage whose risk (with ``upper_end``: its Wilson interval's upper end) is within the
    limit.

    ``split`` must be "dev": a threshold is chosen on dev and then locked; choosing on a frozen split raises
    ScoringError. None where no point is within the limit. Worked example: the curve above with limit 0.4: threshold
    0.7.
    """
    if split != "dev":
        raise ScoringError(f"split is {split!r}: a threshold is chosen on a dev split only")
    if not math.isfinite(max_risk) or not 0 <= max_risk <= 1:
        raise ScoringError(f"max_risk is {max_risk!r}, outside [0, 1]")
    best: RiskPoint | None = None
    for point in curve.points:
        risk = wilson(point.wrong, point.answered, confidence)[1] if upper_end else point.risk
        if risk <= max_risk + 1e-12:
            best = point
    return best


def at_threshold(
    confidence: Sequence[float], wrong: Sequence[bool | float], threshold: float, *, n_total: int | None = None
) -> RiskPoint | None:
    """What a threshold that was locked on dev gives on other items, such as a frozen split, which only reports it.

    Arguments as for ``risk_coverage``. None where no answer reaches the threshold: coverage is 0 and there is no risk.
    Raises ScoringError as ``risk_coverage`` does, and for a threshold that is not finite.
    Worked example: confidence 0.9 0.8 0.7, wrong 0 1 0, threshold 0.75: coverage 2/3, risk 1/2.
    """
    if not math.isfinite(threshold):
        raise ScoringError(f"threshold is {threshold!r}, not a finite number")
    curve = risk_coverage(confidence, wrong, n_total=n_total)
    reached = [point for point in curve.points if point.threshold >= threshold]
    return replace(reached[-1], threshold=threshold) if reached else None
