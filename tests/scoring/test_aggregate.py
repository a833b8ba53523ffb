"""Aggregates: repeats within the item, states counted, the right interval, never NaN."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.aggregate import aggregate_scores, item_scores, macro_mean
from scoring.errors import ScoringError
from scoring.identity import MetricIdentity
from scoring.registry import identity
from scoring.stats.wilson import wilson
from scoring.types import Score, State

HIT = identity("retrieval.hit", k=5)
NDCG = identity("retrieval.ndcg", k=5)
LOST = Score.none(State.TARGET_FAILED)


def made(metric, values, clusters=None, items=None, **options):
    found = [v if isinstance(v, Score) else Score.of(v) for v in values]
    names = items or [f"i{n}" for n in range(len(found))]
    return aggregate_scores(metric, found, clusters or names, names, **options)


def test_a_proportion_has_the_wilson_interval():
    found = made(HIT, [1] * 8 + [0] * 2)
    assert (found.value, found.n_scored, found.n_total, found.interval_method) == (0.8, 10, 10, "Wilson")
    assert (found.low, found.high) == pytest.approx((0.4902, 0.9433), abs=5e-5)


def test_clusters_widen_a_proportions_interval():
    values = [1] * 30 + [0] * 30
    alone = made(HIT, values)
    together = made(HIT, values, clusters=[f"c{n // 3}" for n in range(60)])
    assert together.n_clusters == 20
    assert together.interval_method.startswith("Wilson, design effect")
    assert together.low < alone.low < alone.high < together.high


def test_a_mean_has_the_bootstrap_and_under_twenty_clusters_the_t_interval():
    rng = np.random.default_rng(1)
    values = rng.random(60).tolist()
    found = made(NDCG, values)
    assert found.interval_method == "cluster bootstrap, BCa"
    assert found.low < found.value < found.high
    few = made(NDCG, values, clusters=[f"c{n % 7}" for n in range(60)])
    assert few.interval_method == "cluster-robust t"
    assert few.warnings == ("only 7 clusters",)
    assert made(NDCG, values) == found


def test_an_interval_stays_within_the_metrics_bounds():
    found = made(NDCG, [1.0, 1.0, 0.9, 0.2])
    assert found.high == 1.0


def test_states_are_counted_and_left_out_of_the_mean():
    found = made(HIT, [1, 0, LOST, Score.none(State.NO_GOLD), LOST])
    assert (found.value, found.n_scored, found.n_total) == (0.5, 2, 5)
    assert found.states == {"no_gold": 1, "target_failed": 2}


def test_repeats_are_averaged_within_the_item_and_n_counts_items():
    items = ["a", "a", "b", "b", "c", "c"]
    found = made(NDCG, [1.0, 0.0, 0.5, LOST, LOST, Score.none(State.REFUSED)], items=items)
    assert (found.value, found.n_scored, found.n_total, found.partial_items) == (0.5, 2, 3, 1)
    assert found.states == {"target_failed": 1}
    assert item_scores([Score.of(1), Score.of(0)], ["a", "a"])["a"].value == 0.5


def test_nothing_scored_has_no_value_and_one_cluster_no_interval():
    nothing = made(HIT, [LOST])
    assert (nothing.value, nothing.low, nothing.n_scored, nothing.n_total) == (None, None, 0, 1)
    empty = made(HIT, [])
    assert (empty.value, empty.n_total, empty.states) == (None, 0, {})
    one = made(NDCG, [0.2, 0.4], clusters=["d", "d"])
    assert one.value == pytest.approx(0.3)
    assert (one.low, one.interval_method) == (None, "none")
    assert made(HIT, [1, 0], clusters=["d", "d"]).low is None
    assert made(HIT, [1]).low == pytest.approx(wilson(1, 1)[0])


def test_an_external_metric_is_aggregated_as_a_mean():
    external = MetricIdentity("external.rl_f", {"tool": "x"})
    found = made(external, [0.1 * n for n in range(10)] * 6)
    assert (found.n_clusters, found.interval_method, found.warnings) == (60, "cluster bootstrap, BCa", ())
    few = made(external, [0.1 * n for n in range(7)] * 8)
    assert (few.n_clusters, few.interval_method, few.warnings) == (56, "cluster-robust t", ("only 56 clusters",))
    alike = made(external, [0.7] * 60)
    assert (alike.value, alike.low, alike.high, alike.interval_method) == (pytest.approx(0.7), None, None, "none")


def test_sequences_of_different_length_are_refused():
    with pytest.raises(ScoringError, match="differ in length"):
        aggregate_scores(HIT, [Score.of(1)], [], ["a"])
    with pytest.raises(ScoringError, match="differ in length"):
        item_scores([Score.of(1)], [])


def test_the_macro_mean_weighs_groups_alike():
    groups = {"fact": made(HIT, [1] * 90), "multi": made(HIT, [1] * 5 + [0] * 5), "none": made(HIT, [LOST])}
    assert macro_mean(groups) == pytest.approx(0.75)
    assert macro_mean(groups.values()) == pytest.approx(0.75)
    assert macro_mean([]) is None


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.25, 1.0, None]), st.sampled_from("abcdefgh")), max_size=40),
    st.sampled_from([HIT, NDCG]),
    st.randoms(),
)
def test_any_scores_give_an_ordered_interval_that_order_does_not_change(rows, metric, random):
    named = [(Score.of(v) if v is not None else LOST, c, f"i{n}") for n, (v, c) in enumerate(rows)]
    found = aggregate_scores(metric, *([r[i] for r in named] for i in (0, 1, 2)), resamples=200)
    random.shuffle(named)
    assert aggregate_scores(metric, *([r[i] for r in named] for i in (0, 1, 2)), resamples=200) == found
    assert found.n_scored + sum(found.states.values()) == found.n_total
    if found.low is not None:
        assert 0 <= found.low <= found.high <= 1


@pytest.mark.parametrize(
    ("clusters", "size", "rate", "icc"), [(30, 5, 0.8, 0.3), (60, 3, 0.95, 0.2), (12, 10, 0.5, 0.1)]
)
def test_a_clustered_proportions_interval_holds_the_truth_as_often_as_it_says(clusters, size, rate, icc):
    rng = np.random.default_rng(3)
    names = np.repeat(np.arange(clusters), size).astype(str).tolist()
    items = [str(n) for n in range(clusters * size)]
    spread = (1 - icc) / icc
    inside = 0
    for _ in range(600):
        chance = rng.beta(rate * spread, (1 - rate) * spread, size=clusters)
        values = (rng.random((clusters, size)) < chance[:, None]).astype(float).ravel()
        found = aggregate_scores(HIT, [Score.of(v) for v in values], names, items)
        inside += found.low <= rate <= found.high
    assert 0.92 <= inside / 600 <= 0.98


def test_a_mean_of_ones_has_an_interval_all_the_same() -> None:
    items = [f"i{n}" for n in range(49)]
    found = aggregate_scores(
        identity("retrieval.evidence_recall", k=10), [Score.of(1.0)] * 49, items, items, seed="any"
    )
    assert (found.value, found.high, found.interval_method) == (1.0, 1.0, "exact binomial bound")
    assert found.low == pytest.approx(0.025 ** (1 / 49))
