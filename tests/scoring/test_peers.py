"""Quantities that other packages define too: equal to theirs to 1e-9, or to a definition written out here."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.agreement.alternative_annotator import alternative_annotator_test
from scoring.agreement.kappa import cohen_kappa, gwet_ac, matthews, percent_agreement
from scoring.agreement.many_raters import fleiss_kappa, krippendorff_alpha
from scoring.agreement.rank import kendall_tau_b, spearman
from scoring.stats.holm import holm
from scoring.stats.power import items_needed, smallest_difference
from scoring.stats.ppi import ppi_mean
from scoring.stats.weighted import weighted_mean
from scoring.stats.wilson import wilson
from tests.scoring.builders import item, listed

UNIT = st.floats(0, 1, allow_nan=False).map(lambda x: round(x, 3))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1, allow_nan=False), min_size=1, max_size=12))
def test_holm_is_statsmodels(p_values):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    theirs = multitest.multipletests(p_values, method="holm")[1]
    assert holm(p_values) == pytest.approx(theirs.tolist(), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 400), st.integers(0, 400), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_statsmodels(n, successes, confidence):
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    successes = min(successes, n)
    theirs = proportion.proportion_confint(successes, n, alpha=1 - confidence, method="wilson")
    assert wilson(successes, n, confidence) == pytest.approx(tuple(map(float, theirs)), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(UNIT, UNIT), min_size=3, max_size=30),
    st.lists(UNIT, min_size=2, max_size=40),
    st.sampled_from([None, 0.0, 0.5, 1.0]),
    st.sampled_from([0.8, 0.95]),
)
def test_the_prediction_powered_mean_is_ppi_pythons_on_any_labels(pairs, rest, power, confidence):
    ppi_py = pytest.importorskip("ppi_py")
    human, judge = np.array(pairs).T
    together = np.concatenate([judge, rest])
    if together.var() < 1e-9 or human.var() < 1e-9:
        return
    ours = ppi_mean(human, judge, rest, power=power, confidence=confidence)
    theirs = float(np.squeeze(ppi_py.ppi_mean_pointestimate(human, judge, np.array(rest), lam=power)))
    low, high = ppi_py.ppi_mean_ci(human, judge, np.array(rest), alpha=1 - confidence, lam=power)
    assert ours.estimate == pytest.approx(theirs, abs=1e-9)
    if ours.high - ours.low > 1e-9:
        assert (ours.low, ours.high) == pytest.approx((float(np.squeeze(low)), float(np.squeeze(high))), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 5).flatmap(lambda m: st.lists(st.lists(st.integers(0, 2), min_size=m, max_size=m), min_size=1)))
def test_fleiss_is_statsmodels(table):
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    ours = fleiss_kappa(table)
    if ours.value is None:
        assert len({label for row in table for label in row}) == 1
        return
    counts = rater.aggregate_raters(np.array(table), n_cat=3)[0]
    assert ours.value == pytest.approx(rater.fleiss_kappa(counts), abs=1e-9)


def weight_of(a, b, k, weights):
    if weights is None:
        return float(a == b)
    apart = abs(a - b) / (k - 1)
    return 1 - apart if weights == "linear" else 1 - apart**2


def gwet_by_pairs(left, right, k, weights):
    """Gwet 2014, chapter 6, as its sums read: item by item, category by category."""
    n = len(left)
    observed = sum(weight_of(a, b, k, weights) for a, b in zip(left, right, strict=True)) / n
    share = [(left.count(c) + right.count(c)) / (2 * n) for c in range(k)]
    whole = sum(weight_of(a, b, k, weights) for a in range(k) for b in range(k))
    chance = whole / (k * (k - 1)) * sum(p * (1 - p) for p in share)
    return (observed - chance) / (1 - chance)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30),
    st.sampled_from([None, "linear", "quadratic"]),
)
def test_gwets_coefficients_are_their_definition(pairs, weights):
    left, right = [a for a, _ in pairs], [b for _, b in pairs]
    ours = gwet_ac(left, right, weights=weights, categories=[0, 1, 2, 3])
    assert ours.value == pytest.approx(gwet_by_pairs(left, right, 4, weights), abs=1e-9)


def crossed(matrix):
    """Two raters' labels of a confusion matrix."""
    cells = [(i, j) for i, row in enumerate(matrix) for j, count in enumerate(row) for _ in range(count)]
    return [i for i, _ in cells], [j for _, j in cells]


def test_the_two_paradoxes_of_kappa():
    # Feinstein and Cicchetti 1990: high agreement, low kappa; Gwet 2008 answers with AC1.
    left, right = crossed([[118, 5], [2, 0]])
    assert percent_agreement(left, right).value == pytest.approx(0.944)
    assert cohen_kappa(left, right).value == pytest.approx(-0.0234, abs=5e-5)
    assert gwet_ac(left, right).value == pytest.approx(0.9408, abs=5e-5)


def test_cohens_own_weighted_example_is_the_definition():
    left, right = crossed([[44, 5, 1], [7, 20, 3], [9, 5, 6]])
    n, k = len(left), 3
    for weights in ("linear", "quadratic"):
        apart = [[1 - weight_of(a, b, k, weights) for b in range(k)] for a in range(k)]
        seen = sum(apart[a][b] for a, b in zip(left, right, strict=True)) / n
        chance = sum(apart[a][b] for a in left for b in right) / n**2
        assert cohen_kappa(left, right, weights=weights).value == pytest.approx(1 - seen / chance, abs=1e-12)


def test_krippendorffs_worked_reliability_data():
    # Krippendorff 2011, "Computing Krippendorff's alpha-reliability", section C: four observers, twelve units.
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    table = [list(column) for column in zip(*rows, strict=True)]
    for level, published in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        found = krippendorff_alpha(table, level=level)
        assert found.value == pytest.approx(published, abs=5e-4)
        assert found.n == 11
        assert found.low < found.value < found.high


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40))
def test_matthews_of_two_classes_is_pearsons_correlation(pairs):
    left, right = [min(a, 1) for a, _ in pairs], [min(b, 1) for _, b in pairs]
    ours = matthews(left, right)
    if ours.value is not None:
        assert ours.value == pytest.approx(float(np.corrcoef(left, right)[0, 1]), abs=1e-9)


def test_whole_agreement_has_an_interval_with_width():
    left = [0, 1] * 25
    share = 1 - 0.025 ** (1 / 50)
    for found in (cohen_kappa(left, left), matthews(left, left), fleiss_kappa(list(zip(left, left, strict=True)))):
        assert (found.value, found.high, found.method) == (1.0, 1.0, "exact binomial bound")
        assert found.low == pytest.approx(1 - share / 0.5)
    assert gwet_ac(left, left).low == pytest.approx(1 - share / 0.5)
    alpha = krippendorff_alpha(list(zip(left, left, strict=True)), level="interval")
    assert alpha.low == pytest.approx(1 - share / (100 * 100 / 2 / (100 * 99)))
    few = cohen_kappa([0, 1], [0, 1])
    assert (few.value, few.low, few.high) == (1.0, pytest.approx(1 - (1 - 0.025**0.5) / 0.5), 1.0)
    assert percent_agreement(left, left).low == pytest.approx(wilson(50, 50)[0])
    constant = cohen_kappa([0] * 40, [0, 1] * 20)
    assert (constant.value, constant.low, constant.high) == (0.0, None, None)
    assert "same value" in constant.reason


@pytest.mark.parametrize("coefficient", [cohen_kappa, gwet_ac, matthews, percent_agreement])
def test_the_intervals_of_agreement_hold_the_true_coefficient(coefficient):
    # Two raters who each copy the truth (two even classes) with chance 0.9, else the other: the true kappa, AC1 and
    # Matthews coefficient are 0.64, raw agreement 0.82.
    truth = 0.82 if coefficient is percent_agreement else 0.64
    rng = np.random.default_rng(12)
    inside = 0
    for trial in range(400):
        real = rng.random(100) < 0.5
        left = np.where(rng.random(100) < 0.9, real, ~real).astype(int).tolist()
        right = np.where(rng.random(100) < 0.9, real, ~real).astype(int).tolist()
        found = coefficient(left, right, seed=str(trial))
        inside += found.low <= truth <= found.high
    assert 0.92 <= inside / 400 <= 0.98


@pytest.mark.parametrize("coefficient", [spearman, kendall_tau_b])
def test_the_intervals_of_rank_correlation_hold_the_true_one(coefficient):
    # Of two normal variables with correlation r: Spearman 6/pi asin(r/2), Kendall 2/pi asin(r).
    r = 0.6
    truth = 6 / math.pi * math.asin(r / 2) if coefficient is spearman else 2 / math.pi * math.asin(r)
    rng = np.random.default_rng(13)
    inside = 0
    for _ in range(600):
        x = rng.normal(size=80)
        y = r * x + math.sqrt(1 - r * r) * rng.normal(size=80)
        found = coefficient(x, y)
        inside += found.low <= truth <= found.high
    assert 0.92 <= inside / 600 <= 0.98


def test_the_p_values_of_the_alternative_annotator_test_are_scipys_and_statsmodels():
    stats = pytest.importorskip("scipy.stats")
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, size=50)
    humans = [[int(t) if rng.random() < 0.8 else int(rng.integers(0, 3)) for _ in range(4)] for t in truth]
    judge = [int(t) if rng.random() < 0.85 else 0 for t in truth]
    found = alternative_annotator_test(judge, humans, epsilon=0.15)
    p_values = []
    for out in range(4):
        gaps = []
        for label, row in zip(judge, humans, strict=True):
            others = [other for place, other in enumerate(row) if place != out]
            of_judge, of_human = others.count(label), others.count(row[out])
            gaps.append(float(of_human >= of_judge) - float(of_judge >= of_human))
        p_values.append(stats.ttest_1samp(gaps, 0.15, alternative="less").pvalue)
    assert [a.p_value for a in found.against] == pytest.approx(p_values, abs=1e-9)
    adjusted = multitest.multipletests(p_values, method="fdr_by")[1]
    assert [a.adjusted for a in found.against] == pytest.approx(adjusted.tolist(), abs=1e-9)
    assert found.winning_rate == sum(adjusted < 0.05) / 4


@pytest.mark.parametrize("power", [0.6, 0.8, 0.9])
@pytest.mark.parametrize(("difference", "sd"), [(0.03, 0.4), (0.05, 0.5), (0.2, 0.3)])
def test_the_number_of_items_is_statsmodels(difference, sd, power):
    module = pytest.importorskip("statsmodels.stats.power")
    theirs = module.normal_sample_size_one_tail(difference, power, 0.025, std_null=sd)
    assert items_needed(difference, sd, power=power) == max(2, math.ceil(theirs - 1e-9))
    n = items_needed(difference, sd, power=power)
    reached = module.normal_power(difference / sd, n, 0.05)
    assert reached >= power - 1e-9
    assert module.normal_power(smallest_difference(n, sd, power=power) / sd, n, 0.05) == pytest.approx(power, abs=1e-4)


def test_the_number_of_items_with_clusters_shows_the_difference_as_often_as_it_says():
    rng = np.random.default_rng(14)
    size, icc, sd, difference = 5, 0.3, 0.4, 0.08
    n = items_needed(difference, sd, power=0.8, cluster_size=size, icc=icc)
    g = math.ceil(n / size)
    shown, trials = 0, 2000
    for _ in range(trials):
        shared = rng.normal(0, sd * math.sqrt(icc), g)
        values = difference + shared[:, None] + rng.normal(0, sd * math.sqrt(1 - icc), (g, size))
        means = values.mean(axis=1)
        shown += abs(means.mean()) > 1.959964 * means.std(ddof=1) / math.sqrt(g)
    assert shown / trials == pytest.approx(0.8, abs=0.03)


def test_the_weighted_mean_of_hardly_any_failures_keeps_its_coverage():
    rng = np.random.default_rng(15)
    for common, rare, good in ((90, 60, 0.98), (20, 10, 0.8), (10, 5, 0.9)):
        truth, inside = 0.9 * good + 0.1 * 0.2, 0
        for _ in range(1000):
            values = np.r_[rng.random(common) < good, rng.random(rare) < 0.2].astype(float)
            chances = [common / 90_000] * common + [rare / 10_000] * rare
            found = weighted_mean(values, chances, ["c"] * common + ["r"] * rare)
            inside += found.low <= truth <= found.high
        assert 0.93 <= inside / 1000 <= 0.98, (common, rare, good)


def test_a_weighted_mean_without_any_spread_claims_no_certainty():
    assert weighted_mean([1.0] * 20, [0.1] * 20).low == pytest.approx(wilson(20, 20)[0])
    assert weighted_mean([1.0] * 20, [0.1] * 20).high == 1.0
    graded = weighted_mean([0.7] * 20, [0.1] * 20)
    assert (graded.value, graded.low, graded.high) == (pytest.approx(0.7), None, None)
    sure = ppi_mean([1.0] * 10, [1.0] * 10, [1.0] * 50)
    assert (sure.estimate, sure.high) == (1.0, 1.0)
    assert sure.low == pytest.approx(0.025 ** (1 / 10))


def test_the_ir_measures_package_gives_the_same_per_topic():
    ir_measures = pytest.importorskip("ir_measures")
    from ir_measures import AP, RR, P, R, Rprec, Success, nDCG

    from scoring.registry import identity
    from scoring.score import score_batch

    rng = np.random.default_rng(16)
    qrels, run, items, outputs = {}, {}, [], []
    for topic in range(30):
        name = f"q{topic}"
        labels = {f"d{d}": int(label) for d, label in enumerate(rng.integers(0, 3, size=12))}
        labels["d0"] = 1
        order = [f"d{d}" for d in rng.permutation(20)[:15]]
        qrels[name], run[name] = labels, {d: float(len(order) - place) for place, d in enumerate(order)}
        items.append(item(name, relevance=labels))
        outputs.append(listed(*order, external_id=name))
    pairs = [
        (AP @ 10, identity("retrieval.ap", stage="coarse", k=10)),
        (nDCG @ 10, identity("retrieval.ndcg", stage="coarse", k=10)),
        (P @ 5, identity("retrieval.precision", stage="coarse", k=5)),
        (R @ 5, identity("retrieval.recall", stage="coarse", k=5)),
        (RR, identity("retrieval.mrr", stage="coarse")),
        (Success @ 3, identity("retrieval.hit", stage="coarse", k=3)),
        (Rprec, identity("retrieval.r_precision", stage="coarse")),
    ]
    ours = score_batch([metric for _, metric in pairs], items, outputs)
    for (theirs, metric), scores in zip(pairs, ours, strict=True):
        expected = {m.query_id: m.value for m in ir_measures.iter_calc([theirs], qrels, run)}
        for one, found in zip(items, scores, strict=True):
            assert found.value == pytest.approx(expected[one.external_id], abs=1e-9), metric.text
