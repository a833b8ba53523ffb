"""Citations given judged support, who may open them, and nuggets."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.errors import ScoringError
from scoring.judgements import Judgements, SupportTable, support_table
from scoring.registry import identity
from scoring.score import score_batch
from scoring.types import Document, Score, State
from tests.scoring.builders import item, output

RATES = ("citations.recall", "citations.precision", "citations.irrelevant_rate")
NUGGETS = ("nuggets.vital_strict", "nuggets.vital", "nuggets.all_strict", "nuggets.all", "nuggets.weighted")


def found(names, one_item, one_output, judged=None, **given_too) -> list[Score]:
    table = None if judged is None else {(one_output.external_id, one_output.repeat): judged}
    scores = score_batch([identity(name) for name in names], [one_item], [one_output], judgements=table, **given_too)
    return [row[0] for row in scores]


def shown(scores):
    return [score.value if score.scored else score.state for score in scores]


def answer(citations=3, **fields):
    return output(answer="x", outcome="answered", citations=[{"doc_id": f"d{n}"} for n in range(citations)], **fields)


WORKED = (
    SupportTable((0, 1), True, (True, False), (False, True)),
    SupportTable((2,), False, (False,), (False,)),
    SupportTable(),
)


def test_the_worked_example_of_three_claims():
    scores = found(RATES, item(), answer(), Judgements(claims=WORKED))
    assert shown(scores) == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert scores[1].detail == {"citations": 3, "counted": 1}


def test_two_citations_that_support_only_together_both_count():
    together = SupportTable((0, 1), True, (False, False), (False, False))
    assert shown(found(RATES, item(), answer(2), Judgements(claims=(together,)))) == [1, 1, 0]


def test_two_citations_of_which_each_suffices_both_count_and_neither_is_irrelevant():
    twice = SupportTable((0, 1), True, (True, True), (True, True))
    assert shown(found(RATES, item(), answer(2), Judgements(claims=(twice,)))) == [1, 1, 0]


def test_a_claim_that_needs_no_citation_counts_for_precision_only():
    free = SupportTable((0,), True, (True,), (False,), needs_citation=False)
    assert shown(found(RATES, item(), answer(1), Judgements(claims=(free,)))) == [State.NOT_APPLICABLE, 1, 0]


def test_an_answer_without_citations_has_no_precision_and_no_recall_where_claims_need_one():
    bare = Judgements(claims=(SupportTable(), SupportTable()))
    assert shown(found(RATES, item(), answer(0), bare)) == [0, State.NOT_APPLICABLE, State.NOT_APPLICABLE]


@pytest.mark.parametrize(
    ("one_output", "judged", "state"),
    [
        (answer(), None, State.NOT_APPLICABLE),
        (answer(), Judgements(claims=()), State.NO_CLAIMS),
        (answer(1), Judgements(claims=WORKED), State.JUDGE_FAILED),
        (answer(2), Judgements(claims=(SupportTable((0, 1), None, (None,) * 2, (None,) * 2),)), State.UNDETERMINED),
        (output(answer="No.", outcome="refused"), Judgements(claims=WORKED), State.REFUSED),
        (output(error="timeout"), Judgements(claims=WORKED), State.TARGET_FAILED),
    ],
)
def test_what_cannot_be_measured_is_a_state_with_a_reason(one_output, judged, state):
    for score in found(RATES, item(), one_output, judged):
        assert score.state is state
        assert score.detail["reason"]


def test_what_the_judge_left_open_matters_only_where_it_decides():
    open_but_decided = SupportTable((0, 1), True, (True, False), (None, False))
    assert shown(found(RATES, item(), answer(2), Judgements(claims=(open_but_decided,)))) == [1, 1, 0]
    alone = SupportTable((0,), None, (None,), (False,))
    assert shown(found(RATES[2:], item(), answer(1), Judgements(claims=(alone,)))) == [0]
    not_joint = SupportTable((0, 1), False, (None, None), (None, None))
    assert shown(found(RATES, item(), answer(2), Judgements(claims=(not_joint,)))) == [0, 0, 0]


@given(st.integers(1, 4), st.data())
def test_a_table_made_from_a_judge_agrees_with_the_definitions(n, data):
    places = tuple(range(n))
    sets = [s for size in range(1, n + 1) for s in itertools.combinations(places, size)]
    says = {s: data.draw(st.booleans()) for s in sets}
    asked = []

    def supports(s):
        asked.append(s)
        return says[s]

    table = support_table(places, supports)
    assert len(asked) <= 2 * n + 1
    assert table.supported is says[places]
    for index, place in enumerate(places):
        rest = places[:index] + places[index + 1 :]
        rest_supports = says.get(rest, False)
        assert table.relevant(index) is (says[places] and (says[(place,)] or not rest_supports))
        assert table.irrelevant(index) is (says[places] and not says[(place,)] and rest_supports)


@pytest.mark.parametrize(
    "fields",
    [
        ((0, 0), True, (True, True), (True, True)),
        ((-1,), True, (True,), (False,)),
        ((0,), True, (), ()),
        ((), True, (), ()),
        ((0,), True, (True,), (True,)),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(fields):
    with pytest.raises(ScoringError):
        SupportTable(*fields)


def test_a_citation_outside_of_the_askers_rights_is_counted_apart():
    documents = [Document("open", "1"), Document("staff", "1", audience=frozenset({"staff"}))]
    cited = output(
        answer="x",
        outcome="answered",
        citations=[
            {"doc_id": "open", "version_id": "1", "url": "https://kb.example/open"},
            {"doc_id": "staff", "version_id": "1"},
            {"doc_id": "gone", "version_id": "1"},
            {"doc_id": "open", "version_id": "1", "url": "file:///srv/kb/open.pdf"},
        ],
    )
    name = ["citations.accessible"]
    score = found(name, item(audience=["public"]), cited, documents=documents)[0]
    assert score.value == 0.5
    assert score.detail == {"citations": 4, "forbidden": 1, "unknown": 1, "internal_paths": 1}
    assert found(name, item(audience=["staff"]), cited, documents=documents)[0].value == 0.75
    assert found(name, item(), cited)[0].state is State.NOT_APPLICABLE
    assert found(name, item(), answer(0), documents=documents)[0].state is State.NOT_APPLICABLE
    assert found(name, item(), output(error="x"), documents=documents)[0].state is State.TARGET_FAILED
    assert found(name, item(), output(outcome="refused"), documents=documents)[0].state is State.REFUSED


FOUR = [{"text": t, "vital": vital} for t, vital in (("a", True), ("b", True), ("c", True), ("d", False))]


def test_the_nuggets_worked_example():
    judged = Judgements(nuggets=("support", "partial_support", "not_support", "support"))
    scores = found(NUGGETS, item(nuggets=FOUR), answer(), judged)
    assert shown(scores) == pytest.approx([1 / 3, 0.5, 0.5, 0.625, 2 / 3.5])


@pytest.mark.parametrize(
    ("nuggets", "assigned", "expected"),
    [
        ([], ("support",), [State.NOT_APPLICABLE] * 5),
        (FOUR, None, [State.NOT_APPLICABLE] * 5),
        (FOUR, ("support",), [State.JUDGE_FAILED] * 5),
        (FOUR[3:], ("support",), [State.NOT_APPLICABLE, State.NOT_APPLICABLE, 1, 1, 1]),
        (FOUR, ("support", "support", "support", None), [1, 1] + [State.UNDETERMINED] * 3),
    ],
)
def test_nuggets_without_what_they_need_are_states(nuggets, assigned, expected):
    assert shown(found(NUGGETS, item(nuggets=nuggets), answer(), Judgements(nuggets=assigned))) == expected


def test_nuggets_of_failed_and_refused_outputs_carry_their_states():
    judged = Judgements(nuggets=("support",) * 4)
    assert shown(found(NUGGETS, item(nuggets=FOUR), output(error="x"), judged)) == [State.TARGET_FAILED] * 5
    assert shown(found(NUGGETS, item(nuggets=FOUR), output(outcome="refused"), judged)) == [State.REFUSED] * 5
    with pytest.raises(ScoringError, match="not one of"):
        Judgements(nuggets=("maybe",))


VALUE = st.sampled_from(["support", "partial_support", "not_support"])


@given(st.lists(st.tuples(st.booleans(), VALUE), min_size=1, max_size=8))
def test_nugget_scores_are_bounded_and_strict_never_exceeds_lenient(rows):
    one = item(nuggets=[{"text": "t", "vital": vital} for vital, _ in rows])
    scores = found(NUGGETS, one, answer(), Judgements(nuggets=tuple(assigned for _, assigned in rows)))
    vital_strict, vital, all_strict, everything, weighted = (score.value for score in scores)
    assert (vital is None) == (not any(flag for flag, _ in rows))
    assert vital is None or 0 <= vital_strict <= vital <= 1
    assert 0 <= all_strict <= everything <= 1
    assert 0 <= weighted <= 1
