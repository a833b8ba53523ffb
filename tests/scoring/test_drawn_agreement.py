"""A judge against people where the labelled items were not drawn evenly: weights undo the draw."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.agreement.drawn import drawn_agreement, drawn_confusion
from scoring.agreement.kappa import cohen_kappa, gwet_ac, matthews
from scoring.agreement.many_raters import krippendorff_alpha

PLAIN = {
    "kappa": cohen_kappa,
    "ac": gwet_ac,
    "mcc": matthews,
    "alpha": lambda judge, human: krippendorff_alpha(list(zip(judge, human, strict=True))),
}


def test_an_item_drawn_with_half_the_chance_stands_for_two():
    found = drawn_agreement([1, 1, 0, 0], [1, 0, 0, 0], [1, 0.5, 1, 1])
    assert found.value == pytest.approx(0.16 / 0.56, abs=1e-12)
    assert found.n == 4
    rates = drawn_confusion([1, 1, 0, 0], [1, 0, 0, 1], [1, 0.5, 1, 1], positive=1)
    assert (rates.accuracy.value, rates.sensitivity.value) == (pytest.approx(0.4), pytest.approx(0.5))
    assert rates.specificity.value == pytest.approx(1 / 3)
    shares = (rates.true_positive, rates.false_positive, rates.false_negative, rates.true_negative)
    assert shares == pytest.approx((0.2, 0.4, 0.2, 0.2))


@pytest.mark.parametrize("coefficient", PLAIN)
@given(
    labels=st.lists(st.tuples(st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 2])), min_size=2, max_size=40),
    chance=st.floats(0.05, 1.0),
)
def test_equal_chances_give_the_plain_coefficient(coefficient, labels, chance):
    judge, human = [pair[0] for pair in labels], [pair[1] for pair in labels]
    plain = PLAIN[coefficient](judge, human)
    drawn = drawn_agreement(judge, human, [chance] * len(labels), coefficient=coefficient)
    if plain.value is None:
        assert drawn.value is None
    else:
        assert drawn.value == pytest.approx(plain.value, abs=1e-9)


@pytest.mark.parametrize("coefficient", PLAIN)
def test_equal_chances_give_nearly_the_plain_interval(coefficient):
    judge, human = [1, 1, 1, 0, 0, 0, 1, 0] * 15, [1, 1, 0, 0, 0, 1, 1, 0] * 15
    plain = PLAIN[coefficient](judge, human)
    drawn = drawn_agreement(judge, human, [0.3] * 120, coefficient=coefficient)
    assert (drawn.low, drawn.high) == pytest.approx((plain.low, plain.high), abs=0.02)


@pytest.mark.parametrize("coefficient", ["kappa", "ac", "mcc"])
@given(
    labels=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("ab"), st.integers(1, 4)), min_size=2, max_size=20)
)
def test_a_weight_is_as_good_as_so_many_copies(coefficient, labels):
    copies = [pair[:2] for pair in labels for _ in range(pair[2])]
    plain = PLAIN[coefficient]([pair[0] for pair in copies], [pair[1] for pair in copies])
    drawn = drawn_agreement(
        [row[0] for row in labels], [row[1] for row in labels], [1 / row[2] for row in labels], coefficient=coefficient
    )
    assert (drawn.value is None) == (plain.value is None)
    if plain.value is not None:
        assert drawn.value == pytest.approx(plain.value, abs=1e-9)


def population(random):
    """Return 4,000 items: a tenth is hard, and there the judge is often wrong."""
    hard = random.random(4000) < 0.1
    human = random.integers(0, 2, 4000)
    judge = np.where(random.random(4000) < np.where(hard, 0.4, 0.05), 1 - human, human)
    return hard, human, judge


def test_a_sample_rich_in_hard_items_is_put_right_by_its_chances():
    random = np.random.default_rng(7)
    hard, human, judge = population(random)
    truth = cohen_kappa(judge.tolist(), human.tolist()).value
    weighted, plain, covered = [], [], 0
    for trial in range(200):
        strata = {
            "hard": random.choice(np.flatnonzero(hard), 60, replace=False),
            "easy": random.choice(np.flatnonzero(~hard), 60, replace=False),
        }
        rows = np.concatenate(list(strata.values()))
        names = ["hard"] * 60 + ["easy"] * 60
        chances = [60 / hard.sum()] * 60 + [60 / (~hard).sum()] * 60
        found = drawn_agreement(judge[rows].tolist(), human[rows].tolist(), chances, names, seed=str(trial))
        weighted.append(found.value)
        plain.append(cohen_kappa(judge[rows].tolist(), human[rows].tolist()).value)
        covered += found.low <= truth <= found.high
    assert abs(np.mean(weighted) - truth) < 0.015
    assert truth - np.mean(plain) > 0.2
    # Sixty items with three expected mistakes: the percentile bootstrap is somewhat short there.
    assert covered >= 170


def test_whole_agreement_is_bounded_by_the_effective_number_of_items():
    even = drawn_agreement([1, 0] * 25, [1, 0] * 25, [0.5] * 50)
    assert (even.value, even.high) == (1.0, 1.0)
    assert even.low == pytest.approx(cohen_kappa([1, 0] * 25, [1, 0] * 25).low)
    uneven = drawn_agreement([1, 0] * 25, [1, 0] * 25, [1.0] * 48 + [0.02] * 2)
    assert uneven.low < 0.5


def test_one_item_in_a_stratum_gives_no_interval_but_says_why():
    found = drawn_agreement([1, 0, 1], [1, 0, 0], [0.5, 1, 1], ["a", "b", "b"])
    assert found.value is not None
    assert (found.low, found.high) == (None, None)
    assert "stratum" in found.reason
