"""Two raters: Cohen's kappa (plain, linear, quadratic), Gwet's AC1 and AC2, Matthews correlation, raw agreement.

Items that one of the two did not label are left out. Intervals: percentile bootstrap over items; where all agree, the
exact bound of ``resampling.bounded``; of raw agreement Wilson's.
Sources: Cohen 1960 and 1968; Gwet 2008; Gorodkin 2004 for several classes. Equal to scikit-learn's on the same labels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from scoring.agreement.labels import Label, pair
from scoring.agreement.resampling import Floats, bounded, ratio
from scoring.agreement.result import Agreement
from scoring.errors import ScoringError
from scoring.stats.wilson import wilson

NO_ITEM = "no item is labelled by both"
ONE_CLASS = "both raters use one class only"
ONE_SIDE = "a rater uses one class only"
ONE_CATEGORY = "one category only"
ALL_CHANCE = "chance agreement is 1"


def agreement_weights(k: int, weights: str | None) -> Floats:
    """Agreement weights (k, k): 1 on the diagonal, falling with the distance of the categories for linear,
    quadratic.
    """
    place = np.arange(k, dtype=np.float64)
    distance = np.abs(place[:, None] - place[None, :]) / max(k - 1, 1)
    if weights is None:
        return np.eye(k)
    if weights == "linear":
        return 1.0 - distance
    if weights == "quadratic":
        return 1.0 - distance**2
    raise ScoringError(f"weights is {weights!r}, none of None, linear, quadratic")


Statistic = Callable[[Floats], Floats]


def kappa_statistic(weight: Floats) -> Statistic:
    """Cohen's kappa of flattened confusion matrices (m, k * k), counts or weights, as values (m)."""
    k, flat_weight = len(weight), weight.reshape(-1)

    def statistic(flat: Floats) -> Floats:
        cells = flat.reshape(-1, k, k)
        total = cells.sum(axis=(1, 2))
        expected = np.einsum("ri,rj->rij", cells.sum(axis=2), cells.sum(axis=1)).reshape(len(flat), -1) @ flat_weight
        return ratio((flat @ flat_weight) * total - expected, total**2 - expected)

    return statistic


def kappa_chance(matrix: Floats, weight: Floats) -> float:
    """Agreement that kappa expects by chance; 0 for an empty matrix."""
    total = float(matrix.sum())
    return float((np.outer(matrix.sum(axis=1), matrix.sum(axis=0)) * weight).sum()) / total**2 if total else 0.0


def gwet_statistic(weight: Floats) -> Statistic:
    """Gwet's AC of flattened confusion matrices, as ``kappa_statistic``; ``weight`` has two categories or more."""
    k = len(weight)

    def statistic(flat: Floats) -> Floats:
        cells = flat.reshape(-1, k, k)
        total = cells.sum(axis=(1, 2))
        prevalence = (cells.sum(axis=2) + cells.sum(axis=1)) / (2.0 * total[:, None])
        chance = weight.sum() / (k * (k - 1.0)) * (prevalence * (1.0 - prevalence)).sum(axis=1)
        return ratio(flat @ weight.reshape(-1) / total - chance, 1.0 - chance)

    return statistic


def gwet_chance(matrix: Floats, weight: Floats) -> float:
    """Agreement that Gwet's AC expects by chance; 0 for an empty matrix."""
    k, total = len(weight), float(matrix.sum())
    share = (matrix.sum(axis=1) + matrix.sum(axis=0)) / (2.0 * total) if total else np.zeros(k)
    return float(weight.sum() / (k * (k - 1.0)) * (share * (1.0 - share)).sum())


def matthews_statistic(k: int) -> Statistic:
    """Gorodkin's R_K of flattened confusion matrices, as ``kappa_statistic``."""

    def statistic(flat: Floats) -> Floats:
        cells = flat.reshape(-1, k, k)
        total = cells.sum(axis=(1, 2))
        rows, columns = cells.sum(axis=2), cells.sum(axis=1)
        top = np.trace(cells, axis1=1, axis2=2) * total - (rows * columns).sum(axis=1)
        spread = (total**2 - (rows**2).sum(axis=1)) * (total**2 - (columns**2).sum(axis=1))
        return ratio(top, np.sqrt(np.maximum(spread, 0.0)))

    return statistic


def _coefficient(
    matrix: Floats, statistic: Statistic, seed: str, reason: str, expected: float | None = None
) -> Agreement:
    n = int(matrix.sum())
    if n == 0:
        return Agreement.undefined(0, NO_ITEM)
    flat = matrix.reshape(-1)
    value = float(statistic(flat[None, :])[0])
    if not np.isfinite(value):
        return Agreement.undefined(n, reason)
    if expected is None:
        expected = float(1.0 - matrix.sum(axis=1) @ matrix.sum(axis=0) / n**2)
    low, high, method, none = bounded(flat, value, statistic, seed, expected)
    return Agreement(value, low, high, n, method, none)


def cohen_kappa(
    left: Sequence[Label | None],
    right: Sequence[Label | None],
    *,
    weights: str | None = None,
    categories: Sequence[Label] | None = None,
    seed: str = "",
) -> Agreement:
    """(observed - expected) / (1 - expected) agreement of two raters.

    ``weights`` None, linear or quadratic over the order of the categories (all of which should be given where some do
    not occur). One class on both sides: undefined. Raises ScoringError for sequences of different length.
    Worked example: yes yes no no against yes no no no: 0.5.
    """
    matrix, coded = pair(left, right, categories)
    weight = agreement_weights(len(coded.categories), weights)
    return _coefficient(matrix, kappa_statistic(weight), seed, ONE_CLASS, 1.0 - kappa_chance(matrix, weight))


def gwet_ac(
    left: Sequence[Label | None],
    right: Sequence[Label | None],
    *,
    weights: str | None = None,
    categories: Sequence[Label] | None = None,
    seed: str = "",
) -> Agreement:
    """Gwet's AC1 (``weights`` None) or AC2 (linear, quadratic): chance agreement from the mean prevalence of the
    classes.

    Defined where one class dominates, unlike kappa. With a single possible category: undefined.
    Worked example: yes yes no no against yes no no no: pi = 3/8, chance 2 * 3/8 * 5/8 = 0.46875, AC1 = 0.5294.
    """
    matrix, coded = pair(left, right, categories)
    k = len(coded.categories)
    if k < 2:
        n = int(matrix.sum())
        return Agreement.undefined(n, ONE_CATEGORY if n else NO_ITEM)
    weight = agreement_weights(k, weights)
    return _coefficient(matrix, gwet_statistic(weight), seed, ALL_CHANCE, 1.0 - gwet_chance(matrix, weight))


def matthews(left: Sequence[Label | None], right: Sequence[Label | None], *, seed: str = "") -> Agreement:
    """Matthews correlation coefficient, for any number of classes (Gorodkin's R_K).

    One class on a side: undefined (scikit-learn gives 0). Worked example: 1 1 0 0 against 1 0 0 0: 0.5774.
    """
    matrix, coded = pair(left, right)
    return _coefficient(matrix, matthews_statistic(len(coded.categories)), seed, ONE_SIDE)


def percent_agreement(left: Sequence[Label | None], right: Sequence[Label | None], *, seed: str = "") -> Agreement:
    """Share of items on which the two agree (accuracy), with its Wilson interval.

    ``seed`` is there for the like of the others; nothing is drawn. Worked example: yes yes no no against yes no no no:
    0.75.
    """
    matrix, _ = pair(left, right)
    n = int(matrix.sum())
    if not n:
        return Agreement.undefined(0, NO_ITEM)
    agreed = float(np.trace(matrix))
    low, high = wilson(agreed, n)
    return Agreement(agreed / n, low, high, n, "Wilson")
