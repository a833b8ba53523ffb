"""Properties that hold for every ranking: bounds, indifference to order of items, duplicates and noise never help."""

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.registry import METRICS, identity
from scoring.score import score_batch
from tests.scoring.builders import item, listed

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
