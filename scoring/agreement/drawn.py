"""A judge against people on a labelled sample that was not drawn evenly: each item weighs 1 / its draw's probability.

Coefficients are those of ``agreement.kappa`` and ``many_raters`` over the weighted confusion matrix, which estimates
the matrix of all items that the sample was drawn from (Horvitz and Thompson 1952). Intervals: percentile bootstrap over
the items within each stratum, as they were drawn; where all agree, the exact bound on Kish's effective number of items.
Shares (sensitivity, specificity, accuracy) are weighted means of ``stats.weighted``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.agreement.kappa import (
    ALL_CHANCE,
    NO_ITEM,
    ONE_CATEGORY,
    ONE_CLASS,
    ONE_SIDE,
    Statistic,
    agreement_weights,
    gwet_chance,
    gwet_statistic,
    kappa_chance,
    kappa_statistic,
    matthews_statistic,
)
from scoring.agreement.labels import Label, code, is_given
from scoring.agreement.resampling import RESAMPLES, Floats
from scoring.agreement.result import Agreement
from scoring.errors import ScoringError
from scoring.stats.alike import unseen_share
from scoring.stats.clusters import as_values
from scoring.stats.seeds import generator
from scoring.stats.weighted import WeightedMean, weighted_mean

METHOD = "bootstrap within strata, percentile"
COEFFICIENTS = ("kappa", "ac", "mcc", "alpha")


@dataclass(frozen=True, slots=True)
class DrawnConfusion:
    """Estimated shares of all items (they sum to 1), and the three rates; a rate without an item is None."""

    true_positive: float
    false_positive: float
    false_negative: float
    true_negative: float
    n: int
    sensitivity: WeightedMean | None
    specificity: WeightedMean | None
    accuracy: WeightedMean


@dataclass(frozen=True, slots=True)
class _Sample:
    """Items that both labelled: cells (n) of the k by k matrix, weights (n), strata (n) as numbers from 0."""

    cells: NDArray[np.int64]
    weights: Floats
    strata: NDArray[np.int64]
    k: int

    def matrix(self) -> Floats:
        """The weighted matrix, scaled to the number of items (1, k * k)."""
        flat = np.bincount(self.cells, weights=self.weights, minlength=self.k**2)
        scaled: Floats = (flat * (len(self.cells) / self.weights.sum()))[None, :]
        return scaled

    def effective_n(self) -> float:
        return float(self.weights.sum() ** 2 / (self.weights**2).sum())

    def redrawn(self, seed: str) -> Floats:
        """Matrices (resamples, k * k) of redraws within the strata, each scaled to the number of items."""
        random = generator(seed, "drawn agreement")
        total = np.zeros((RESAMPLES, self.k**2))
        for stratum in range(int(self.strata.max()) + 1):
            inside = self.strata == stratum
            rows = np.stack([self.cells[inside].astype(np.float64), self.weights[inside]], axis=1)
            alike, sizes = np.unique(rows, axis=0, return_counts=True)
            drawn = random.multinomial(sizes.sum(), sizes / sizes.sum(), size=RESAMPLES) * alike[:, 1]
            for column, cell in enumerate(alike[:, 0].astype(np.int64).tolist()):
                total[:, cell] += drawn[:, column]
        scaled: Floats = total * (len(self.cells) / total.sum(axis=1, keepdims=True))
        return scaled


def _probabilities(given: Sequence[float], n: int) -> Floats:
    values = as_values(given, "probabilities")
    if len(values) != n:
        raise ScoringError(f"probabilities ({len(values)}) and labels ({n}) differ in length")
    if ((values <= 0) | (values > 1)).any():
        raise ScoringError("probabilities: holds one outside (0, 1]")
    return values


def _same_length(judge: Sequence[object], human: Sequence[object], strata: Sequence[str] | None) -> None:
    if len(judge) != len(human):
        raise ScoringError(f"judge ({len(judge)}) and human ({len(human)}) differ in length")
    if strata is not None and len(strata) != len(judge):
        raise ScoringError(f"strata ({len(strata)}) and labels ({len(judge)}) differ in length")


def _alpha_statistic(k: int) -> Statistic:
    """Nominal alpha of two raters from flattened confusion matrices: coincidences are each pair in both orders."""

    def statistic(flat: Floats) -> Floats:
        cells = flat.reshape(-1, k, k)
        both = cells + cells.transpose(0, 2, 1)
        margin = both.sum(axis=2)
        total = margin.sum(axis=1)
        apart = total - np.trace(both, axis1=1, axis2=2)
        expected = total**2 - (margin**2).sum(axis=1)
        values = np.full(len(flat), np.nan)
        np.divide(apart * (total - 1.0), expected, out=values, where=expected > 1e-12)
        return 1.0 - values

    return statistic


def _chosen(coefficient: str, weight: Floats, matrix: Floats) -> tuple[Statistic, float, str]:
    """The statistic, the disagreement that it expects by chance, and why it would not be defined."""
    k = len(weight)
    share = (matrix.sum(axis=0) + matrix.sum(axis=1)) / (2.0 * matrix.sum())
    if coefficient == "kappa":
        return kappa_statistic(weight), 1.0 - kappa_chance(matrix, weight), ONE_CLASS
    if coefficient == "ac":
        return gwet_statistic(weight), 1.0 - gwet_chance(matrix, weight), ALL_CHANCE
    if coefficient == "mcc":
        return matthews_statistic(k), 1.0 - kappa_chance(matrix, np.eye(k)), ONE_SIDE
    return _alpha_statistic(k), float(1.0 - (share**2).sum()), "all labels are alike"


def drawn_agreement(
    judge: Sequence[Label | None],
    human: Sequence[Label | None],
    probabilities: Sequence[float],
    strata: Sequence[str] | None = None,
    *,
    coefficient: str = "kappa",
    weights: str | None = None,
    categories: Sequence[Label] | None = None,
    seed: str = "",
) -> Agreement:
    """Agreement of two raters over n items that were drawn with these probabilities, within these strata if any.

    ``coefficient``: kappa, ac (Gwet's), mcc or alpha (nominal); ``weights`` None, linear or quadratic for the first
    two. Items that one did not label are left out. Equal probabilities give the unweighted coefficient. ``n`` counts
    items. Raises ScoringError for another coefficient, weights where there are none, a probability outside (0, 1], NaN,
    or sequences of different length.
    Worked example: judge 1 1 0 0, human 1 0 0 0, probabilities 1, 0.5, 1, 1: the second item stands for two, so the
    matrix is 1, 2, 0, 2 of 5: observed 0.6, chance 0.44, kappa 0.2857.
    """
    _same_length(judge, human, strata)
    p = _probabilities(probabilities, len(judge))
    if coefficient not in COEFFICIENTS:
        raise ScoringError(f"coefficient is {coefficient!r}, none of {', '.join(COEFFICIENTS)}")
    if weights is not None and coefficient not in ("kappa", "ac"):
        raise ScoringError(f"weights: {coefficient} has none")
    coded = code(list(zip(human, judge, strict=True)), categories)
    k = len(coded.categories)
    known = (coded.codes >= 0).all(axis=1) if len(judge) else np.zeros(0, dtype=bool)
    if not known.any():
        agreement_weights(2, weights)
        return Agreement.undefined(0, NO_ITEM)
    names = np.array(list(strata) if strata is not None else [""] * len(judge))[known]
    codes = coded.codes[known]
    sample = _Sample(codes[:, 0] * k + codes[:, 1], 1.0 / p[known], np.unique(names, return_inverse=True)[1], k)
    n = len(sample.cells)
    if k < 2:
        return Agreement.undefined(n, ONE_CATEGORY)
    matrix = sample.matrix()
    statistic, expected, reason = _chosen(coefficient, agreement_weights(k, weights), matrix.reshape(k, k))
    value = float(statistic(matrix)[0])
    if not np.isfinite(value):
        return Agreement.undefined(n, reason)
    return _with_interval(sample, value, statistic, expected, seed)


def _with_interval(sample: _Sample, value: float, statistic: Statistic, expected: float, seed: str) -> Agreement:
    n = len(sample.cells)
    if value >= 1.0 - 1e-12 and expected > 0.0:
        low = max(-1.0, 1.0 - unseen_share(max(1, int(sample.effective_n()))) / expected)
        return Agreement(value, low, 1.0, n, "exact binomial bound")
    if min(np.bincount(sample.strata).tolist()) < 2:
        return Agreement(value, None, None, n, "none", "a stratum has fewer than two items: no interval")
    values = statistic(sample.redrawn(seed))
    values = values[np.isfinite(values)]
    if len(values) < RESAMPLES / 2 or float(np.ptp(values)) <= 1e-12:
        return Agreement(value, None, None, n, "none", "every resample gives the same value: no interval")
    low, high = np.quantile(values, [0.025, 0.975])
    return Agreement(value, float(low), float(high), n, METHOD)


def drawn_confusion(
    judge: Sequence[Label | None],
    human: Sequence[Label | None],
    probabilities: Sequence[float],
    strata: Sequence[str] | None = None,
    *,
    positive: Label,
) -> DrawnConfusion:
    """A judge's two-class decisions against human ones, as ``confusion``, over a sample drawn with these probabilities.

    Raises ScoringError as ``drawn_agreement`` does, and where no item is labelled by both.
    Worked example: judge 1 1 0 0, human 1 0 0 1, positive 1, probabilities 1, 0.5, 1, 1: of the five items that they
    stand for 1 true and 2 false positives, 1 true and 1 false negative: accuracy 0.4, sensitivity 0.5, specificity 1/3.
    """
    _same_length(judge, human, strata)
    p = _probabilities(probabilities, len(judge))
    rows = [
        (j == positive, h == positive, float(one), "" if strata is None else strata[place])
        for place, (j, h, one) in enumerate(zip(judge, human, p, strict=True))
        if is_given(j) and is_given(h)
    ]
    if not rows:
        raise ScoringError(f"judge and human: {NO_ITEM}")
    total = sum(1.0 / one for _j, _h, one, _s in rows)

    def share(said: bool, true: bool) -> float:
        return sum(1.0 / one for j, h, one, _s in rows if (j, h) == (said, true)) / total

    def rate(kind: bool | None) -> WeightedMean | None:
        chosen = [row for row in rows if kind is None or row[1] is kind]
        if not chosen:
            return None
        return weighted_mean([float(j is h) for j, h, *_rest in chosen], [r[2] for r in chosen], [r[3] for r in chosen])

    accuracy = rate(None)
    assert accuracy is not None
    return DrawnConfusion(
        share(True, True), share(True, False), share(False, True), share(False, False),
        len(rows), rate(True), rate(False), accuracy,
    )  # fmt: skip
