"""Prediction-powered means, judge noise, inverse-probability means, risk against coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import ScoringError
from scoring.refusal.risk_coverage import choose_threshold, risk_coverage
from scoring.stats.noise import judge_noise
from scoring.stats.ppi import ppi_mean
from scoring.stats.weighted import weighted_mean


@pytest.mark.parametrize("power", [None, 0.0, 0.4, 1.0])
@pytest.mark.parametrize("kind", ["binary", "graded"])
def test_the_prediction_powered_mean_equals_ppi_pythons(power, kind):
    ppi_py = pytest.importorskip("ppi_py")
    rng = np.random.default_rng(8)
    human = rng.random(60) if kind == "graded" else rng.integers(0, 2, size=60).astype(float)
    judge = np.clip(human + rng.normal(0, 0.3, 60), 0, 1)
    rest = rng.random(400)
    ours = ppi_mean(human, judge, rest, power=power)
    theirs = ppi_py.ppi_mean_pointestimate(human, judge, rest, lam=power)
    low, high = ppi_py.ppi_mean_ci(human, judge, rest, alpha=0.05, lam=power)
    assert ours.estimate == pytest.approx(float(np.squeeze(theirs)), abs=1e-9)
    assert (ours.low, ours.high) == pytest.approx((float(np.squeeze(low)), float(np.squeeze(high))), abs=1e-9)


def test_ppi_edges():
    assert ppi_mean([1, 0, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], power=1).estimate == 0.5
    flat = ppi_mean([1, 0], [0.5, 0.5], [0.5, 0.5])
    assert (flat.power, flat.estimate) == (0.0, 0.5)
    for bad in [([1], [1], [1]), ([1, 0], [1], [1]), ([1, 0], [1, 0], []), ([1, float("nan")], [1, 0], [1])]:
        with pytest.raises(ScoringError):
            ppi_mean(*bad)


def test_a_biased_judge_is_corrected_with_honest_coverage():
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(2000):
        truth = rng.random(500) < 0.6
        judged = np.where(truth, rng.random(500) < 0.95, rng.random(500) < 0.4).astype(float)
        found = ppi_mean(truth[:100].astype(float), judged[:100], judged[100:])
        inside += found.low <= 0.6 <= found.high
    assert 0.93 <= inside / 2000 <= 0.97


def test_judge_noise_is_pooled_within_items_and_gives_a_band():
    noise = judge_noise({"a": [0.4, 0.6], "b": [0.5, 0.5], "c": [0.9]})
    assert noise.sd == pytest.approx(0.1)
    assert (noise.n_items, noise.degrees) == (2, 2)
    assert noise.band(100) == pytest.approx(0.0277, abs=5e-5)
    assert noise.band(100, judge_repeats=4) == pytest.approx(noise.band(100) / 2)
    with pytest.raises(ScoringError, match="judged twice"):
        judge_noise({"a": [0.4]})
    with pytest.raises(ScoringError, match="items"):
        noise.band(0)


def test_the_noise_band_holds_ninety_five_percent_of_run_pairs():
    rng = np.random.default_rng(6)
    noise = judge_noise({str(i): rng.normal(0.5, 0.1, size=5) for i in range(200)})
    gaps = rng.normal(0, 0.1, size=(4000, 50)).mean(axis=1) - rng.normal(0, 0.1, size=(4000, 50)).mean(axis=1)
    assert float((np.abs(gaps) <= noise.band(50)).mean()) == pytest.approx(0.95, abs=0.02)


def test_the_weighted_mean_equals_the_plain_one_under_equal_probabilities():
    from scipy import stats

    data = [0.1, 0.4, 0.9, 0.3]
    found = weighted_mean(data, [0.2] * 4)
    theirs = stats.ttest_1samp(data, 0).confidence_interval()
    assert found.value == pytest.approx(np.mean(data))
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    assert found.effective_n == pytest.approx(4)


def test_the_weighted_mean_edges():
    assert weighted_mean([1, 0], [0.5, 0.25]).value == pytest.approx(1 / 3)
    assert weighted_mean([1], [0.5]).low is None
    assert weighted_mean([1, 0, 1], [0.5] * 3, ["a", "a", "b"]).low is None
    for bad in [([], []), ([1], [0]), ([1], [1.5]), ([1, 2], [0.5]), ([float("nan")], [0.5])]:
        with pytest.raises(ScoringError):
            weighted_mean(*bad)


def test_a_stratified_sample_with_unequal_probabilities_is_covered():
    rng = np.random.default_rng(7)
    truth = 0.9 * 0.8 + 0.1 * 0.2
    inside = 0
    for _ in range(2000):
        common, rare = rng.random(90) < 0.8, rng.random(60) < 0.2
        values = np.r_[common, rare].astype(float)
        found = weighted_mean(values, [0.01] * 90 + [0.06] * 60, ["c"] * 90 + ["r"] * 60)
        inside += found.low <= truth <= found.high
    assert 0.93 <= inside / 2000 <= 0.97


def test_risk_and_coverage_worked_example():
    curve = risk_coverage([0.9, 0.8, 0.7], [0, 1, 0])
    assert [p.risk for p in curve.points] == pytest.approx([0, 1 / 2, 1 / 3])
    assert [p.coverage for p in curve.points] == pytest.approx([1 / 3, 2 / 3, 1])
    assert curve.aurc == pytest.approx(0.2778, abs=5e-5)
    assert choose_threshold(curve, 0.4, split="dev").threshold == 0.7
    assert choose_threshold(curve, 0.1, split="dev").threshold == 0.9
    assert choose_threshold(curve, 0.1, split="dev", upper_end=True) is None
    assert risk_coverage([0.9], [0], n_total=4).points[0].coverage == 0.25


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.booleans()), min_size=1, max_size=8), st.randoms())
def test_aurc_is_the_mean_over_all_orders_of_ties_and_order_changes_nothing(rows, random):
    curve = risk_coverage([c for c, _ in rows], [w for _, w in rows])
    mixed = list(rows)
    random.shuffle(mixed)
    assert risk_coverage([c for c, _ in mixed], [w for _, w in mixed]) == curve
    assert 0 <= curve.aurc <= 1
    assert curve.points[-1].coverage == 1
    rng, areas = np.random.default_rng(1), []
    for _ in range(300):
        order = sorted(range(len(rows)), key=lambda i: (-rows[i][0], rng.random()))
        wrong = np.cumsum([rows[i][1] for i in order])
        areas.append(float((wrong / np.arange(1, len(rows) + 1)).mean()))
    assert curve.aurc == pytest.approx(float(np.mean(areas)), abs=0.1)


def test_a_threshold_is_never_chosen_on_a_frozen_split():
    curve = risk_coverage([0.9], [0])
    with pytest.raises(ScoringError, match="dev split only"):
        choose_threshold(curve, 0.1, split="frozen")
    with pytest.raises(ScoringError, match="max_risk"):
        choose_threshold(curve, math.nan, split="dev")
    for bad in [([], []), ([0.5], []), ([math.nan], [0]), ([0.5], [0.5])]:
        with pytest.raises(ScoringError):
            risk_coverage(*bad)
    with pytest.raises(ScoringError, match="n_total"):
        risk_coverage([0.5], [0], n_total=0)
