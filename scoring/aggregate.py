"""From item scores to one figure with its interval, its counts by state, and nothing dropped in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scoring.errors import ScoringError
from scoring.identity import MetricIdentity
from scoring.registry import METRICS
from scoring.stats.alike import alike_interval
from scoring.stats.bootstrap import bootstrap_interval
from scoring.stats.cluster_t import cluster_t, t_quantile
from scoring.stats.clusters import Clusters, by_cluster
from scoring.stats.paired import FEW_CLUSTERS
from scoring.stats.power import estimated_design_effect
from scoring.stats.seeds import generator
from scoring.stats.wilson import normal_quantile, wilson
from scoring.types import Score, State

RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class Aggregate:
    """``value`` None where no item is scored; ``low``, ``high`` None where no interval can be given.

    ``n_total`` and ``n_scored`` count items, ``states`` the items without a value by state. ``partial_items``: items of
    which some repeats have a value and some have none. ``n_clusters`` counts clusters of scored items.
    """

    value: float | None
    n_scored: int
    n_total: int
    states: dict[str, int]
    low: float | None
    high: float | None
    interval_method: str
    n_clusters: int
    partial_items: int = 0
    warnings: tuple[str, ...] = field(default=())


def item_scores(scores: Sequence[Score], item_ids: Sequence[str]) -> dict[str, Score]:
    """One score per item: the mean over its repeats that have a value, else the most frequent state.

    Of equally frequent states the first in the order of ``State`` from the end (target_failed first). The order of
    first appearance is kept. Raises ScoringError where the two sequences differ in length.
    """
    if len(scores) != len(item_ids):
        raise ScoringError(f"scores ({len(scores)}) and item_ids ({len(item_ids)}) differ in length")
    grouped: dict[str, list[Score]] = {}
    for score, item in zip(scores, item_ids, strict=True):
        grouped.setdefault(item, []).append(score)
    return {item: repeats[0] if len(repeats) == 1 else _mean_of(repeats) for item, repeats in grouped.items()}


_ORDER = {state: place for place, state in enumerate(State)}


def _mean_of(repeats: Sequence[Score]) -> Score:
    values = sorted(s.value for s in repeats if s.value is not None)
    if values:
        return Score.of(sum(values) / len(values))
    counts = Counter(s.state for s in repeats)
    state = max(counts, key=lambda s: (counts[s], _ORDER[s]))
    return next(s for s in repeats if s.state is state)


def aggregate_scores(
    identity: MetricIdentity,
    scores: Sequence[Score],
    clusters: Sequence[str],
    item_ids: Sequence[str],
    *,
    seed: str = "",
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Aggregate:
    """Aggregate n aligned scores (several per item where there are repeats).

    Repeats are averaged within the item first. A metric whose registry kind is ``proportion``: Wilson, with n divided
    by the design effect where clusters hold several items, and the Student quantile of the clusters in place of the
    normal one (Korn and Graubard 1998). Any other: cluster bootstrap, BCa; under 60 clusters the cluster-robust t;
    where all values are alike, the exact binomial bound (no interval for a metric whose range is not known). One
    cluster of several items, or one item of a mean: no interval. ``seed`` joins the metric's identity in the
    resampling.

    Raises ScoringError where the sequences differ in length. Nothing scored: value None.
    Worked example: 8 of 10 items right, each its own cluster: value 0.8, Wilson (0.4902, 0.9433).
    """
    if not len(scores) == len(clusters) == len(item_ids):
        raise ScoringError(
            f"scores ({len(scores)}), clusters ({len(clusters)}) and item_ids ({len(item_ids)}) differ in length"
        )
    cluster_of = {item: cluster or item for item, cluster in zip(item_ids, clusters, strict=True)}
    merged = item_scores(scores, item_ids)
    partial = 0
    if len(merged) < len(scores):
        kinds: dict[str, set[bool]] = {}
        for score, item in zip(scores, item_ids, strict=True):
            kinds.setdefault(item, set()).add(score.value is not None)
        partial = sum(len(kind) == 2 for kind in kinds.values())
    states: Counter[str] = Counter(str(s.state) for s in merged.values() if s.value is None)
    values = [s.value for s in merged.values() if s.value is not None]
    found = dict(sorted(states.items()))
    if not values:
        return Aggregate(None, 0, len(merged), found, None, None, "none", 0, partial)
    grouped = by_cluster(values, [cluster_of[item] for item, s in merged.items() if s.value is not None], "scores")
    spec = METRICS.get(identity.name)
    proportion = spec is not None and spec.kind == "proportion"
    rng_seed = f"{seed}\x00{identity.text}"
    bounds = spec.bounds if spec is not None else None
    low, high, method, warnings = _interval(grouped, values, proportion, bounds, rng_seed, resamples, confidence)
    if spec is not None and low is not None and high is not None:
        low, high = max(low, spec.bounds[0]), min(high, spec.bounds[1])
    return Aggregate(
        grouped.mean, len(values), len(merged), found, low, high, method, grouped.g, partial, tuple(warnings)
    )


def _interval(
    grouped: Clusters,
    values: Sequence[float],
    proportion: bool,
    bounds: tuple[float, float] | None,
    seed: str,
    resamples: int,
    confidence: float,
) -> tuple[float | None, float | None, str, list[str]]:
    n, g = len(values), grouped.g
    if proportion:
        if g == n:
            low, high = wilson(sum(values), n, confidence)
            return low, high, "Wilson", []
        if g < 2:
            return None, None, "none", ["one cluster only: no interval can be given"]
        effect = max(1.0, estimated_design_effect(grouped, sum(v * v for v in values)))
        shrink = (normal_quantile(confidence) / t_quantile(confidence, g - 1)) ** 2
        effective = n / effect * shrink
        low, high = wilson(grouped.mean * effective, effective, confidence)
        return low, high, f"Wilson, design effect {effect:.2f}", []
    if g < 2:
        return None, None, "none", ["one cluster only: no interval can be given"]
    alike_values = all(value == values[0] for value in values)
    if bounds is None and alike_values:
        return (
            None,
            None,
            "none",
            ["all values are alike and the metric's range is not known: no interval can be given"],
        )
    if bounds is not None and alike_values:
        alike = alike_interval(values[0], g, lowest=bounds[0], highest=bounds[1], confidence=confidence)
        return alike.low, alike.high, alike.method, []
    if g < FEW_CLUSTERS:
        t = cluster_t(grouped, confidence)
        return t.low, t.high, t.method, [f"only {g} clusters"]
    found = bootstrap_interval(grouped, rng=generator(seed, "aggregate"), resamples=resamples, confidence=confidence)
    return found.low, found.high, found.method, []


def macro_mean(aggregates: Iterable[Aggregate] | Mapping[str, Aggregate]) -> float | None:
    """Unweighted mean of the groups' values; groups in which nothing is scored are left out; none at all: None.

    Worked example: groups with values 1.0 (90 items) and 0.5 (10 items): 0.75 (the micro mean is 0.95).
    """
    groups = aggregates.values() if isinstance(aggregates, Mapping) else aggregates
    values = [a.value for a in groups if a.value is not None]
    return sum(values) / len(values) if values else None
