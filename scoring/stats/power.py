"""How many items are needed, and which difference a given number can show (two-sided test, normal approximation)."""

from __future__ import annotations

import math

from scipy.special import ndtri

from scoring.errors import ScoringError
from scoring.stats.cluster_t import cluster_variance
from scoring.stats.clusters import Clusters


def _positive(name: str, value: float) -> None:
    if not math.isfinite(value) or value <= 0:
        raise ScoringError(f"{name} is {value!r}, not a finite number above 0")


def design_effect(cluster_size: float, icc: float) -> float:
    """1 + (m - 1) rho for clusters of m items with intra-cluster correlation rho (Kish 1965); never below 0.

    Raises ScoringError for a size below 1 or a correlation outside [-1, 1]. Worked example: 5 items, 0.2: 1.8.
    """
    if not math.isfinite(cluster_size) or cluster_size < 1:
        raise ScoringError(f"cluster_size is {cluster_size!r}, below 1")
    if not -1 <= icc <= 1:
        raise ScoringError(f"icc is {icc!r}, outside [-1, 1]")
    return max(0.0, 1.0 + (cluster_size - 1.0) * icc)


def paired_sd_of_proportion(rate: float, correlation: float = 0.5) -> float:
    """Standard deviation of the difference of two 0/1 scores on the same item, both with this rate.

    ``sqrt(2 p (1 - p) (1 - r))``. Raises ScoringError for a rate outside (0, 1) or a correlation outside [-1, 1).
    Worked example: rate 0.8, correlation 0.5: 0.4.
    """
    if not 0 < rate < 1:
        raise ScoringError(f"rate is {rate!r}, not between 0 and 1")
    if not -1 <= correlation < 1:
        raise ScoringError(f"correlation is {correlation!r}, outside [-1, 1)")
    return math.sqrt(2.0 * rate * (1.0 - rate) * (1.0 - correlation))


def _quantiles(power: float, alpha: float) -> float:
    if not 0 < power < 1:
        raise ScoringError(f"power is {power!r}, not between 0 and 1")
    if not 0 < alpha < 1:
        raise ScoringError(f"alpha is {alpha!r}, not between 0 and 1")
    return float(ndtri(1.0 - alpha / 2.0) + ndtri(power))


def items_needed(
    difference: float,
    sd: float,
    *,
    power: float = 0.8,
    alpha: float = 0.05,
    cluster_size: float = 1.0,
    icc: float = 0.0,
) -> int:
    """Items needed to show a paired mean difference with the given power: ((z_a + z_b) sd / d)^2 times the design
    effect.

    Raises ScoringError for a difference or sd not above 0. Worked example: difference 0.1, sd 0.5: 197.
    """
    _positive("difference", difference)
    _positive("sd", sd)
    ratio = _quantiles(power, alpha) * sd / difference
    if ratio > 1e9:
        raise ScoringError(f"difference {difference!r} is too small beside sd {sd!r}: no number of items shows it")
    n = ratio**2 * design_effect(cluster_size, icc)
    return max(2, math.ceil(n - 1e-9))


def smallest_difference(
    n: int, sd: float, *, power: float = 0.8, alpha: float = 0.05, cluster_size: float = 1.0, icc: float = 0.0
) -> float:
    """The smallest paired mean difference that n items can show; the inverse of ``items_needed``.

    Raises ScoringError for n below 2 or sd not above 0. Worked example: 197 items, sd 0.5: 0.0998.
    """
    if n < 2:
        raise ScoringError(f"n is {n}, below 2")
    _positive("sd", sd)
    return _quantiles(power, alpha) * sd * math.sqrt(design_effect(cluster_size, icc) / n)


def _check_squares(squares: float) -> None:
    if not math.isfinite(squares) or squares < 0:
        raise ScoringError(f"squares is {squares!r}, not a finite number from 0 up")


def intra_cluster_correlation(values: Clusters, squares: float) -> float:
    """ANOVA estimate of the intra-cluster correlation (Donner 1986), cut to [-1, 1].

    ``values``: cluster sums and counts; ``squares``: sum of the squared item values. Needs two clusters and one cluster
    with two items (else ScoringError). All values alike: 0. Worked example: clusters (1, 1) and (0, 0): 1.
    """
    _check_squares(squares)
    n, g = float(values.counts.sum()), values.g
    if g < 2 or n <= g:
        raise ScoringError("intra-cluster correlation: needs two clusters and one of them with two items")
    between = float((values.sums**2 / values.counts).sum()) - n * values.mean**2
    within = squares - float((values.sums**2 / values.counts).sum())
    ms_between, ms_within = max(0.0, between) / (g - 1), max(0.0, within) / (n - g)
    size = (n - float((values.counts**2).sum()) / n) / (g - 1)
    bottom = ms_between + (size - 1.0) * ms_within
    if bottom <= 1e-300:
        return 0.0
    return max(-1.0, min(1.0, (ms_between - ms_within) / bottom))


def estimated_design_effect(values: Clusters, squares: float) -> float:
    """Cluster-robust variance of the mean divided by its variance under independent items; 1 where neither varies."""
    _check_squares(squares)
    n = float(values.counts.sum())
    spread = max(0.0, squares / n - values.mean**2)
    independent = spread / max(n - 1.0, 1.0)
    if independent <= 1e-15 or values.g < 2:
        return 1.0
    return cluster_variance(values) / independent
