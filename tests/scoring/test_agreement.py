"""Agreement coefficients equal the reference packages', and have reasons at the edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.agreement.alternative_annotator import alternative_annotator_test
from scoring.agreement.confusion import confusion
from scoring.agreement.kappa import cohen_kappa, gwet_ac, matthews, percent_agreement
from scoring.agreement.many_raters import fleiss_kappa, krippendorff_alpha
from scoring.agreement.rank import kendall_tau_b, spearman
from scoring.errors import ScoringError

YES_NO = (["y", "y", "n", "n"], ["y", "n", "n", "n"])
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=40)


def columns(pairs):
    return [a for a, _ in pairs], [b for _, b in pairs]


def test_worked_examples_of_two_raters():
    assert cohen_kappa(*YES_NO).value == pytest.approx(0.5)
    assert gwet_ac(*YES_NO).value == pytest.approx(0.5294, abs=5e-5)
    assert matthews([1, 1, 0, 0], [1, 0, 0, 0]).value == pytest.approx(0.5774, abs=5e-5)
    assert percent_agreement(*YES_NO).value == 0.75


@settings(max_examples=60, deadline=None)
@given(PAIRS, st.sampled_from([None, "linear", "quadratic"]))
def test_cohen_kappa_equals_scikit_learns(pairs, weights):
    metrics = pytest.importorskip("sklearn.metrics")
    left, right = columns(pairs)
    ours = cohen_kappa(left, right, weights=weights, categories=[0, 1, 2, 3])
    if ours.value is None:
        assert len({*left, *right}) == 1
        return
    theirs = metrics.cohen_kappa_score(left, right, weights=weights, labels=[0, 1, 2, 3])
    assert ours.value == pytest.approx(theirs, abs=1e-9)
    if ours.low is not None:
        assert -1 <= ours.low <= ours.high <= 1


@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_matthews_equals_scikit_learns(pairs):
    metrics = pytest.importorskip("sklearn.metrics")
    left, right = columns(pairs)
    ours = matthews(left, right)
    if ours.value is None:
        assert len(set(left)) == 1 or len(set(right)) == 1
        return
    assert ours.value == pytest.approx(metrics.matthews_corrcoef(left, right), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_rank_correlations_equal_scipys(pairs):
    from scipy import stats

    left, right = columns(pairs)
    rho, tau = spearman(left, right), kendall_tau_b(left, right)
    if rho.value is None:
        assert len(set(left)) == 1 or len(set(right)) == 1
        assert tau.value is None
        return
    assert rho.value == pytest.approx(stats.spearmanr(left, right).statistic, abs=1e-9)
    assert tau.value == pytest.approx(stats.kendalltau(left, right).statistic, abs=1e-9)


TABLES = st.lists(st.lists(st.one_of(st.none(), st.integers(1, 4)), min_size=3, max_size=3), min_size=1, max_size=20)


@settings(max_examples=80, deadline=None)
@given(TABLES, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_alpha_equals_the_krippendorff_package_with_missing_labels(table, level):
    krippendorff = pytest.importorskip("krippendorff")
    ours = krippendorff_alpha(table, level=level)
    usable = [[label for label in row if label is not None] for row in table]
    usable = [row for row in usable if len(row) > 1]
    if ours.value is None:
        assert len({label for row in usable for label in row}) < 2
        return
    data = np.array([[np.nan if label is None else label for label in row] for row in table], dtype=float).T
    theirs = krippendorff.alpha(reliability_data=data, level_of_measurement=level)
    assert ours.value == pytest.approx(theirs, abs=1e-9)
    assert ours.n == len(usable)


def test_alpha_and_fleiss_worked_examples_and_statsmodels():
    assert krippendorff_alpha([[1, 1], [1, 2], [2, 2], [2, 2]]).value == pytest.approx(0.5333, abs=5e-5)
    table = [["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"]]
    assert fleiss_kappa(table).value == pytest.approx(0.4667, abs=5e-5)
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 3, size=(25, 4))
    theirs = rater.fleiss_kappa(rater.aggregate_raters(labels)[0])
    assert fleiss_kappa(labels.tolist()).value == pytest.approx(theirs, abs=1e-9)


def test_intervals_hold_the_value_and_repeat_to_the_last_bit():
    rng = np.random.default_rng(1)
    left = rng.integers(0, 2, size=80).tolist()
    right = [x if rng.random() < 0.8 else 1 - x for x in left]
    for function in (cohen_kappa, gwet_ac, matthews, percent_agreement):
        one, two = function(left, right, seed="s"), function(left, right, seed="s")
        assert one == two
        assert one.low < one.value < one.high
        assert one.n == 80
    rho = spearman(rng.random(50), rng.random(50))
    assert rho.low < rho.value < rho.high


def test_one_class_no_overlap_and_empty_input_have_reasons():
    assert "one class" in cohen_kappa([1, 1], [1, 1]).reason
    assert cohen_kappa([1, None], [None, 1]).reason == "no item is labelled by both"
    assert cohen_kappa([], []).value is None
    assert gwet_ac([1, 1], [1, 1]).value is None
    assert gwet_ac([1, 1], [1, 1], categories=[0, 1]).value == 1.0
    assert matthews([1, 1], [1, 0]).value is None
    assert krippendorff_alpha([[1, None], [None, 2]]).reason == "no item has two labels"
    assert krippendorff_alpha([[1, 1], [1, 1]]).reason == "all labels are alike"
    assert krippendorff_alpha([]).value is None
    assert fleiss_kappa([["a", "a"]]).value is None
    assert spearman([], []).value is None
    assert spearman([1, 2, 3, 4], [1, 3, 2, 4]).value == pytest.approx(0.8)
    assert spearman([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]).low is None
    assert kendall_tau_b([1, 2, 3, 4], [1, 3, 2, 4]).value == pytest.approx(2 / 3)


def test_wrong_input_is_refused_by_name():
    with pytest.raises(ScoringError, match="left"):
        cohen_kappa([1], [1, 2])
    with pytest.raises(ScoringError, match="weights"):
        cohen_kappa([1, 2], [1, 2], weights="cubic")
    with pytest.raises(ScoringError, match="categories"):
        cohen_kappa([1, 5], [1, 1], categories=[1, 2])
    with pytest.raises(ScoringError, match="mixes"):
        cohen_kappa([1, "a"], [1, 1])
    with pytest.raises(ScoringError, match="infinity"):
        krippendorff_alpha([[float("inf"), 1.0]])
    with pytest.raises(ScoringError, match="level"):
        krippendorff_alpha([[1, 1]], level="cardinal")
    with pytest.raises(ScoringError, match="numbers"):
        krippendorff_alpha([["a", "b"]], level="interval")
    with pytest.raises(ScoringError, match="different numbers"):
        fleiss_kappa([[1, 1, None], [1, 1, 1]])
    with pytest.raises(ScoringError, match="item 1"):
        krippendorff_alpha([[1, 1], [1]])
    with pytest.raises(ScoringError, match="NaN"):
        spearman([float("nan"), 1.0], [1.0, 2.0])


def test_a_judge_that_agrees_with_all_may_stand_in_and_a_random_one_may_not():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, size=60)
    humans = [[int(t) if rng.random() < 0.85 else int(1 - t) for _ in range(3)] for t in truth]
    good = alternative_annotator_test(truth.tolist(), humans)
    assert (good.winning_rate, good.passed) == (1.0, True)
    assert good.advantage > 0.8
    bad = alternative_annotator_test(rng.integers(0, 2, size=60).tolist(), humans)
    assert not bad.passed
    assert all(a.p_value <= a.adjusted for a in bad.against)


def test_the_alternative_annotator_test_on_graded_labels_and_its_edges():
    found = alternative_annotator_test([3] * 40, [[3, 3, 3]] * 40, metric="rmse")
    assert (found.winning_rate, found.passed, found.warnings) == (1.0, True, ())
    few = alternative_annotator_test([3] * 10, [[3, 3, 3]] * 10, metric="rmse")
    # Ten items without any difference can't rule out that people are better by 0.2: 0.8^10 = 0.107.
    assert [a.p_value for a in few.against] == pytest.approx([0.8**10] * 3)
    assert (few.winning_rate, few.passed, len(few.warnings)) == (0.0, False, 3)
    with pytest.raises(ScoringError, match="two annotators"):
        alternative_annotator_test([1, 1], [[1], [1]])
    with pytest.raises(ScoringError, match="annotator 1"):
        alternative_annotator_test([1, 1, 1], [[1, None, 1], [1, None, 1], [1, 1, 1]])
    with pytest.raises(ScoringError, match="metric"):
        alternative_annotator_test([1], [[1, 1]], metric="f1")
    with pytest.raises(ScoringError, match="differ in length"):
        alternative_annotator_test([1], [])


def test_confusion_counts_and_rates():
    found = confusion([1, 1, 0, 0, None], [1, 0, 0, 1, 1], positive=1)
    assert (found.true_positive, found.false_positive, found.false_negative, found.true_negative) == (1, 1, 1, 1)
    assert found.sensitivity.value == found.specificity.value == found.accuracy.value == 0.5
    assert confusion([0, 0], [0, 0], positive=1).sensitivity.value is None
    assert confusion([1.0, float("nan")], [1.0, 0.0], positive=1).accuracy.n == 1
    with pytest.raises(ScoringError):
        confusion([1], [], positive=1)
