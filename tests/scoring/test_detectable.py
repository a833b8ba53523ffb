"""What a dataset version can detect, judge noise in verdicts, and thresholds that were locked."""

import numpy as np
import pytest

from scoring.errors import ScoringError
from scoring.refusal.risk_coverage import at_threshold, choose_threshold, risk_coverage
from scoring.retrieval.ann_recall import ann_recall
from scoring.stats.detectable import detectable_by_type
from scoring.stats.noise import JudgeNoise, effective_eps, judge_noise
from scoring.stats.power import items_needed, smallest_difference
from scoring.stats.verdicts import Verdict, verdict
from scoring.types import State
from tests.scoring.builders import item


def test_the_worked_example_of_a_hundred_items():
    (row,) = detectable_by_type([item(f"q{n}") for n in range(100)])
    assert (row.n, row.n_clusters, row.cluster_size) == (100, 100, 1)
    assert row.sd == pytest.approx(0.4)
    assert row.smallest == pytest.approx(0.1121, abs=5e-5)
    assert row.needed == items_needed(0.03, row.sd)


def test_each_type_has_its_row_and_clusters_make_the_difference_larger():
    items = [item(f"q{n}", types=["table"] if n < 10 else ["table", "hop"], cluster=f"c{n % 5}") for n in range(40)]
    overall, hop, table = detectable_by_type(items, icc=0.2)
    assert [(r.type, r.n) for r in (overall, hop, table)] == [("", 40), ("hop", 30), ("table", 40)]
    assert overall.cluster_size == 8
    assert overall.smallest == pytest.approx(smallest_difference(40, 0.4, cluster_size=8, icc=0.2))
    assert overall.smallest > detectable_by_type(items, icc=0.0)[0].smallest


def test_unequal_clusters_count_with_the_size_that_an_item_sees():
    items = [item(f"q{n}", cluster="big" if n < 9 else f"c{n}") for n in range(10)]
    assert detectable_by_type(items)[0].cluster_size == pytest.approx((81 + 1) / 10)


def test_a_pilot_gives_the_spread_and_the_correlation():
    rng = np.random.default_rng(4)
    shift = np.repeat(rng.normal(0, 0.3, 100), 4)
    values = shift + rng.normal(0, 0.4, 400)
    items = [item(f"q{n}", cluster=f"c{n // 4}") for n in range(400)]
    (row,) = detectable_by_type(items, pilot={f"q{n}": float(v) for n, v in enumerate(values)})
    assert row.from_pilot
    assert row.sd == pytest.approx(float(values.std(ddof=1)))
    assert row.icc == pytest.approx(0.36, abs=0.1)


def test_groups_too_small_to_say_say_nothing():
    lone = detectable_by_type([item("a", types=["t"])])
    assert [row.smallest for row in lone] == [None, None]
    assert [row.n for row in detectable_by_type([])] == [0]
    alike = detectable_by_type([item("a"), item("b")], pilot={"a": 0.1, "b": 0.1})[0]
    assert (alike.sd, alike.smallest, alike.needed) == (0, None, None)
    for bad in ({"wanted": 0}, {"rate": 1}, {"icc": 2}, {"power": 1}, {"pilot": {"a": float("nan"), "b": 0.0}}):
        with pytest.raises(ScoringError):
            detectable_by_type([item("a"), item("b")], **bad)


def test_a_noisy_judge_makes_a_difference_inconclusive_until_it_is_asked_often_enough():
    noise = judge_noise({"a": [0.2, 0.8], "b": [0.5, 0.5]})
    band = noise.band(100)
    assert effective_eps(0.03, band) == band > 0.05
    assert verdict(0.05, 0.01, 0.09, 0.03, band) is Verdict.INCONCLUSIVE
    repeats = noise.repeats_for(0.03, 100)
    assert noise.band(100, repeats) <= 0.03 < noise.band(100, repeats - 1)
    assert verdict(0.05, 0.01, 0.09, 0.03, noise.band(100, repeats)) is Verdict.IMPROVED


def test_noise_edges():
    assert JudgeNoise(0.3, 10, 10).repeats_for(0.03, 100) == 8
    assert JudgeNoise(0.0, 10, 10).repeats_for(0.03, 100) == 1
    with pytest.raises(ScoringError, match="eps"):
        JudgeNoise(0.3, 10, 10).repeats_for(0, 100)
    with pytest.raises(ScoringError, match="noise"):
        effective_eps(0.03, -1)


def test_a_threshold_chosen_on_dev_is_only_reported_elsewhere():
    locked = choose_threshold(risk_coverage([0.9, 0.8, 0.7], [0, 1, 0]), 0.4, split="dev").threshold
    frozen = at_threshold([0.95, 0.71, 0.5], [0, 1, 1], locked, n_total=6)
    assert (frozen.threshold, frozen.coverage, frozen.risk, frozen.answered) == (0.7, 2 / 6, 0.5, 2)
    assert at_threshold([0.5], [0], locked) is None
    assert at_threshold([0.9, 0.8, 0.7], [0, 1, 0], 0.75).risk == 0.5
    with pytest.raises(ScoringError, match="threshold"):
        at_threshold([0.5], [0], float("inf"))


def test_index_recall_is_the_overlap_with_the_exact_list():
    assert ann_recall(["a", "c", "x", "b"], ["a", "b", "c", "d"], 4).value == 0.75
    assert ann_recall(["a"], ["a", "b"], 10).value == 0.5
    assert ann_recall(["a", "a", "b"], ["a", "b"], 2).value == 1
    assert ann_recall(["a"], [], 5).state is State.NOT_APPLICABLE
    with pytest.raises(ScoringError, match="k is 0"):
        ann_recall(["a"], ["a"], 0)
