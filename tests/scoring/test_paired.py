"""Comparing two runs: direction, missing scores, few clusters, and that nothing depends on order."""

import numpy as np
import pytest

from scoring.errors import ScoringError
from scoring.stats.paired import compare_paired
from scoring.types import Score, State


def scores(values):
    return {f"i{n:03d}": v if isinstance(v, Score) else Score.of(v) for n, v in enumerate(values)}


def compare(old, new, clusters=None, **options):
    return compare_paired(
        baseline=scores(old), candidate=scores(new), clusters=clusters or {}, **{"eps": 0.03, "seed": "s", **options}
    )


def test_the_worked_example():
    found = compare([0, 1, 0], [1, 1, 0])
    assert found.estimate == pytest.approx(1 / 3)
    assert (found.wins, found.ties, found.losses, found.n, found.n_clusters) == (1, 2, 0, 3, 3)
    assert (found.baseline_mean, found.candidate_mean) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert found.movers == [("i000", 1.0)]
    assert found.method == "cluster-robust t"
    assert found.verdict == "inconclusive"


def test_a_clear_gain_is_improved_and_lower_is_better_turns_it_round():
    rng = np.random.default_rng(1)
    old = rng.random(80) * 0.5
    up = compare(old, old + 0.2 + rng.random(80) * 0.1)
    assert up.verdict == "improved"
    assert up.method == "cluster bootstrap, BCa"
    assert up.p_value < 0.001
    worse = compare(old, old + 0.2 + rng.random(80) * 0.1, higher_is_better=False)
    assert worse.verdict == "regressed"
    assert worse.estimate > 0
    assert worse.losses == 80
    assert compare(old, old - 0.2, higher_is_better=False).verdict == "improved"


def test_no_difference_on_sixty_items_is_not_yet_equivalence():
    values = [0.0, 1.0] * 30
    found = compare(values, values)
    # Up to 1 - 0.025^(1/60) = 6 % of questions may differ although none of these sixty does.
    assert (found.verdict, found.estimate, found.p_value) == ("inconclusive", 0, 1)
    assert (found.low, found.high) == (pytest.approx(-0.0596, abs=1e-4), pytest.approx(0.0596, abs=1e-4))
    assert found.method == "exact binomial bound"


def test_no_difference_on_two_hundred_items_is_equivalence():
    values = [0.0, 1.0] * 100
    found = compare(values, values)
    assert (found.verdict, found.estimate, found.p_value) == ("equivalent", 0, 1)
    assert found.high == pytest.approx(0.0183, abs=1e-4)


def test_two_items_that_agree_are_no_proof():
    found = compare([0, 0], [1, 1])
    assert found.verdict == "inconclusive"
    assert found.low < 0 < found.high == 1
    assert found.p_value == 0.5


def test_one_cluster_gives_no_interval():
    found = compare([0, 0, 0], [1, 1, 0], clusters={f"i{n:03d}": "doc" for n in range(3)})
    assert (found.low, found.high, found.method, found.verdict) == (None, None, "none", "inconclusive")
    assert found.estimate == pytest.approx(2 / 3)


def test_missing_scores_are_counted_by_state_and_taken_as_worst():
    lost, none = Score.none(State.TARGET_FAILED), Score.none(State.NO_GOLD)
    found = compare([0.5] * 40 + [1.0, lost, none], [0.5] * 40 + [lost, 0.2, none])
    assert found.only_in_baseline == {"target_failed": 1}
    assert found.only_in_candidate == {"target_failed": 1}
    assert found.only_in_baseline_items == ["i040"]
    assert found.both_missing == 1
    assert (found.n, found.estimate) == (40, 0)
    assert found.worst_case.n == 42
    assert found.worst_case.estimate == pytest.approx((-1.0 - 0.8) / 42)
    down = compare([0.5, 0.5, lost], [0.5, 0.5, 0.2], higher_is_better=False)
    assert down.worst_case.estimate == pytest.approx(0.2 / 3)


def test_an_item_that_one_run_does_not_list_is_absent():
    found = compare_paired(baseline=scores([1, 1, 0]), candidate=scores([1, 1]), clusters={}, eps=0.03, seed="s")
    assert found.only_in_baseline == {"absent": 1}


def test_nothing_in_common_gives_no_figures():
    found = compare_paired(baseline=scores([1]), candidate={"other": Score.of(1)}, clusters={}, eps=0.03, seed="s")
    assert (found.estimate, found.low, found.p_value, found.n, found.verdict) == (None, None, None, 0, "inconclusive")
    empty = compare_paired(baseline={}, candidate={}, clusters={}, eps=0.03, seed="s")
    assert (empty.estimate, empty.worst_case) == (None, None)


def test_order_changes_nothing_and_the_seed_is_all_that_varies():
    rng = np.random.default_rng(2)
    old, new = scores(rng.random(120)), scores(rng.random(120))
    clusters = {item: f"c{n % 60}" for n, item in enumerate(old)}
    straight = compare_paired(baseline=old, candidate=new, clusters=clusters, eps=0.03, seed="s")
    mixed = compare_paired(baseline=dict(reversed(old.items())), candidate=new, clusters=clusters, eps=0.03, seed="s")
    assert straight == mixed
    assert straight.n_clusters == 60
    other = compare_paired(baseline=old, candidate=new, clusters=clusters, eps=0.03, seed="t")
    assert other.estimate == straight.estimate
    assert other.low != straight.low


def test_differences_in_the_last_bits_are_ties():
    found = compare([1 - 2 / 3] * 30, [1 / 3] * 30)
    assert (found.ties, found.estimate) == (30, 0)


def test_the_p_value_can_take_more_patterns_than_the_interval_takes_resamples():
    old = {f"q{i}": Score.of(0.0) for i in range(100)}
    new = {f"q{i}": Score.of(0.5 + i / 1000) for i in range(100)}
    few = compare_paired(baseline=old, candidate=new, clusters={}, resamples=200)
    many = compare_paired(baseline=old, candidate=new, clusters={}, resamples=200, flips=5000)
    assert (few.p_value, many.p_value) == (pytest.approx(1 / 201), pytest.approx(1 / 5001))
    assert (few.low, few.high) == (many.low, many.high)


def test_bad_settings_are_refused():
    for options in ({"eps": -1}, {"noise": float("nan")}, {"resamples": 0}, {"bounds": (1, 0)}):
        with pytest.raises(ScoringError):
            compare([0, 1], [1, 1], **options)
