"""Two systems on the same items: paired difference with an interval, a p-value, a verdict, and what each lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from scoring.errors import ScoringError
from scoring.stats.alike import alike_interval
from scoring.stats.bootstrap import Interval, bootstrap_interval
from scoring.stats.cluster_t import cluster_t
from scoring.stats.clusters import Clusters, by_cluster
from scoring.stats.permutation import sign_flip
from scoring.stats.seeds import generator
from scoring.stats.verdicts import Verdict, verdict
from scoring.types import Score

FEW_CLUSTERS = 60
MOVERS = 50


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Candidate minus baseline over items scored in both.

    ``estimate, low, high`` are in the metric's own direction (for a metric where lower is better, an improvement is
    negative); ``verdict`` is in the sense of better or worse, and ``wins`` are items on which the candidate is better.
    ``only_in_baseline`` counts, by the candidate's state, the items that the baseline alone scored, and the other way
    round; ``both_missing`` neither. ``worst_case``: the same with the missing scores taken so that they hurt the
    candidate most (its own as worst, the baseline's as best); None where nothing is missing on one side alone.
    """

    estimate: float | None
    low: float | None
    high: float | None
    p_value: float | None
    n: int
    n_clusters: int
    method: str
    eps: float
    noise: float
    verdict: Verdict
    wins: int
    ties: int
    losses: int
    only_in_baseline: dict[str, int]
    only_in_candidate: dict[str, int]
    both_missing: int
    baseline_mean: float | None
    candidate_mean: float | None
    movers: list[tuple[str, float]]
    warnings: list[str] = field(default_factory=list)
    worst_case: PairedComparison | None = None
    higher_is_better: bool = True
    only_in_baseline_items: list[str] = field(default_factory=list)
    only_in_candidate_items: list[str] = field(default_factory=list)


def compare_paired(
    *,
    baseline: Mapping[str, Score],
    candidate: Mapping[str, Score],
    clusters: Mapping[str, str],
    eps: float = 0.03,
    noise: float = 0.0,
    seed: str = "",
    resamples: int = 10_000,
    flips: int | None = None,
    higher_is_better: bool = True,
    bounds: tuple[float, float] = (0.0, 1.0),
    confidence: float = 0.95,
) -> PairedComparison:
    """Compare two runs' item scores (repeats already averaged, see ``aggregate.item_scores``).

    ``clusters``: item id to cluster; an item without one is its own cluster. ``seed``: see ``seeds.seed_of``.
    ``flips``: sign patterns drawn for the p-value, by default as many as there are resamples.
    ``bounds``: the metric's lowest and highest value, for the worst case. At 60 clusters and above the interval is the
    cluster bootstrap's BCa, below it is the cluster-robust t, with a warning; where all differences are alike, the
    exact binomial bound (``alike``); with one cluster there is none and the verdict is inconclusive. An item that one
    side does not list at all counts as state ``absent``. The order of the mappings changes nothing.

    Raises ScoringError for negative or not finite eps or noise, or resamples below 1. No common item: all figures None.
    Worked example: baseline a 0, b 1, c 0; candidate a 1, b 1, c 0: estimate 1/3, one win, two ties.
    """
    if resamples < 1:
        raise ScoringError(f"resamples is {resamples}, below 1")
    if bounds[0] > bounds[1]:
        raise ScoringError(f"bounds {bounds} are in the wrong order")
    if flips is None:
        flips = resamples
    if flips < 1:
        raise ScoringError(f"flips is {flips}, below 1")
    sides = _Sides(baseline, candidate)
    draws = (resamples, flips)
    pairs = sides.pairs(baseline, candidate)
    main = _compare(pairs, sides, clusters, eps, noise, seed, draws, higher_is_better, confidence, bounds)
    if not sides.left and not sides.right:
        return main
    pairs = sides.worst_pairs(baseline, candidate, bounds, higher_is_better)
    worst = _compare(pairs, sides, clusters, eps, noise, seed, draws, higher_is_better, confidence, bounds)
    return _with_worst(main, worst)


class _Sides:
    """Which items each run scored."""

    def __init__(self, baseline: Mapping[str, Score], candidate: Mapping[str, Score]) -> None:
        self.both: list[str] = []
        self.left: list[str] = []
        self.right: list[str] = []
        self.neither = 0
        left_states: Counter[str] = Counter()
        right_states: Counter[str] = Counter()
        for item in sorted({*baseline, *candidate}):
            old, new = baseline.get(item), candidate.get(item)
            has_old, has_new = old is not None and old.scored, new is not None and new.scored
            if has_old and has_new:
                self.both.append(item)
            elif has_old:
                self.left.append(item)
                left_states[str(new.state) if new else "absent"] += 1
            elif has_new:
                self.right.append(item)
                right_states[str(old.state) if old else "absent"] += 1
            else:
                self.neither += 1
        self.left_states = dict(sorted(left_states.items()))
        self.right_states = dict(sorted(right_states.items()))

    def pairs(self, baseline: Mapping[str, Score], candidate: Mapping[str, Score]) -> list[tuple[str, float, float]]:
        return [(item, _value(baseline[item]), _value(candidate[item])) for item in self.both]

    def worst_pairs(
        self,
        baseline: Mapping[str, Score],
        candidate: Mapping[str, Score],
        bounds: tuple[float, float],
        higher_is_better: bool,
    ) -> list[tuple[str, float, float]]:
        worst, best = bounds if higher_is_better else bounds[::-1]
        pairs = self.pairs(baseline, candidate)
        pairs += [(item, _value(baseline[item]), worst) for item in self.left]
        pairs += [(item, best, _value(candidate[item])) for item in self.right]
        return sorted(pairs)


def _value(score: Score) -> float:
    assert score.value is not None
    return score.value


def _compare(
    pairs: Sequence[tuple[str, float, float]],
    sides: _Sides,
    clusters: Mapping[str, str],
    eps: float,
    noise: float,
    seed: str,
    draws: tuple[int, int],
    higher_is_better: bool,
    confidence: float,
    bounds: tuple[float, float],
) -> PairedComparison:
    resamples, flips = draws
    # Scores such as 1 - 2/3 and 1/3 are equal but for the last bits; such a difference is a tie.
    diffs = [(item, 0.0 if abs(new - old) < 1e-12 else new - old) for item, old, new in pairs]
    sign = 1.0 if higher_is_better else -1.0
    warnings: list[str] = []
    estimate = low = high = p_value = None
    method, n_clusters = "none", 0
    if diffs:
        grouped = by_cluster([d for _, d in diffs], [clusters.get(item) or item for item, _ in diffs], "differences")
        n_clusters = grouped.g
        estimate = grouped.mean
        p_value = sign_flip(grouped, rng=generator(seed, "sign-flip"), resamples=flips)
        found, notes = _interval(grouped, [d for _, d in diffs], seed, resamples, confidence, bounds)
        warnings += notes
        if found is not None:
            low, high, method = found.low, found.high, found.method
    else:
        warnings.append("no item is scored in both runs")
    if sides.left or sides.right:
        warnings.append(
            f"{len(sides.left)} items are scored in the baseline only and {len(sides.right)} in the candidate only"
        )
    ends = [sign * end for end in (low, high) if end is not None]
    oriented = verdict(
        None if estimate is None else sign * estimate, min(ends, default=None), max(ends, default=None), eps, noise
    )
    movers = sorted((d for d in diffs if d[1] != 0.0), key=lambda d: (-abs(d[1]), d[0]))[:MOVERS]
    return PairedComparison(
        estimate=estimate,
        low=low,
        high=high,
        p_value=p_value,
        n=len(diffs),
        n_clusters=n_clusters,
        method=method,
        eps=eps,
        noise=noise,
        verdict=oriented,
        wins=sum(sign * d > 0 for _, d in diffs),
        ties=sum(d == 0 for _, d in diffs),
        losses=sum(sign * d < 0 for _, d in diffs),
        only_in_baseline=sides.left_states,
        only_in_candidate=sides.right_states,
        both_missing=sides.neither,
        baseline_mean=sum(old for _, old, _ in pairs) / len(pairs) if pairs else None,
        candidate_mean=sum(new for _, _, new in pairs) / len(pairs) if pairs else None,
        movers=movers,
        warnings=warnings,
        higher_is_better=higher_is_better,
        only_in_baseline_items=sides.left,
        only_in_candidate_items=sides.right,
    )


def _interval(
    grouped: Clusters, diffs: Sequence[float], seed: str, resamples: int, confidence: float, bounds: tuple[float, float]
) -> tuple[Interval | None, list[str]]:
    g = grouped.g
    if g < 2:
        return None, ["one cluster only: no interval can be given"]
    few = [f"only {g} clusters: cluster-robust t interval instead of the bootstrap"] if g < FEW_CLUSTERS else []
    if all(d == diffs[0] for d in diffs):
        reach = bounds[1] - bounds[0]
        found = alike_interval(diffs[0], g, lowest=-reach, highest=reach, confidence=confidence)
        return found, ["all differences are alike: interval by the exact binomial bound"]
    if few:
        return cluster_t(grouped, confidence), few
    rng = generator(seed, "bootstrap")
    return bootstrap_interval(grouped, rng=rng, resamples=resamples, confidence=confidence), []


def _with_worst(main: PairedComparison, worst: PairedComparison) -> PairedComparison:
    values = {name: getattr(main, name) for name in PairedComparison.__slots__}
    values["worst_case"] = worst
    return PairedComparison(**values)
