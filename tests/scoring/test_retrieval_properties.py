"""Properties that hold for every ranking: bounds, indifference to order of items, duplicates and noise never help."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.registry import METRICS, identity
from scoring.score import score_batch
from scoring.types import State
from tests.scoring.builders import item, listed
from tests.scoring.per_item import measured

NAMES = [f"u{i}" for i in range(8)]
RANKINGS = st.lists(st.sampled_from(NAMES), max_size=12)
LABELS = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3), max_size=6)
GROUPS = st.lists(
    st.lists(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3), min_size=1, max_size=3), max_size=3
)
CUT = ("hit", "recall", "precision", "mrr", "ndcg", "ap", "evidence_recall", "evidence_complete")
WHOLE = ("bpref", "rbp", "r_precision", "set_f", "recall", "ap")
WANTED = [
    *(identity(f"retrieval.{name}", stage="coarse", k=4) for name in CUT),
    identity("retrieval.ndcg", stage="coarse", gain="exp"),
    *(identity(f"retrieval.{name}", stage="coarse") for name in WHOLE),
]


def values(ranking, labels, groups, copies=()):
    gold = item(relevance=labels, evidence=groups, copies=list(copies))
    return [s[0].value for s in score_batch(WANTED, [gold], [listed(*ranking)])]


@settings(max_examples=80, deadline=None)
@given(RANKINGS, LABELS, GROUPS)
def test_every_value_is_within_the_metrics_bounds(ranking, labels, groups):
    for metric, value in zip(WANTED, values(ranking, labels, groups), strict=True):
        low, high = METRICS[metric.name].bounds
        assert value is None or low <= value <= high


@settings(max_examples=80, deadline=None)
@given(RANKINGS, LABELS, GROUPS)
def test_repeating_units_changes_nothing(ranking, labels, groups):
    doubled = [unit for unit in ranking for _ in range(2)] + ranking
    assert values(doubled, labels, groups) == values(ranking, labels, groups)


@settings(max_examples=80, deadline=None)
@given(RANKINGS, LABELS, GROUPS)
def test_an_irrelevant_unit_at_the_end_never_raises_a_score(ranking, labels, groups):
    before, after = values(ranking, labels, groups), values([*ranking, "noise"], labels, groups)
    assert all(a is None or a <= b + 1e-12 for b, a in zip(before, after, strict=True))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(RANKINGS, LABELS, GROUPS), min_size=1, max_size=6), st.randoms())
def test_the_order_of_items_changes_nothing(cases, random):
    items = [item(f"q{i}", relevance=labels, evidence=groups) for i, (_, labels, groups) in enumerate(cases)]
    outputs = [listed(*ranking, external_id=f"q{i}") for i, (ranking, _, _) in enumerate(cases)]
    order = list(range(len(cases)))
    random.shuffle(order)
    straight = score_batch(WANTED, items, outputs)
    mixed = score_batch(WANTED, [items[i] for i in order], [outputs[i] for i in order])
    assert mixed == [[row[i] for i in order] for row in straight]


DEFINED = {
    identity("retrieval.hit", stage="coarse", k=5): "success_5",
    identity("retrieval.recall", stage="coarse", k=5): "recall_5",
    identity("retrieval.recall", stage="coarse"): "set_recall",
    identity("retrieval.precision", stage="coarse", k=5): "P_5",
    identity("retrieval.precision_returned", stage="coarse"): "set_P",
    identity("retrieval.mrr", stage="coarse"): "recip_rank",
    identity("retrieval.ndcg", stage="coarse"): "ndcg",
    identity("retrieval.ndcg", stage="coarse", k=5): "ndcg_cut_5",
    identity("retrieval.ap", stage="coarse"): "map",
    identity("retrieval.ap", stage="coarse", k=5): "map_cut_5",
    identity("retrieval.bpref", stage="coarse"): "bpref",
    identity("retrieval.rbp", stage="coarse"): "rbp",
    identity("retrieval.r_precision", stage="coarse"): "Rprec",
    identity("retrieval.set_f", stage="coarse"): "set_F",
}


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(RANKINGS, LABELS), max_size=8))
def test_items_scored_together_get_what_the_definitions_give_each_alone(cases):
    items = [item(f"q{i}", relevance=labels) for i, (_, labels) in enumerate(cases)]
    outputs = [listed(*ranking, external_id=f"q{i}") for i, (ranking, _) in enumerate(cases)]
    found = score_batch(list(DEFINED), items, outputs)
    for place, (ranking, labels) in enumerate(cases):
        expected = measured(list(dict.fromkeys(ranking)), labels)
        for name, scores in zip(DEFINED.values(), found, strict=True):
            if not expected["num_rel"]:
                assert scores[place].state is State.NO_GOLD
            else:
                assert scores[place].value == pytest.approx(expected[name], abs=1e-12), name
