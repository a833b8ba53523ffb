"""Computing a comparison: what differs between two runs, and each metric's paired difference, overall and by group."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runs_app.models import MetricRecord, Run
from runs_app.selectors.item_scores import (
    Changes,
    ItemTable,
    changed_outputs,
    item_table,
    output_table,
    run_metrics,
    scores_and_noise,
)
from runs_app.selectors.noise import PairNoise
from scoring.errors import ScoringError
from scoring.registry import METRICS
from scoring.stats.clusters import by_cluster
from scoring.stats.holm import holm
from scoring.stats.paired import PairedComparison, compare_paired
from scoring.stats.power import intra_cluster_correlation, smallest_difference
from scoring.stats.seeds import seed_of
from scoring.stats.verdicts import Verdict
from scoring.types import Score

#: Raised when a definition below changes, so that a stored comparison is never taken for one by new rules.
COMPARISON_VERSION = 3
DEFAULT_EPS = 0.03
DEFAULT_RESAMPLES = 10_000
#: Groups are many, so their intervals take as many resamples as a run's aggregates do (docs/decisions/0008).
GROUP_RESAMPLES = 2_000
MOVERS = 20
#: Items scored in one run only that are named, on each side.
UNPAIRED = 50


def _difference(field: str, baseline: Any, candidate: Any, *, blocking: bool) -> dict[str, Any]:
    return {"field": field, "blocking": blocking, "baseline": baseline, "candidate": candidate}


def _suite_differences(baseline: Run, candidate: Run) -> Iterator[dict[str, Any]]:
    first, second = baseline.suite_version, candidate.suite_version
    ours, theirs = set(first.metrics), set(second.metrics)
    if ours != theirs:
        yield _difference("metrics", sorted(ours - theirs), sorted(theirs - ours), blocking=True)
    if first.pk != second.pk:
        yield _difference("suite", first.ref, second.ref, blocking=False)


def _system_differences(baseline: Run, candidate: Run) -> Iterator[dict[str, Any]]:
    first, second = baseline.system_version, candidate.system_version
    pairs = (
        ("system", first.system.ref, second.system.ref),
        ("system.version", first.label, second.label),
        ("system.change", first.change, second.change),
        ("system.git_sha", first.git_sha, second.git_sha),
    )
    for field, one, other in pairs:
        if one != other:
            yield _difference(field, one, other, blocking=False)
    for key in sorted(first.config.keys() | second.config.keys()):
        one, other = first.config.get(key), second.config.get(key)
        if one != other:
            yield _difference(f"system.config.{key}", one, other, blocking=False)


def run_differences(baseline: Run, candidate: Run) -> list[dict[str, Any]]:
    """Return what differs between the runs; a row with `blocking` keeps them from being compared."""
    versions = [run.dataset_version for run in (baseline, candidate)]
    snapshots = [str(run.snapshot) if run.snapshot_id else None for run in (baseline, candidate)]
    rows: list[tuple[str, Any, Any, bool, bool]] = [
        ("dataset", versions[0].ref, versions[1].ref, versions[0].pk != versions[1].pk, True),
        ("snapshot", snapshots[0], snapshots[1], baseline.snapshot_id != candidate.snapshot_id, True),
    ]
    for field, blocking in (("split", True), ("tier", True), ("repeats", True), ("judge_repeats", False)):
        one, other = getattr(baseline, field), getattr(candidate, field)
        rows.append((field, one, other, one != other, blocking))
    libraries = [run.manifest.get("libraries") for run in (baseline, candidate)]
    rows.append(("libraries", libraries[0], libraries[1], libraries[0] != libraries[1], False))
    found = [
        _difference(field, one, other, blocking=blocking) for field, one, other, differs, blocking in rows if differs
    ]
    return [*found, *_suite_differences(baseline, candidate), *_system_differences(baseline, candidate)]


def comparison_settings(baseline: Run, candidate: Run) -> dict[str, Any]:
    """Return what fixes the figures besides the runs: eps (a number, or by metric), resamples, manifest hashes."""
    settings = candidate.suite_version.settings
    resamples = settings.get("resamples", DEFAULT_RESAMPLES)
    return {
        "version": COMPARISON_VERSION,
        "eps": settings.get("eps", DEFAULT_EPS),
        "resamples": resamples,
        "group_resamples": min(resamples, GROUP_RESAMPLES),
        "manifests": sorted([baseline.manifest_sha256, candidate.manifest_sha256]),
    }


def eps_for(settings: Mapping[str, Any], metric: MetricRecord) -> float:
    """Return the smallest difference that matters for this metric: by identity, by name, else the suite's or 0.03."""
    eps = settings["eps"]
    if isinstance(eps, Mapping):
        return float(eps.get(metric.identity, eps.get(metric.name, eps.get("default", DEFAULT_EPS))))
    return float(eps)


def seed_for(settings: Mapping[str, Any], identity: str, grouping: str, name: str) -> str:
    """Return the resampling seed: sha256 over the sorted manifest hashes, the metric's identity, the group."""
    return seed_of(settings["manifests"], identity if grouping == "all" else f"{identity} {grouping}={name}")


def bounds_for(metric: MetricRecord, *scores: Mapping[str, Score]) -> tuple[float, float]:
    """Return the metric's lowest and highest value; of a metric from outside, 0 to 1 or what was seen."""
    spec = METRICS.get(metric.name)
    if spec is not None:
        return spec.bounds
    values = [score.value for side in scores for score in side.values() if score.value is not None]
    return min([0.0, *values]), max([1.0, *values])


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _figures(result: Any) -> dict[str, Any] | None:
    """Return estimate and interval of the comparison with missing scores taken as worst."""
    if result is None:
        return None
    return {"estimate": _finite(result.estimate), "low": _finite(result.low), "high": _finite(result.high)}


def _movers(
    result: PairedComparison, baseline: Mapping[str, Score], candidate: Mapping[str, Score]
) -> list[dict[str, Any]]:
    return [
        {
            "item": item,
            "baseline": baseline[item].value,
            "candidate": candidate[item].value,
            "difference": difference,
        }
        for item, difference in result.movers[:MOVERS]
    ]


def _unpaired(
    result: PairedComparison, baseline: Mapping[str, Score], candidate: Mapping[str, Score]
) -> dict[str, list[dict[str, str]]]:
    """Return the items that one run alone has a score of, with the other's state (`absent`: not listed at all)."""
    sides = (
        ("only_in_baseline", result.only_in_baseline_items, candidate),
        ("only_in_candidate", result.only_in_candidate_items, baseline),
    )
    return {
        side: [
            {"item": item, "state": other[item].state.value if item in other else "absent"} for item in items[:UNPAIRED]
        ]
        for side, items, other in sides
    }


def detectable(
    baseline: Mapping[str, Score], candidate: Mapping[str, Score], clusters: Mapping[str, str]
) -> float | None:
    """Return the smallest difference that items like those scored in both can show (power 0.8, alpha 0.05).

    The spread is that of the differences themselves, with their intra-cluster correlation (not below 0). None under two
    items, or where all differences are alike.
    """
    both = [item for item in baseline if baseline[item].scored and item in candidate and candidate[item].scored]
    if len(both) < 2:
        return None
    values = [_value(candidate[item]) - _value(baseline[item]) for item in both]
    n, mean = len(values), math.fsum(values) / len(values)
    squares = math.fsum(value * value for value in values)
    sd = math.sqrt(max(0.0, math.fsum((value - mean) ** 2 for value in values)) / (n - 1))
    if sd < 1e-12:
        return None
    grouped = by_cluster(values, [clusters.get(item) or item for item in both], "differences")
    try:
        icc = max(0.0, intra_cluster_correlation(grouped, squares))
    except ScoringError:
        icc = 0.0
    size = float((grouped.counts**2).sum()) / n
    return smallest_difference(n, sd, cluster_size=size, icc=icc)


def _value(score: Score) -> float:
    return 0.0 if score.value is None else score.value


def _row(
    metric: MetricRecord,
    group: tuple[str, str],
    result: PairedComparison,
    scored: tuple[int, int],
    n_total: int,
    more: Mapping[str, Any],
) -> dict[str, Any]:
    return {
        "metric": metric.identity,
        "name": metric.name,
        "family": metric.family,
        "stage": metric.stage,
        "origin": metric.origin,
        "calibrated": metric.origin == "ours",
        "higher_is_better": metric.higher_is_better,
        "group": group[0],
        "group_value": group[1],
        "baseline": {"value": _finite(result.baseline_mean), "n": scored[0]},
        "candidate": {"value": _finite(result.candidate_mean), "n": scored[1]},
        "estimate": _finite(result.estimate),
        "low": _finite(result.low),
        "high": _finite(result.high),
        "p_value": _finite(result.p_value),
        "p_adjusted": None,
        "n": result.n,
        "n_total": n_total,
        "n_clusters": result.n_clusters,
        "eps": result.eps,
        "verdict": str(result.verdict),
        "wins": result.wins,
        "ties": result.ties,
        "losses": result.losses,
        "only_in_baseline": {str(state): n for state, n in sorted(result.only_in_baseline.items())},
        "only_in_candidate": {str(state): n for state, n in sorted(result.only_in_candidate.items())},
        "both_missing": result.both_missing,
        "worst_case": _figures(result.worst_case),
        "method": result.method,
        "warnings": [str(warning) for warning in result.warnings],
        **more,
    }


def _metric_rows(
    metric: MetricRecord,
    scores: tuple[dict[str, Score], dict[str, Score]],
    noise: PairNoise,
    items: ItemTable,
    settings: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    baseline, candidate = scores
    bounds = bounds_for(metric, baseline, candidate)

    def row_over(group: tuple[str, str], members: Sequence[str]) -> dict[str, Any] | None:
        is_whole = group[0] == "all"
        first = {item: baseline[item] for item in members if item in baseline}
        second = {item: candidate[item] for item in members if item in candidate}
        n_scored = (sum(score.scored for score in first.values()), sum(score.scored for score in second.values()))
        if not is_whole and not any(n_scored):
            return None
        seed = seed_for(settings, metric.identity, *group)
        n_both = sum(score.scored and item in second and second[item].scored for item, score in first.items())
        bands = noise.bands(n_both)
        result = compare_paired(
            baseline=first,
            candidate=second,
            clusters=items.clusters,
            eps=eps_for(settings, metric),
            noise=bands["noise"],
            seed=seed,
            resamples=settings["resamples" if is_whole else "group_resamples"],
            flips=settings["resamples"],
            higher_is_better=metric.higher_is_better,
            bounds=bounds,
        )
        is_open = result.verdict is Verdict.INCONCLUSIVE
        more = {
            **bands,
            "detectable": detectable(first, second, items.clusters) if is_open else None,
            "seed": seed,
            "movers": _movers(result, first, second) if is_whole else [],
            "unpaired": _unpaired(result, first, second) if is_whole else {},
        }
        return _row(metric, group, result, n_scored, len(members), more)

    whole = row_over(("all", ""), items.items)
    assert whole is not None
    yield whole
    for group, members in items.groups.items():
        if len(members) == len(items.clusters):
            # A group of all items is the whole under another name, figures included.
            yield {**whole, "group": group[0], "group_value": group[1], "movers": [], "unpaired": {}}
            continue
        row = row_over(group, members)
        if row is not None:
            yield row


def _adjust(rows: list[dict[str, Any]]) -> None:
    """Holm-adjust the p-values of the rows that are read together: one metric family over one grouping."""
    sets: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["p_value"] is not None:
            sets[row["family"], row["group"]].append(row)
    for members in sets.values():
        for row, adjusted in zip(members, holm([row["p_value"] for row in members]), strict=True):
            row["p_adjusted"] = float(adjusted)


def comparison_rows(baseline: Run, candidate: Run, settings: Mapping[str, Any]) -> tuple[list[dict[str, Any]], Changes]:
    """Return the rows of the comparison (docs/comparisons.md) and how many outputs differ between the runs.

    The same pair and settings give the same rows to the last bit: items are taken in the order of their ids, and each
    row has its own seed. Two runs of 10,000 items and 25 metrics take seconds.
    """
    items = item_table(baseline, candidate)
    outputs = output_table(baseline, items, parts=True), output_table(candidate, items, parts=True)
    shared = {record.pk for record in run_metrics(candidate)}
    rows: list[dict[str, Any]] = []
    for metric in run_metrics(baseline):
        if metric.pk not in shared:
            continue
        first, first_noise = scores_and_noise(baseline, metric, outputs[0])
        second, second_noise = scores_and_noise(candidate, metric, outputs[1])
        noise = PairNoise(first_noise, second_noise, judged=metric.origin != "ours")
        rows += _metric_rows(metric, (first, second), noise, items, settings)
    _adjust(rows)
    return rows, changed_outputs(*outputs)
