"""Cluster bootstrap of a mean over items: percentile and BCa intervals (Efron 1987; equals scipy's on the same
resamples).

Whole clusters are drawn with replacement; the statistic is the ratio of the drawn sums to the drawn counts. Clusters
that share one (sum, count) pair with many others are drawn together: how often any of them comes up is multinomial, and
only the rest is drawn one by one. The distribution is the same at a fraction of the cost. Blocks bound the memory.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from scoring.errors import ScoringError
from scoring.stats.clusters import Clusters, Floats, levels

#: Single draws, or multinomial counts, held at once.
_BLOCK = 131_072
#: A multinomial count costs as much as about this many single draws.
_BIG_LEVEL = 24


@dataclass(frozen=True, slots=True)
class Interval:
    """``low <= high``; ``method`` says how it was made."""

    low: float
    high: float
    method: str


def resample_means(clusters: Clusters, resamples: int, rng: np.random.Generator) -> Floats:
    """Means of ``resamples`` draws of g clusters with replacement (resamples)."""
    if resamples < 1:
        raise ScoringError(f"resamples is {resamples}, below 1")
    level_sums, level_counts, sizes = levels(clusters)
    if len(sizes) == 1:
        return np.full(resamples, clusters.mean)
    big = sizes >= _BIG_LEVEL
    alone = np.repeat(~big, sizes)
    rest = Clusters(clusters.sums[alone], clusters.counts[alone])
    shares = np.append(sizes[big], rest.g) / clusters.g
    means = np.empty(resamples)
    singles = _Singles(rest, rng)
    block = max(1, _BLOCK // max(rest.g, len(shares)))
    for start in range(0, resamples, block):
        stop = min(start + block, resamples)
        drawn = rng.multinomial(clusters.g, shares, size=stop - start)
        totals, counts = singles.draw(drawn[:, -1])
        totals += drawn[:, :-1] @ level_sums[big]
        counts += drawn[:, :-1] @ level_counts[big]
        means[start:stop] = totals / counts
    return means


class _Singles:
    """Draws clusters one by one, with replacement."""

    def __init__(self, clusters: Clusters, rng: np.random.Generator) -> None:
        self.clusters = clusters
        self.rng = rng
        self.equal = bool(clusters.g) and bool((clusters.counts == clusters.counts[0]).all())
        # Fresh memory costs more than the drawing does, so one buffer serves all blocks.
        self.picked = np.empty(0)

    def draw(self, numbers: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Totals of sums and of counts over ``numbers[r]`` draws for each resample r; zeros where there are none."""
        if not self.clusters.g:
            return np.zeros(len(numbers)), np.zeros(len(numbers))
        picks = self.rng.integers(0, self.clusters.g, size=int(numbers.sum()))
        totals = self._totals(self.clusters.sums, picks, numbers)
        if self.equal:
            return totals, numbers * self.clusters.counts[0]
        return totals, self._totals(self.clusters.counts, picks, numbers)

    def _totals(self, values: Floats, picks: NDArray[np.int64], numbers: NDArray[np.int64]) -> Floats:
        if len(self.picked) <= len(picks):
            self.picked = np.empty(len(picks) + len(picks) // 8 + 1)
        # The place after the last pick is where segments that are empty at the end begin.
        picked = self.picked[: len(picks) + 1]
        picked[-1] = 0.0
        # With `clip` numpy writes straight into the buffer; the picks are in range anyway.
        np.take(values, picks, out=picked[:-1], mode="clip")
        totals: Floats = np.add.reduceat(picked, np.cumsum(numbers) - numbers)
        totals[numbers == 0] = 0.0
        return totals


def jackknife_means(clusters: Clusters) -> Floats:
    """The mean without each cluster in turn (g); needs two clusters."""
    result: Floats = (clusters.sums.sum() - clusters.sums) / (clusters.counts.sum() - clusters.counts)
    return result


def percentile_interval(means: Floats, confidence: float = 0.95) -> Interval:
    """The interval between the tails of the resampled means."""
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return Interval(float(low), float(high), "cluster bootstrap, percentile")


def bca_interval(means: Floats, estimate: float, jackknife: Floats, confidence: float = 0.95) -> Interval:
    """Bias-corrected and accelerated interval from the resampled means and the jackknife.

    Falls back to the percentile interval, and says so, where the correction does not exist: all resamples on one side
    of the estimate, or a jackknife without spread.
    """
    # Sums of equal values in another order differ in the last bits; such a resample is a tie with the estimate.
    noise = 1e-12 * max(1.0, abs(estimate))
    below = (means < estimate - noise).sum()
    not_above = (means <= estimate + noise).sum()
    share = float(below + not_above) / (2.0 * len(means))
    spread = jackknife.mean() - jackknife
    bottom = float((spread**2).sum()) ** 1.5
    if not 0.0 < share < 1.0 or bottom == 0.0:
        return percentile_interval(means, confidence)
    bias = float(ndtri(share))
    acceleration = float((spread**3).sum()) / (6.0 * bottom)
    tail = (1.0 - confidence) / 2.0
    ends: list[float] = []
    for z in (ndtri(tail), ndtri(1.0 - tail)):
        moved = bias + z
        denominator = 1.0 - acceleration * moved
        if denominator <= 0.0:
            return percentile_interval(means, confidence)
        ends.append(float(ndtr(bias + moved / denominator)))
    low, high = np.quantile(means, ends)
    if not (math.isfinite(low) and math.isfinite(high)):
        return percentile_interval(means, confidence)
    return Interval(float(low), float(high), "cluster bootstrap, BCa")


def bootstrap_interval(
    clusters: Clusters,
    *,
    rng: np.random.Generator,
    resamples: int = 10_000,
    confidence: float = 0.95,
    method: str = "bca",
) -> Interval:
    """BCa (default) or percentile interval of the mean over items; needs two clusters (else ScoringError).

    All clusters alike: the interval is the point itself. Worked example: clusters with sums 1, 2, 3 and one item each:
    the mean is 2 and the percentile interval lies in [1, 3].
    """
    if method not in ("bca", "percentile"):
        raise ScoringError(f"method is {method!r}, neither bca nor percentile")
    if not 0.0 < confidence < 1.0:
        raise ScoringError(f"confidence is {confidence}, not between 0 and 1")
    if clusters.g < 2:
        raise ScoringError("bootstrap: needs at least two clusters")
    means = resample_means(clusters, resamples, rng)
    if method == "percentile":
        return percentile_interval(means, confidence)
    return bca_interval(means, clusters.mean, jackknife_means(clusters), confidence)
