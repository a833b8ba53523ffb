"""Cluster-robust t interval of a mean over items, for few clusters."""

from __future__ import annotations

import math

from scipy.special import stdtrit

from scoring.errors import ScoringError
from scoring.stats.bootstrap import Interval
from scoring.stats.clusters import Clusters


def cluster_variance(clusters: Clusters) -> float:
    """Linearised variance of the ratio mean: g/(g-1) times the sum of squared cluster residuals over n squared.

    Needs two clusters (else ScoringError). With one item per cluster it is the usual s^2 / n.
    """
    if clusters.g < 2:
        raise ScoringError("cluster variance: needs at least two clusters")
    residual = clusters.sums - clusters.mean * clusters.counts
    total = float(clusters.counts.sum())
    return float((residual**2).sum()) / total**2 * clusters.g / (clusters.g - 1)


def t_quantile(confidence: float, df: float) -> float:
    """Two-sided Student quantile; raises ScoringError for a confidence outside (0, 1) or df not above 0."""
    if not 0.0 < confidence < 1.0:
        raise ScoringError(f"confidence is {confidence}, not between 0 and 1")
    if not math.isfinite(df) or df <= 0:
        raise ScoringError(f"df is {df}, not a finite number above 0")
    return float(stdtrit(df, 0.5 + confidence / 2.0))


def cluster_t(clusters: Clusters, confidence: float = 0.95) -> Interval:
    """Mean -/+ t(g - 1) times the cluster-robust standard error.

    Source: Cameron and Miller 2015, "A practitioner's guide to cluster-robust inference". Worked example: one item per
    cluster, values 1, 2, 3, 4, 5: (1.0368, 4.9632), the usual one-sample t interval.
    """
    variance = cluster_variance(clusters)
    half = t_quantile(confidence, clusters.g - 1) * math.sqrt(variance)
    return Interval(clusters.mean - half, clusters.mean + half, "cluster-robust t")
