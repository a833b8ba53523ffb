"""The alternative annotator test: may the judge stand in for a human? (Calderon, Reichart and Dror 2025)

Each annotator in turn is left out; item by item the judge and the left-out person are compared with the remaining
annotators, who serve as the reference. The judge wins against that person when its chance of aligning at least as well
is not lower than the person's by more than ``epsilon`` (what a person costs more than a judge), by a one-sided t test,
Benjamini-Yekutieli-adjusted over the annotators. The judge passes when it wins against at least half of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from scoring.agreement.labels import Label, is_given
from scoring.errors import ScoringError
from scoring.stats.clusters import Floats
from scoring.stats.wilson import wilson


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Against one annotator: chances of aligning at least as well, items compared, p-value, adjusted, judge won?"""

    annotator: int
    judge: float
    human: float
    n: int
    p_value: float
    adjusted: float
    won: bool


@dataclass(frozen=True, slots=True)
class AlternativeAnnotator:
    """``winning_rate``: share of annotators won against (with its Wilson interval); ``advantage``: mean judge
    chance.
    """

    winning_rate: float
    low: float
    high: float
    advantage: float
    passed: bool
    against: tuple[LeftOut, ...]
    warnings: tuple[str, ...]


def _alignment(label: Label, others: Sequence[Label], metric: str) -> float:
    if metric == "accuracy":
        return sum(label == other for other in others) / len(others)
    return -math.sqrt(sum((float(label) - float(other)) ** 2 for other in others) / len(others))


def _check_numbers(labels: Sequence[Label | None], name: str) -> None:
    for label in labels:
        if not is_given(label):
            continue
        if isinstance(label, str):
            raise ScoringError(f"{name}: {label!r} is not a number, which rmse needs")
        if math.isinf(label):
            raise ScoringError(f"{name}: holds infinity")


def _by_yekutieli(p_values: Sequence[float]) -> list[float]:
    m = len(p_values)
    order = np.argsort(p_values, kind="stable")
    factor = m * sum(1.0 / i for i in range(1, m + 1))
    scaled: Floats = np.array([p_values[i] for i in order]) * factor / np.arange(1, m + 1)
    stepped = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    adjusted = np.empty(m)
    adjusted[order] = stepped
    return [float(p) for p in adjusted]


def _one_sided(differences: Sequence[float], epsilon: float) -> float:
    """p of the null "the human's advantage is at least epsilon"."""
    values = np.asarray(differences)
    n, mean = len(values), float(values.mean())
    error = float(values.std(ddof=1)) / math.sqrt(n)
    if error <= 1e-12:
        # Differences are at most 1, so a mean of epsilon needs a share of at least (epsilon - mean) / (1 - mean) above
        # what was seen n times; a t test would see no spread and be sure after two items.
        return float((1.0 - (epsilon - mean) / (1.0 - mean)) ** n) if mean < epsilon else 1.0
    return float(stdtr(n - 1, (mean - epsilon) / error))


def alternative_annotator_test(
    judge: Sequence[Label | None],
    humans: Sequence[Sequence[Label | None]],
    *,
    epsilon: float = 0.2,
    alpha: float = 0.05,
    metric: str = "accuracy",
    least_items: int = 2,
) -> AlternativeAnnotator:
    """Test a judge's n labels against n items by two or more annotators (None where one did not label).

    ``metric``: accuracy for classes, rmse for graded labels. An item counts against an annotator when the judge, that
    annotator and somebody else labelled it. Under 30 such items there is a warning. Raises ScoringError for fewer than
    two annotators, an annotator with fewer than ``least_items`` items, or a wrong setting.
    Worked example: a judge that gives the label on which all three annotators agree, on 40 items, wins against each:
    rate 1; on 10 items against none, since 0.8^10 = 0.107.
    """
    if metric not in ("accuracy", "rmse"):
        raise ScoringError(f"metric is {metric!r}, neither accuracy nor rmse")
    if not 0 <= epsilon < 1 or not 0 < alpha < 1:
        raise ScoringError(f"epsilon {epsilon!r} or alpha {alpha!r} is out of range")
    if len(judge) != len(humans):
        raise ScoringError(f"judge ({len(judge)}) and humans ({len(humans)}) differ in length")
    width = len(humans[0]) if len(humans) else 0
    if width < 2:
        raise ScoringError("humans: needs at least two annotators")
    for place, row in enumerate(humans):
        if len(row) != width:
            raise ScoringError(f"humans: item {place} has {len(row)} labels, item 0 has {width}")
    if metric == "rmse":
        _check_numbers(judge, "judge")
        for row in humans:
            _check_numbers(row, "humans")
    rows: list[tuple[float, float, int, float]] = []
    warnings: list[str] = []
    for left_out in range(width):
        judge_wins, human_wins = _compare(judge, humans, left_out, metric)
        if len(judge_wins) < max(2, least_items):
            raise ScoringError(
                f"humans: annotator {left_out} shares only {len(judge_wins)} items with judge and others"
            )
        if len(judge_wins) < 30:
            warnings.append(f"annotator {left_out}: only {len(judge_wins)} items, 30 are recommended")
        p_value = _one_sided([h - j for j, h in zip(judge_wins, human_wins, strict=True)], epsilon)
        rows.append((float(np.mean(judge_wins)), float(np.mean(human_wins)), len(judge_wins), p_value))
    adjusted = _by_yekutieli([row[3] for row in rows])
    against = tuple(
        LeftOut(place, *row, adjusted=p, won=p < alpha)
        for place, (row, p) in enumerate(zip(rows, adjusted, strict=True))
    )
    wins = sum(a.won for a in against)
    low, high = wilson(wins, width)
    advantage = float(np.mean([a.judge for a in against]))
    return AlternativeAnnotator(wins / width, low, high, advantage, wins / width >= 0.5, against, tuple(warnings))


def _compare(
    judge: Sequence[Label | None], humans: Sequence[Sequence[Label | None]], left_out: int, metric: str
) -> tuple[list[float], list[float]]:
    judge_wins: list[float] = []
    human_wins: list[float] = []
    for given, row in zip(judge, humans, strict=True):
        mine = row[left_out]
        others = [label for place, label in enumerate(row) if place != left_out and is_given(label)]
        if not is_given(given) or not is_given(mine) or not others:
            continue
        of_judge, of_human = _alignment(given, others, metric), _alignment(mine, others, metric)
        judge_wins.append(float(of_judge >= of_human))
        human_wins.append(float(of_human >= of_judge))
    return judge_wins, human_wins
