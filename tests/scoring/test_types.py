"""A score is a value or a reason; gold, items and outputs say by JSON pointer what is wrong with them."""

import pytest

from scoring.errors import GoldError, ItemError, OutputError, ScoringError
from scoring.types import EvalItem, Gold, Score, State, SystemOutput


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), None])
def test_a_scored_value_is_finite(value):
    with pytest.raises(ScoringError):
        Score(State.SCORED, value)


def test_a_state_carries_no_value():
    with pytest.raises(ScoringError):
        Score(State.REFUSED, 0.0)
    with pytest.raises(ScoringError):
        Score("refused")  # type: ignore[arg-type]
    assert Score.none(State.NO_GOLD, "why").detail == {"reason": "why"}
    assert Score.of(1).scored
    with pytest.raises(ScoringError):
        Score.none(State.SCORED)


@pytest.mark.parametrize(
    ("evidence", "relevance", "copies", "pointer"),
    [
        ([[]], None, None, "/evidence/0"),
        ([[["a"], []]], None, None, "/evidence/0/1"),
        ([[[""]]], None, None, "/evidence/0/0/0"),
        ([[[{"doc_id": "d", "start": 5, "end": 5}]]], None, None, "/evidence/0/0/0/end"),
        ([[[{"doc_id": "d", "start": "5", "end": 9}]]], None, None, "/evidence/0/0/0/start"),
        ([[[{"start": 1, "end": 9}]]], None, None, "/evidence/0/0/0/doc_id"),
        ([[[7]]], None, None, "/evidence/0/0/0"),
        ("x", None, None, "/evidence"),
        (["x"], None, None, "/evidence/0"),
        (None, {"a": -1}, None, "/relevance/a"),
        (None, {"a/b": 0.5}, None, "/relevance/a~1b"),
        (None, {"a": True}, None, "/relevance/a"),
        (None, [], None, "/relevance"),
        (None, None, [["a"]], "/copies/0"),
        (None, None, [["a", 1]], "/copies/0/1"),
    ],
)
def test_wrong_gold_is_refused_with_a_pointer(evidence, relevance, copies, pointer):
    with pytest.raises(GoldError) as error:
        Gold.from_native(evidence, relevance, copies)
    assert error.value.pointer == pointer


def test_copies_that_share_a_member_are_one_set():
    gold = Gold.from_native(None, {"b": 1, "d": 2}, [["a", "b"], ["c", "d"], ["b", "c"]])
    assert len(set(gold.canonical().values())) == 1
    assert list(gold.labels().values()) == [2]


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({}, "/external_id"),
        ({"external_id": 5}, "/external_id"),
        ({"external_id": "a", "answerable": "yes"}, "/answerable"),
        ({"external_id": "a", "types": "fact"}, "/types"),
        ({"external_id": "a", "assertions": ["x"]}, "/assertions/0"),
        ({"external_id": "a", "assertions": {}}, "/assertions"),
        ({"external_id": "a", "perturbs": {"kind": "typo"}}, "/perturbs/external_id"),
        ({"external_id": "a", "cluster": 5}, "/cluster"),
    ],
)
def test_a_wrong_item_is_refused_with_a_pointer(value, pointer):
    with pytest.raises(ItemError) as error:
        EvalItem.from_native(value)
    assert error.value.pointer == pointer


def test_an_item_without_a_cluster_is_its_own_and_a_perturbed_one_takes_its_originals():
    assert EvalItem.from_native({"external_id": "a"}).cluster == "a"
    assert EvalItem.from_native({"external_id": "b", "perturbs": {"external_id": "a", "kind": "typo"}}).cluster == "a"


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        ({}, "/external_id"),
        ({"external_id": "a", "repeat": 0}, "/repeat"),
        ({"external_id": "a", "answer": 5}, "/answer"),
        ({"external_id": "a", "outcome": "maybe"}, "/outcome"),
        ({"external_id": "a", "confidence": float("nan")}, "/confidence"),
        ({"external_id": "a", "retrieved": {"coarse": [{"doc_id": "x"}]}}, "/retrieved/coarse/0/id"),
        ({"external_id": "a", "retrieved": {"coarse": [{"id": "x", "start": -1}]}}, "/retrieved/coarse/0/start"),
        ({"external_id": "a", "retrieved": [{"id": ""}]}, "/retrieved/0/id"),
        ({"external_id": "a", "retrieved": "x"}, "/retrieved"),
        ({"external_id": "a", "citations": ["x"]}, "/citations/0"),
        ({"external_id": "a", "contexts": "x"}, "/contexts"),
    ],
)
def test_a_wrong_output_is_refused_with_a_pointer(value, pointer):
    with pytest.raises(OutputError) as error:
        SystemOutput.from_native(value)
    assert error.value.pointer == pointer


def test_an_outcome_is_declared_or_decided_by_a_named_rule():
    declared = SystemOutput.from_native({"external_id": "a", "answer": "I don't know.", "outcome": "answered"})
    assert (declared.outcome, declared.outcome_source) == ("answered", "declared")
    ruled = SystemOutput.from_native({"external_id": "a", "answer": "I don't know."})
    assert (ruled.outcome, ruled.outcome_source) == ("refused", "refusal.rules@1")


def test_an_empty_answer_failed_whatever_was_declared():
    assert SystemOutput.from_native({"external_id": "a", "answer": "  "}).failed
    assert SystemOutput.from_native({"external_id": "a", "answer": "", "outcome": "answered"}).failed
    assert SystemOutput.from_native({"external_id": "a", "error": "timeout"}).failed
    assert SystemOutput.missing("a").failed
    assert not SystemOutput.from_native({"external_id": "a", "outcome": "refused"}).failed


def test_a_record_with_contexts_alone_is_accepted():
    ragas = SystemOutput.from_native({"external_id": "a", "response": "x", "retrieved_contexts": ["c"]})
    assert (ragas.answer, ragas.contexts, ragas.outcome) == ("x", ("c",), "answered")
