"""Intervals, tests and verdicts, against statsmodels and scipy, exact enumeration and worked examples."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import ScoringError
from scoring.stats.bootstrap import (
    bca_interval,
    bootstrap_interval,
    jackknife_means,
    percentile_interval,
    resample_means,
)
from scoring.stats.cluster_t import cluster_t, cluster_variance
from scoring.stats.clusters import by_cluster
from scoring.stats.holm import holm
from scoring.stats.permutation import sign_flip
from scoring.stats.power import (
    design_effect,
    estimated_design_effect,
    intra_cluster_correlation,
    items_needed,
    paired_sd_of_proportion,
    smallest_difference,
)
from scoring.stats.seeds import generator, seed_of
from scoring.stats.verdicts import non_inferiority, verdict
from scoring.stats.wilson import wilson


@settings(deadline=None)
@given(st.integers(1, 500), st.floats(0, 1), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_equals_scipys(n, share, confidence):
    from scipy.stats import binomtest

    successes = round(share * n)
    theirs = binomtest(successes, n).proportion_ci(confidence, method="wilson")
    assert wilson(successes, n, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_wilson_worked_example_and_bad_input():
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=5e-5)
    assert wilson(0, 5)[0] == 0.0
    assert wilson(5, 5)[1] == 1.0
    for bad in [(1, 0), (-1, 5), (6, 5), (float("nan"), 5)]:
        with pytest.raises(ScoringError, match="wilson"):
            wilson(*bad)
    with pytest.raises(ScoringError, match="confidence"):
        wilson(1, 2, 1.0)


@pytest.mark.parametrize("method", ["BCa", "percentile"])
def test_the_interval_equals_scipys_on_the_same_resamples(method):
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(5)
    data = rng.gamma(2.0, size=40)
    result = scipy_stats.bootstrap(
        (data,), np.mean, n_resamples=2000, method=method, rng=np.random.default_rng(1), vectorized=True
    )
    means = result.bootstrap_distribution
    clusters = by_cluster(data, None)
    if method == "BCa":
        ours = bca_interval(means, clusters.mean, jackknife_means(clusters))
    else:
        ours = percentile_interval(means)
    assert (ours.low, ours.high) == pytest.approx(tuple(result.confidence_interval), abs=1e-9)


@pytest.mark.parametrize("values", ["continuous", "few levels"])
def test_our_own_resamples_give_scipys_interval_within_monte_carlo_error(values):
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(7)
    data = rng.beta(2, 5, size=120) if values == "continuous" else rng.integers(0, 3, size=120) / 2
    theirs = scipy_stats.bootstrap((data,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(2))
    ours = bootstrap_interval(by_cluster(data, None), rng=generator("x"), resamples=20_000)
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.04 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.04 * width)


def test_whole_clusters_are_drawn():
    clusters = by_cluster([1, 1, 0, 0], ["a", "a", "b", "b"])
    means = resample_means(clusters, 4000, generator("s"))
    assert set(np.unique(means)) == {0.0, 0.5, 1.0}
    assert float((means == 0.5).mean()) == pytest.approx(0.5, abs=0.04)
    unequal = by_cluster([1, 1, 1, 0], ["a", "a", "a", "b"])
    assert set(np.unique(resample_means(unequal, 500, generator("s")))) == {0.0, 0.75, 1.0}


@pytest.mark.parametrize("alone", [0, 3, 40])
def test_clusters_drawn_together_and_alone_have_the_moments_of_single_draws(alone):
    values = np.r_[np.zeros(60), np.ones(30), np.arange(1, alone + 1) / 7]
    clusters = by_cluster(values, None)
    means = resample_means(clusters, 40_000, np.random.default_rng(11))
    spread = values.std() / math.sqrt(len(values))
    assert means.mean() == pytest.approx(values.mean(), abs=5 * spread / math.sqrt(len(means)))
    assert means.std() == pytest.approx(spread, rel=0.02)


def test_clusters_without_equals_are_drawn_one_by_one_in_blocks():
    clusters = by_cluster(np.random.default_rng(6).normal(0.1, 1.0, 300), None)
    ours = resample_means(clusters, 1000, np.random.default_rng(8))
    drawn = np.random.default_rng(8).integers(0, 300, size=(1000, 300))
    assert ours == pytest.approx(clusters.sums[drawn].mean(axis=1), abs=1e-12)


def test_clusters_of_different_sizes_are_weighed_by_their_counts():
    sizes = [1, 2, 3, 4] * 10
    names = [str(place) for place, size in enumerate(sizes) for _ in range(size)]
    values = np.random.default_rng(5).random(len(names))
    clusters = by_cluster(values, names)
    ours = resample_means(clusters, 20_000, np.random.default_rng(1))
    rng = np.random.default_rng(2)
    picks = rng.integers(0, clusters.g, size=(20_000, clusters.g))
    plain = clusters.sums[picks].sum(axis=1) / clusters.counts[picks].sum(axis=1)
    assert np.quantile(ours, [0.025, 0.5, 0.975]) == pytest.approx(np.quantile(plain, [0.025, 0.5, 0.975]), abs=0.003)


def test_the_same_seed_gives_the_same_interval_and_order_of_items_changes_nothing():
    rng = np.random.default_rng(3)
    values = rng.random(60).tolist()
    names = [f"c{i % 25}" for i in range(60)]
    order = rng.permutation(60)
    one = bootstrap_interval(by_cluster(values, names), rng=generator("seed"))
    two = bootstrap_interval(by_cluster([values[i] for i in order], [names[i] for i in order]), rng=generator("seed"))
    assert one == two
    other = bootstrap_interval(by_cluster(values, names), rng=generator("other"))
    assert one != other


def test_the_seed_depends_on_the_manifests_as_a_set_and_on_the_metric():
    assert seed_of(["a", "b"], "m v1") == seed_of(["b", "a"], "m v1") != seed_of(["a", "b"], "m v2")
    assert len(seed_of([], "m")) == 64


def test_equal_values_give_a_point_and_one_cluster_is_refused():
    point = bootstrap_interval(by_cluster([0.3] * 25, None), rng=generator("s"))
    assert (point.low, point.high) == pytest.approx((0.3, 0.3))
    with pytest.raises(ScoringError, match="two clusters"):
        bootstrap_interval(by_cluster([1, 2], ["a", "a"]), rng=generator("s"))
    with pytest.raises(ScoringError, match="values: is empty"):
        by_cluster([], None)
    with pytest.raises(ScoringError, match="values: holds NaN"):
        by_cluster([1.0, float("nan")], None)
    with pytest.raises(ScoringError, match="differ in length"):
        by_cluster([1.0], ["a", "b"])
    with pytest.raises(ScoringError, match="method"):
        bootstrap_interval(by_cluster([1, 2], None), rng=generator("s"), method="normal")


def test_the_cluster_t_interval_of_single_items_is_the_usual_one():
    scipy_stats = pytest.importorskip("scipy.stats")
    data = [1, 2, 3, 4, 5]
    found = cluster_t(by_cluster(data, None))
    theirs = scipy_stats.ttest_1samp(data, 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
    assert (found.low, found.high) == pytest.approx((1.0368, 4.9632), abs=5e-5)


def test_wilson_holm_and_cluster_variance_equal_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.proportion import proportion_confint

    for successes, n in [(0, 7), (3, 7), (7, 7), (81, 90)]:
        assert wilson(successes, n) == pytest.approx(proportion_confint(successes, n, method="wilson"), abs=1e-9)
    p_values = [0.01, 0.04, 0.03, 0.5, 0.04]
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-12)
    rng = np.random.default_rng(11)
    groups = rng.integers(0, 12, size=80)
    values = rng.random(80) + groups * 0.05
    fit = api.OLS(values, np.ones(80)).fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": True})
    ours = cluster_variance(by_cluster(values, [str(g) for g in groups]))
    assert ours == pytest.approx(float(fit.cov_params()[0, 0]), rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=9))
def test_the_sign_flip_test_counts_all_patterns(differences):
    total = abs(sum(differences))
    moving = [d for d in differences if d]
    patterns = list(itertools.product((1, -1), repeat=len(moving)))
    exact = sum(abs(sum(s * d for s, d in zip(p, moving, strict=True))) >= total - 1e-12 for p in patterns)
    ours = sign_flip(by_cluster(differences, None), rng=generator("s"))
    assert ours == pytest.approx(exact / len(patterns), abs=1e-12)


@pytest.mark.parametrize("levels", ["few", "many"])
def test_the_sampled_sign_flip_agrees_with_the_exact_one(levels):
    rng = np.random.default_rng(2)
    values = rng.choice([-1.0, 1.0, 1.0], size=18) if levels == "few" else rng.normal(0.3, 1, size=18)
    patterns = np.array(list(itertools.product((1.0, -1.0), repeat=18)))
    exact = float((np.abs(patterns @ np.abs(values)) >= abs(values.sum()) - 1e-12).mean())
    assert sign_flip(by_cluster(values, None), rng=generator("s")) == pytest.approx(exact, abs=0.015)


def test_signs_drawn_together_and_alone_give_the_normal_limit():
    values = np.r_[np.full(100, 0.4), np.full(80, -0.4), np.random.default_rng(3).normal(0.1, 1.0, 50)]
    clusters = by_cluster(values, None)
    seen = sign_flip(clusters, rng=np.random.default_rng(4), resamples=40_000)
    limit = math.erfc(abs(values.sum()) / math.sqrt(2.0 * (values**2).sum()))
    assert seen == pytest.approx(limit, abs=0.015)


def test_sign_flip_edges():
    assert sign_flip(by_cluster([1, 1, 1], None), rng=generator("s")) == 0.25
    assert sign_flip(by_cluster([0.0, 0.0], None), rng=generator("s")) == 1.0
    assert sign_flip(by_cluster([1.0] * 60, None), rng=generator("s"), resamples=999) == pytest.approx(0.001)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_rejects_exactly_what_the_step_down_procedure_rejects(p_values):
    adjusted = holm(p_values)
    for alpha in (0.01, 0.05, 0.3):
        rejected = set()
        for step, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
            if p_values[place] * (len(p_values) - step) > alpha:
                break
            rejected.add(place)
        # Equal p-values stand or fall together.
        rejected |= {i for i in range(len(p_values)) if any(p_values[i] == p_values[r] for r in rejected)}
        assert {i for i, p in enumerate(adjusted) if p <= alpha} == rejected


def test_holm_edges():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
    with pytest.raises(ScoringError, match="p_values"):
        holm([1.2])


@pytest.mark.parametrize(
    ("estimate", "low", "high", "noise", "expected"),
    [
        (0.05, 0.01, 0.09, 0.0, "improved"),
        (0.05, 0.01, 0.09, 0.06, "inconclusive"),
        (0.02, 0.01, 0.028, 0.0, "equivalent"),
        (0.02, 0.01, 0.04, 0.0, "inconclusive"),
        (0.02, 0.01, 0.028, 0.05, "inconclusive"),
        (-0.05, -0.09, -0.01, 0.0, "regressed"),
        (0.0, -0.03, 0.01, 0.0, "inconclusive"),
        (0.0, 0.0, 0.0, 0.0, "equivalent"),
        (0.05, 0.0, 0.1, 0.0, "inconclusive"),
        (None, None, None, 0.0, "inconclusive"),
    ],
)
def test_the_verdict_follows_the_interval_eps_and_noise(estimate, low, high, noise, expected):
    assert verdict(estimate, low, high, 0.03, noise) == expected


@given(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0, 0.2), st.floats(0, 0.2), st.floats(0, 0.2))
def test_more_noise_never_lets_more_pass(estimate, half, eps, noise, more):
    low, high = estimate - half, estimate + half
    quiet, loud = verdict(estimate, low, high, eps, noise), verdict(estimate, low, high, eps, noise + more)
    assert loud in (quiet, "inconclusive")
    quiet_gate = non_inferiority(low, high, estimate, eps, noise)
    assert non_inferiority(low, high, estimate, eps, noise + more) in (quiet_gate, "inconclusive")


@pytest.mark.parametrize(
    ("low", "high", "estimate", "noise", "expected"),
    [
        (-0.01, 0.03, 0.01, 0.0, "pass"),
        (-0.08, -0.03, -0.05, 0.0, "fail"),
        (-0.05, 0.01, -0.02, 0.0, "inconclusive"),
        (-0.06, -0.01, -0.03, 0.0, "fail"),
        (-0.03, -0.005, -0.015, 0.0, "inconclusive"),
        (-0.02, 0.02, 0.0, 0.0, "inconclusive"),
        (-0.01, 0.03, 0.01, 0.03, "inconclusive"),
        (None, None, None, 0.0, "inconclusive"),
    ],
)
def test_non_inferiority_with_a_margin_of_two_points(low, high, estimate, noise, expected):
    assert non_inferiority(low, high, estimate, 0.02, noise) == expected


def test_a_negative_margin_or_eps_is_refused():
    with pytest.raises(ScoringError, match="margin"):
        non_inferiority(0, 1, 0.5, -0.1)
    with pytest.raises(ScoringError, match="eps"):
        verdict(0, 0, 0, float("nan"))
    with pytest.raises(ScoringError, match="noise"):
        verdict(0, 0, 0, 0.1, -1)


def test_power_and_smallest_difference_are_inverse_and_grow_with_clustering():
    assert items_needed(0.1, 0.5) == 197
    assert smallest_difference(197, 0.5) == pytest.approx(0.0998, abs=5e-5)
    assert smallest_difference(items_needed(0.05, 0.4), 0.4) <= 0.05
    assert items_needed(0.1, 0.5, cluster_size=5, icc=0.2) == math.ceil(1.8 * 196.2 - 0.05)
    assert design_effect(5, 0.2) == pytest.approx(1.8)
    assert paired_sd_of_proportion(0.8, 0.5) == pytest.approx(0.4)
    for bad in [(0.0, 0.5), (0.1, 0.0), (float("nan"), 1)]:
        with pytest.raises(ScoringError):
            items_needed(*bad)
    with pytest.raises(ScoringError, match="n is 1"):
        smallest_difference(1, 0.5)


def test_power_is_reached_in_simulation():
    n = items_needed(0.3, 1.0)
    rng = np.random.default_rng(9)
    draws = rng.normal(0.3, 1.0, size=(4000, n))
    t = draws.mean(axis=1) / (draws.std(axis=1, ddof=1) / math.sqrt(n))
    assert float((t > 1.96).mean()) == pytest.approx(0.8, abs=0.03)


def test_intra_cluster_correlation_edges():
    same = by_cluster([1, 1, 0, 0], ["a", "a", "b", "b"])
    assert intra_cluster_correlation(same, 2.0) == pytest.approx(1.0)
    flat = by_cluster([1, 1, 1, 1], ["a", "a", "b", "b"])
    assert intra_cluster_correlation(flat, 4.0) == 0.0
    with pytest.raises(ScoringError, match="intra-cluster"):
        intra_cluster_correlation(by_cluster([1, 0], None), 1.0)
    assert estimated_design_effect(flat, 4.0) == 1.0


def coverage(interval, clusters, size, rng, trials=2000, icc=0.0):
    """Share of simulated data sets whose interval holds the true mean of 0.4."""
    inside = 0
    for trial in range(trials):
        base = rng.normal(0, math.sqrt(icc), size=clusters)
        values = 0.4 + np.repeat(base, size) + rng.normal(0, math.sqrt(1 - icc), size=clusters * size)
        low, high = interval(by_cluster(values, np.repeat(np.arange(clusters), size).astype(str).tolist()), trial)
        inside += low <= 0.4 <= high
    return inside / trials


def test_few_clusters_are_covered_by_the_t_interval():
    def interval(clusters, trial):
        found = cluster_t(clusters)
        return found.low, found.high

    assert 0.93 <= coverage(interval, 8, 6, np.random.default_rng(1), icc=0.3) <= 0.97


def test_clusters_are_covered_by_the_bootstrap():
    def interval(clusters, trial):
        found = bootstrap_interval(clusters, rng=generator(str(trial)), resamples=600)
        return found.low, found.high

    assert 0.93 <= coverage(interval, 40, 3, np.random.default_rng(4), icc=0.3) <= 0.97
