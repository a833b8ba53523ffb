"""The composite: weights that are checked, per question type, and nothing made smaller in silence."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.composite import DEFAULT_WEIGHTS, CompositeWeights, composite, weights_checked
from scoring.errors import MetricError
from scoring.identity import MetricIdentity
from scoring.types import Score, State

PARTS = {
    "faithfulness": Score.of(0.8),
    "answer_relevancy": Score.of(0.6),
    "context_precision": Score.of(0.5),
}


def test_the_worked_example():
    assert composite(PARTS, DEFAULT_WEIGHTS).value == pytest.approx(0.64)


def test_a_missing_part_makes_it_not_applicable_and_says_which():
    refused = composite({**PARTS, "faithfulness": Score.none(State.NO_CLAIMS)}, DEFAULT_WEIGHTS)
    assert refused.state is State.NOT_APPLICABLE
    assert refused.detail == {
        "reason": "missing: faithfulness (no_claims)",
        "code": "parts_missing",
        "missing": {"faithfulness": "no_claims"},
    }
    assert composite({}, DEFAULT_WEIGHTS).detail["missing"]["answer_relevancy"] == "absent"


def test_a_part_of_weight_nought_is_not_needed():
    assert composite({"a": Score.of(0.4)}, {"a": 1.0, "b": 0.0}).value == pytest.approx(0.4)


@pytest.mark.parametrize(
    "weights", [{}, {"a": 0.5}, {"a": 1.5, "b": -0.5}, {"a": math.nan}, {"a": True}, {"a": "1"}, {"": 1.0}, {"a": 1.1}]
)
def test_weights_that_do_not_add_up_are_refused(weights):
    with pytest.raises(MetricError, match="weights"):
        weights_checked(weights)
    with pytest.raises(MetricError, match="of type 'multi_hop'"):
        CompositeWeights(by_type={"multi_hop": weights})


def test_the_first_type_with_weights_of_its_own_decides():
    weights = CompositeWeights(by_type={"multi_hop": {"context_recall": 1.0}, "table": {"faithfulness": 1.0}})
    assert weights.of(["plain", "table", "multi_hop"]) == {"faithfulness": 1.0}
    assert weights.of(["plain"]) == DEFAULT_WEIGHTS
    assert weights.of([]) == DEFAULT_WEIGHTS


def test_other_weights_are_another_metric_and_the_order_of_parts_is_not():
    plain = CompositeWeights()
    turned = CompositeWeights(default=dict(reversed(DEFAULT_WEIGHTS.items())))
    other = CompositeWeights(by_type={"table": {"faithfulness": 1.0}})
    assert plain.identity == turned.identity != other.identity
    assert MetricIdentity.parse(plain.identity.text) == plain.identity


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 100)), min_size=1, max_size=6))
def test_a_composite_lies_between_its_parts(rows):
    total = sum(weight for _, weight in rows)
    weights = {f"p{n}": weight / total for n, (_, weight) in enumerate(rows)}
    found = composite({f"p{n}": Score.of(value) for n, (value, _) in enumerate(rows)}, weights).value
    assert min(v for v, _ in rows) - 1e-9 <= found <= max(v for v, _ in rows) + 1e-9
