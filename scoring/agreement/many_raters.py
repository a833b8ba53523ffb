"""Several raters: Fleiss' kappa and Krippendorff's alpha (nominal, ordinal, interval), missing labels allowed.

Sources: Fleiss 1971; Krippendorff, "Content Analysis" (2004), chapter 11. Equal to statsmodels' and the
``krippendorff`` package's on the same labels. Intervals: percentile bootstrap over items; where all
agree, the exact bound of ``resampling.bounded``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scoring.agreement.labels import Coded, Label, code
from scoring.agreement.resampling import Floats, bounded, ratio
from scoring.agreement.result import Agreement
from scoring.errors import ScoringError


def _patterns(coded: Coded) -> tuple[Floats, Floats]:
    """Distinct items as counts of labels per category (patterns, categories), and how many items have each."""
    k = len(coded.categories)
    counts = np.zeros((len(coded.codes), k))
    for column in range(coded.codes.shape[1]):
        given = coded.codes[:, column] >= 0
        np.add.at(counts, (np.flatnonzero(given), coded.codes[given, column]), 1.0)
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts):
        return counts, np.zeros(0)
    patterns, sizes = np.unique(counts, axis=0, return_counts=True)
    return patterns, sizes.astype(np.float64)


def fleiss_kappa(
    table: Sequence[Sequence[Label | None]], *, categories: Sequence[Label] | None = None, seed: str = ""
) -> Agreement:
    """Fleiss' kappa over items by raters; each item needs the same number (two or more) of labels.

    Raises ScoringError where the numbers of labels differ (use Krippendorff's alpha), or for a ragged table. One class
    only: undefined. Worked example: [[a, a], [a, b], [b, b], [b, b]]: observed 0.75, chance 0.53125, kappa 0.4667.
    """
    coded = code(table, categories)
    patterns, sizes = _patterns(coded)
    if not len(sizes):
        return Agreement.undefined(0, "no item has two labels")
    raters = patterns.sum(axis=1)
    if not (raters == raters[0]).all() or sizes.sum() != len(coded.codes):
        raise ScoringError("labels: the items have different numbers of labels; use Krippendorff's alpha")
    m = float(raters[0])
    agreed = ((patterns**2).sum(axis=1) - m) / (m * (m - 1.0))

    def statistic(drawn: Floats) -> Floats:
        n = drawn.sum(axis=1)
        share = drawn @ patterns / (n * m)[:, None]
        chance = (share**2).sum(axis=1)
        return ratio(drawn @ agreed / n - chance, 1.0 - chance)

    share = sizes @ patterns / (sizes.sum() * m)
    expected = float(1.0 - (share**2).sum())
    return _result(statistic(sizes[None, :]), sizes, statistic, seed, "one class only", expected)


def _result(
    value: Floats, sizes: Floats, statistic: Callable[[Floats], Floats], seed: str, reason: str, expected: float
) -> Agreement:
    n = int(sizes.sum())
    if not np.isfinite(value[0]):
        return Agreement.undefined(n, reason)
    low, high, method, none = bounded(sizes, float(value[0]), statistic, seed, expected)
    return Agreement(float(value[0]), low, high, n, method, none)


def krippendorff_alpha(
    table: Sequence[Sequence[Label | None]],
    *,
    level: str = "nominal",
    categories: Sequence[Label] | None = None,
    seed: str = "",
) -> Agreement:
    """1 - observed / expected disagreement over items by raters, missing labels as None or NaN.

    ``level``: nominal, ordinal (over the order of the categories), interval (numbers). Items with fewer than two labels
    are left out. All labels alike: undefined. Raises ScoringError for another level, or interval on texts.
    Worked example (nominal): [[1, 1], [1, 2], [2, 2], [2, 2]]: coincidences 1-1: 2, 2-2: 4, 1-2: 2 of 8; alpha =
    0.5333.
    """
    if level not in ("nominal", "ordinal", "interval"):
        raise ScoringError(f"level is {level!r}, none of nominal, ordinal, interval")
    coded = code(table, categories)
    if level == "interval" and coded.points is None:
        raise ScoringError("labels: an interval alpha needs numbers")
    patterns, sizes = _patterns(coded)
    if not len(sizes):
        return Agreement.undefined(0, "no item has two labels")
    k = len(coded.categories)
    per_item = patterns[:, :, None] * patterns[:, None, :]
    per_item[:, np.arange(k), np.arange(k)] -= patterns
    per_item /= (patterns.sum(axis=1) - 1.0)[:, None, None]
    flat = per_item.reshape(len(patterns), -1)

    def statistic(drawn: Floats) -> Floats:
        values = np.empty(len(drawn))
        block = max(1, 2_000_000 // (k * k))
        for start in range(0, len(drawn), block):
            cells = (drawn[start : start + block] @ flat).reshape(-1, k, k)
            margin = cells.sum(axis=2)
            total = margin.sum(axis=1)
            apart = _distances(level, coded.points, margin)
            observed = (cells * apart).sum(axis=(1, 2))
            expected = (margin[:, :, None] * margin[:, None, :] * apart).sum(axis=(1, 2))
            values[start : start + block] = 1.0 - ratio(observed * (total - 1.0), expected)
        return values

    margin = (sizes @ flat).reshape(k, k).sum(axis=1)
    apart = _distances(level, coded.points, margin[None, :])[0]
    total, widest = float(margin.sum()), float(apart.max(initial=0.0))
    expected = float((np.outer(margin, margin) * apart).sum()) / (total * (total - 1.0) * widest) if widest else 0.0
    return _result(statistic(sizes[None, :]), sizes, statistic, seed, "all labels are alike", expected)


def _distances(level: str, points: Floats | None, margin: Floats) -> Floats:
    """Squared distances of the categories (1 or resamples, k, k); the ordinal ones depend on the margins."""
    k = margin.shape[1]
    if level == "nominal":
        return (1.0 - np.eye(k))[None]
    if level == "interval":
        assert points is not None
        spread: Floats = ((points[:, None] - points[None, :]) ** 2)[None]
        return spread
    # Labels between the two categories, the ends counted half.
    middle = np.cumsum(margin, axis=1) - margin / 2.0
    apart: Floats = (middle[:, :, None] - middle[:, None, :]) ** 2
    return apart
