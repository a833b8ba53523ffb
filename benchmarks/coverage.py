"""How often each 95 % interval holds the truth, in simulated data: the page on scoring takes its figures from here.

`make bench B=coverage` (`BENCH_N` simulated data sets a row, 2,000 by default; a row's own Monte-Carlo error at 95 % is
1.96 * sqrt(0.05 * 0.95 / n), about 0.01 there). One JSON line a row: interval, data, covered, and what is missed below
and above the truth. Values are drawn anew for each data set; the seed is fixed. `BENCH_SECONDS` (900 by default) bounds
the whole: rows that no longer fit are left out and named on the error stream.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable

import numpy as np

from scoring.aggregate import aggregate_scores
from scoring.agreement.kappa import cohen_kappa, gwet_ac
from scoring.agreement.result import Agreement
from scoring.registry import identity
from scoring.stats.bootstrap import bootstrap_interval
from scoring.stats.cluster_t import cluster_t
from scoring.stats.clusters import by_cluster
from scoring.stats.ppi import ppi_mean
from scoring.stats.weighted import weighted_mean
from scoring.types import Score

N = int(os.environ.get("BENCH_N", "2000"))
SECONDS = float(os.environ.get("BENCH_SECONDS", "900"))
RESAMPLES = int(os.environ.get("BENCH_RESAMPLES", "1000"))
PROPORTION = identity("answers.task_success")

Draw = Callable[[np.random.Generator], tuple[np.ndarray, list[str]]]
Ends = tuple[float, float]


def normal(g: int, size: int, icc: float) -> tuple[Draw, float]:
    """Differences of graded scores: g clusters of ``size`` items with intra-cluster correlation ``icc``."""
    names = np.repeat(np.arange(g), size).astype(str).tolist()

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
        shared = np.repeat(rng.normal(0, math.sqrt(icc), g), size)
        return 0.4 + shared + rng.normal(0, math.sqrt(1 - icc), g * size), names

    return draw, 0.4


def skewed(g: int, size: int) -> tuple[Draw, float]:
    """Differences of 0/1 scores between two close systems: 8 % of the clusters' items better, 3 % worse, else equal."""
    names = np.repeat(np.arange(g), size).astype(str).tolist()

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
        return rng.choice([1.0, -1.0, 0.0], size=g * size, p=[0.08, 0.03, 0.89]), names

    return draw, 0.05


def unequal(g: int) -> tuple[Draw, float]:
    """Clusters of 1 to 12 items (drawn anew each time) with correlation 0.3."""

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
        sizes = rng.integers(1, 13, g)
        shared = np.repeat(rng.normal(0, math.sqrt(0.3), g), sizes)
        return 0.4 + shared + rng.normal(0, math.sqrt(0.7), len(shared)), np.repeat(np.arange(g), sizes).astype(
            str
        ).tolist()

    return draw, 0.4


def binary(g: int, size: int, rate: float, icc: float) -> tuple[Draw, float]:
    """0/1 scores whose chance differs by cluster (beta), so that the intra-cluster correlation is ``icc``."""
    names = np.repeat(np.arange(g), size).astype(str).tolist()

    def draw(rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
        chance = np.full(g, rate)
        if icc:
            chance = rng.beta(rate * (1 - icc) / icc, (1 - rate) * (1 - icc) / icc, g)
        return (rng.random((g, size)) < chance[:, None]).astype(float).ravel(), names

    return draw, rate


def percentile(values: np.ndarray, names: list[str], rng: np.random.Generator) -> Ends:
    """Cluster bootstrap, percentile."""
    found = bootstrap_interval(by_cluster(values, names), rng=rng, resamples=RESAMPLES, method="percentile")
    return found.low, found.high


def bca(values: np.ndarray, names: list[str], rng: np.random.Generator) -> Ends:
    """Cluster bootstrap, BCa."""
    found = bootstrap_interval(by_cluster(values, names), rng=rng, resamples=RESAMPLES)
    return found.low, found.high


def robust_t(values: np.ndarray, names: list[str], _rng: np.random.Generator) -> Ends:
    """Cluster-robust t."""
    found = cluster_t(by_cluster(values, names))
    return found.low, found.high


def clustered_wilson(values: np.ndarray, names: list[str], _rng: np.random.Generator) -> Ends:
    """Wilson on n by the design effect, as an aggregate has it."""
    scores = [Score.of(value) for value in values.tolist()]
    found = aggregate_scores(PROPORTION, scores, names, [str(n) for n in range(len(scores))])
    # One cluster only has no interval; no data set here has that.
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def ppi(labelled: int, rest: int) -> Callable[[np.random.Generator], tuple[Ends, float]]:
    """Prediction-powered mean of a judge who misses 5 % of the good answers and passes 40 % of the bad ones."""

    def one(rng: np.random.Generator) -> tuple[Ends, float]:
        truth = rng.random(labelled + rest) < 0.6
        judged = np.where(truth, rng.random(len(truth)) < 0.95, rng.random(len(truth)) < 0.4).astype(float)
        found = ppi_mean(
            truth[:labelled].astype(float).tolist(), judged[:labelled].tolist(), judged[labelled:].tolist()
        )
        return (found.low, found.high), 0.6

    return one


def weighted(common: int, rare: int, good: float) -> Callable[[np.random.Generator], tuple[Ends, float]]:
    """Two strata, 90 % and 10 % of the requests, sampled with unequal chances; the rare one is good in 20 %."""

    def one(rng: np.random.Generator) -> tuple[Ends, float]:
        values = np.r_[rng.random(common) < good, rng.random(rare) < 0.2].astype(float)
        chances = [common / 90_000] * common + [rare / 10_000] * rare
        found = weighted_mean(values.tolist(), chances, ["c"] * common + ["r"] * rare)
        assert found.low is not None
        assert found.high is not None
        return (found.low, found.high), 0.9 * good + 0.02

    return one


def graded(common: int, rare: int) -> Callable[[np.random.Generator], tuple[Ends, float]]:
    """Two strata as in ``weighted`` whose values are graded (beta), with means 0.8 and 0.2."""

    def one(rng: np.random.Generator) -> tuple[Ends, float]:
        values = np.r_[rng.beta(4, 1, common), rng.beta(1, 4, rare)]
        chances = [common / 90_000] * common + [rare / 10_000] * rare
        found = weighted_mean(values.tolist(), chances, ["c"] * common + ["r"] * rare)
        assert found.low is not None
        assert found.high is not None
        return (found.low, found.high), 0.74

    return one


def two_raters(
    n: int, share: float, coefficient: Callable[..., Agreement], truth: float
) -> Callable[[np.random.Generator], tuple[Ends, float]]:
    """Two raters who each see an item's class (one in ``share`` of the items) rightly nine times in ten."""

    def one(rng: np.random.Generator) -> tuple[Ends, float]:
        real = rng.random(n) < share
        left, right = (np.where(rng.random(n) < 0.9, real, ~real).astype(int).tolist() for _ in range(2))
        found = coefficient(left, right, categories=[0, 1], seed=str(rng.integers(2**62)))
        # No data set here has one class only.
        assert found.low is not None
        assert found.high is not None
        return (found.low, found.high), truth

    return one


def sampled(
    made: tuple[Draw, float], interval: Callable[[np.ndarray, list[str], np.random.Generator], Ends]
) -> Callable[[np.random.Generator], tuple[Ends, float]]:
    """One data set and its interval."""
    draw, truth = made
    return lambda rng: (interval(*draw(rng), rng), truth)


def rows() -> list[tuple[str, str, Callable[[np.random.Generator], tuple[Ends, float]]]]:
    """Return interval, data and how to draw one."""
    means = [
        ("200 items, no clusters", normal(200, 1, 0.0)),
        ("40 clusters of 3, icc 0.3", normal(40, 3, 0.3)),
        ("40 clusters of 1 to 12, icc 0.3", unequal(40)),
        ("20 clusters of 5, icc 0.3", normal(20, 5, 0.3)),
        ("8 clusters of 6, icc 0.3", normal(8, 6, 0.3)),
        ("100 differences of 0/1 scores", skewed(100, 1)),
        ("300 differences of 0/1 scores", skewed(300, 1)),
    ]
    found = [
        (name, data, sampled(made, interval))
        for name, interval in (("percentile", percentile), ("BCa", bca), ("cluster t", robust_t))
        for data, made in means
    ]
    found += [
        ("Wilson", data, sampled(made, clustered_wilson))
        for data, made in (
            ("100 items, rate 0.8, no clusters", binary(100, 1, 0.8, 0.0)),
            ("30 clusters of 5, rate 0.8, icc 0.3", binary(30, 5, 0.8, 0.3)),
            ("60 clusters of 3, rate 0.95, icc 0.2", binary(60, 3, 0.95, 0.2)),
            ("12 clusters of 10, rate 0.5, icc 0.1", binary(12, 10, 0.5, 0.1)),
            ("8 clusters of 6, rate 0.8, icc 0.3", binary(8, 6, 0.8, 0.3)),
        )
    ]
    found += [("PPI", f"{n} labelled of {n + m}", ppi(n, m)) for n, m in ((100, 400), (50, 450), (20, 480))]
    found += [
        ("weighted", "90 and 60 of two strata, rates 0.8 and 0.2", weighted(90, 60, 0.8)),
        ("weighted", "90 and 10 of two strata, rates 0.8 and 0.2", weighted(90, 10, 0.8)),
        ("weighted", "90 and 60 of two strata, rates 0.98 and 0.2", weighted(90, 60, 0.98)),
    ]
    found += [
        ("BCa", data, sampled(made, bca))
        for data, made in (
            ("30 clusters of 5, icc 0.3", normal(30, 5, 0.3)),
            ("60 clusters of 1 to 12, icc 0.3", unequal(60)),
        )
    ]
    found += [
        (name, data, sampled(made, interval))
        for name, interval in (("BCa", bca), ("cluster t", robust_t))
        for data, made in (
            ("50 clusters of 5, icc 0.3", normal(50, 5, 0.3)),
            ("50 clusters of 1 to 12, icc 0.3", unequal(50)),
            ("30 differences of 0/1 scores", skewed(30, 1)),
            ("50 differences of 0/1 scores", skewed(50, 1)),
        )
    ]
    found += [
        ("weighted", "20 and 10 of two strata, rates 0.8 and 0.2", weighted(20, 10, 0.8)),
        ("weighted", "90 and 60 of two strata, graded", graded(90, 60)),
        ("kappa", "50 items, two even classes, kappa 0.64", two_raters(50, 0.5, cohen_kappa, 0.64)),
        ("kappa", "100 items, two even classes, kappa 0.64", two_raters(100, 0.5, cohen_kappa, 0.64)),
        (
            "kappa",
            "100 items, nine in ten of one class, kappa 0.39",
            two_raters(100, 0.9, cohen_kappa, 0.1152 / 0.2952),
        ),
        ("AC1", "100 items, nine in ten of one class, AC1 0.74", two_raters(100, 0.9, gwet_ac, 0.5248 / 0.7048)),
    ]
    return found


def main() -> int:
    """Print one row an interval and kind of data."""
    started = time.perf_counter()
    for place, (interval, data, one) in enumerate(rows()):
        if time.perf_counter() - started > SECONDS:
            print(f"left out after {SECONDS:g} s: {interval}, {data}", file=sys.stderr)
            continue
        rng = np.random.default_rng([19, place])
        below = above = 0
        for _ in range(N):
            (low, high), truth = one(rng)
            below += truth < low
            above += truth > high
        row = {
            "bench": "coverage",
            "interval": interval,
            "data": data,
            "covered": round(1 - (below + above) / N, 4),
            "truth_below": round(below / N, 4),
            "truth_above": round(above / N, 4),
            "n": N,
        }
        print(json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
