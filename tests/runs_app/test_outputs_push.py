"""Taking in outputs: shapes, faults by place, all or nothing, repeated sends."""

from __future__ import annotations

from typing import Any

import pytest

from core_app.errors import Conflict, Forbidden, Invalid, NotFound
from runs_app.models import Output, Run
from tests.conftest import Cast
from tests.datasets_app.factories import make_frozen
from tests.runs_app.factories import answers, complete, make_run, push

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(cast: Cast) -> Run:
    return make_run(cast, make_frozen(cast), repeats=2)


def faults(run: Run, *rows: Any, **more: Any) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as caught:
        push(run, list(rows), **more)
    assert not Output.objects.filter(run=run).exists()
    return [(error.pointer, error.code) for error in caught.value.errors]


def test_each_output_is_stored_once_however_often_it_comes(run: Run) -> None:
    rows = answers(run)
    assert push(run, rows) == {"accepted": 8, "updated": 0, "unchanged": 0}
    assert push(run, list(reversed(rows))) == {"accepted": 0, "updated": 0, "unchanged": 8}
    assert Output.objects.filter(run=run).count() == 8


def test_another_answer_replaces_the_first_while_the_run_collects(run: Run) -> None:
    push(run, answers(run))
    changed = answers(run, answer="Another.")[:1]
    assert push(run, changed) == {"accepted": 0, "updated": 1, "unchanged": 0}
    assert Output.objects.filter(run=run, answer="Another.").count() == 1


def test_after_completion_the_same_is_harmless_and_another_is_a_conflict(run: Run) -> None:
    rows = answers(run)
    push(run, rows)
    complete(run)
    assert push(run, rows)["unchanged"] == 8
    with pytest.raises(Conflict) as caught:
        push(run, [{**rows[0], "answer": "Late."}])
    assert caught.value.code == "output_conflict"
    assert caught.value.errors[0].pointer == "/0"


def test_one_bad_row_stores_nothing_and_is_named_by_its_place(run: Run) -> None:
    good = answers(run)[0]
    assert faults(run, good, {**good, "repeat": 2, "answer": 7}) == [("/1/answer", "type")]


def test_a_fault_in_ndjson_is_named_by_its_line(run: Run) -> None:
    good = answers(run)[0]
    with pytest.raises(Invalid) as caught:
        push(run, [good, {**good, "repeat": 9}], lines=[1, 3])
    assert [(error.pointer, error.line) for error in caught.value.errors] == [("/repeat", 3)]


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({"external_id": "nobody"}, "/0/external_id", "unknown_item"),
        ({"external_id": None}, "/0/external_id", "required"),
        ({"repeat": 3}, "/0/repeat", "range"),
        ({"repeat": True}, "/0/repeat", "range"),
        ({"answer": "x" * 200_001}, "/0/answer", "too_long"),
        ({"answer": "a\x00b"}, "/0", "nul"),
        ({"answer": "\ud800"}, "/0", "not_text"),
        ({"outcome": "missing"}, "/0/outcome", "choice"),
        ({"confidence": float("nan")}, "/0/confidence", "number"),
        ({"confidence": 10**400}, "/0/confidence", "number"),
        ({"latency_ms": -1}, "/0/latency_ms", "range"),
        ({"cost": "cheap"}, "/0/cost", "number"),
        ({"tokens": {"input": -3}}, "/0/tokens/input", "number"),
        ({"retrieved": {"coarse": [{"score": 1}]}}, "/0/retrieved/coarse/0/id", "required"),
        ({"retrieved": {"coarse": [{"id": "a", "start": -1}]}}, "/0/retrieved/coarse/0/start", "number"),
        ({"retrieved": {"coarse": [{"id": "a", "score": float("inf")}]}}, "/0/retrieved/coarse/0/score", "number"),
        ({"retrieved": {"Bad Stage": []}}, "/0/retrieved", "stage"),
        ({"retrieved": "chunk-1"}, "/0/retrieved", "type"),
        ({"retrieved": ["a", 7]}, "/0/retrieved/1", "type"),
        ({"contexts": "all of it"}, "/0/contexts", "type"),
        ({"citations": [{"start": "here"}]}, "/0/citations/0/start", "number"),
        ({"scores": [{"metric": "answers.correct", "value": 1}]}, "/0/scores/0/metric", "namespace"),
        ({"scores": [{"metric": "external.f", "value": float("nan")}]}, "/0/scores/0/value", "number"),
        ({"scores": [{"metric": "external.f"}]}, "/0/scores/0/value", "number"),
        (
            {"scores": [{"metric": "external.f", "value": 1, "identity": {"A b": 1}}]},
            "/0/scores/0/identity",
            "identity",
        ),
        ({"anwser": "typo"}, "/0/anwser", "unknown_field"),
        ({"error": 5}, "/0/error", "type"),
        ({"trace_id": "x" * 121}, "/0/trace_id", "too_long"),
    ],
)
def test_a_bad_field_is_refused_and_named(run: Run, change: dict[str, Any], pointer: str, code: str) -> None:
    row = {key: value for key, value in {**answers(run)[0], **change}.items() if value is not None}
    assert (pointer, code) in faults(run, row)


@pytest.mark.parametrize("row", [None, 7, "text", [], [[]]])
def test_a_row_that_is_no_object_is_refused(run: Run, row: Any) -> None:
    assert faults(run, row) == [("/0", "type")]


def test_two_different_outputs_for_an_item_in_one_request_are_refused(run: Run) -> None:
    row = answers(run)[0]
    assert faults(run, row, {**row, "answer": "Other."}) == [("/1", "duplicate_row")]


@pytest.mark.parametrize(
    ("fields", "outcome", "by"),
    [
        ({"answer": "I don't know."}, "refused", "refusal.rules@1"),
        ({"answer": "资料中没有相关信息。"}, "refused", "refusal.rules@1"),
        ({"answer": "Thirty days."}, "answered", "refusal.rules@1"),
        ({"answer": "Thirty days.", "outcome": "partial"}, "partial", "system"),
        ({"answer": ""}, "failed", "platform.empty@1"),
        ({"answer": "  ", "outcome": "answered"}, "failed", "platform.empty@1"),
        ({"answer": "", "outcome": "refused"}, "refused", "system"),
        ({"answer": "Thirty.", "outcome": "answered", "error": "timeout"}, "failed", "system"),
    ],
)
def test_the_outcome_says_who_decided_it(run: Run, fields: dict[str, Any], outcome: str, by: str) -> None:
    push(run, [{"external_id": answers(run)[0]["external_id"], **fields}])
    output = Output.objects.get(run=run)
    assert (output.outcome, output.outcome_by) == (outcome, by)


def test_an_item_may_be_named_by_its_opaque_id(run: Run, cast: Cast) -> None:
    from datasets_app.selectors import entries_of

    entry = entries_of(run.dataset_version, "dev").first()
    push(run, [{"item_id": entry.item.public_id, "answer": "Yes."}])
    assert Output.objects.get(run=run).entry_id == entry.pk


def test_a_ragas_record_can_be_pushed_as_it_is(run: Run) -> None:
    record = {
        "external_id": answers(run)[0]["external_id"],
        "user_input": "What?",
        "response": "That.",
        "retrieved_contexts": ["one", "two"],
        "reference": "That.",
    }
    push(run, [record])
    output = Output.objects.get(run=run)
    assert (output.answer, output.contexts, output.retrieved) == ("That.", ["one", "two"], {})


def test_passages_with_ids_become_the_prompt_stage(run: Run) -> None:
    key = answers(run)[0]["external_id"]
    push(run, [{"external_id": key, "answer": "A", "contexts": ["one", "two"], "retrieved_context_ids": ["c1", 2]}])
    units = Output.objects.get(run=run).retrieved["prompt"]
    assert [unit["id"] for unit in units] == ["c1", "2"]


def test_a_flat_list_becomes_the_stage_retrieved(run: Run) -> None:
    push(run, [{"external_id": answers(run)[0]["external_id"], "answer": "A", "retrieved": ["c1", {"id": "c2"}]}])
    assert Output.objects.get(run=run).retrieved == {"retrieved": [{"id": "c1"}, {"id": "c2"}]}


@pytest.mark.parametrize(("name", "error"), [("viewer", Forbidden), ("annotator", Forbidden), ("outsider", NotFound)])
def test_who_may_not_push_stores_nothing(run: Run, cast: Cast, name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        push(run, answers(run), actor=cast.actor(name))
    assert not Output.objects.exists()


@pytest.mark.parametrize("name", ["editor", "steward", "owner", "token", "admin"])
def test_who_may_push_does(run: Run, cast: Cast, name: str) -> None:
    assert push(run, answers(run), actor=cast.actor(name))["accepted"] == 8


def test_a_thousand_outputs_take_few_queries(cast: Cast, django_assert_max_num_queries: Any) -> None:
    run = make_run(cast, make_frozen(cast, dev=300))
    rows = answers(run)
    with django_assert_max_num_queries(12):
        push(run, rows)
