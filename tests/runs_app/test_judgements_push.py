"""Judgements on a pushed output: what is kept, and each fault by its place."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core_app.errors import Conflict, Invalid
from datasets_app.models import DatasetVersion
from datasets_app.services import version_freeze
from datasets_app.states import Level
from runs_app.models import Output, Run
from runs_app.services.judgement_rows import GOLD_PARTS, judgements_of, judgements_read
from scoring.judgements import ASSIGNED
from tests.conftest import Cast
from tests.datasets_app.factories import fill, grant, make_draft, native, natives
from tests.runs_app.factories import answers, complete, make_run, push

pytestmark = pytest.mark.django_db

BY = {"tool": "acme-nli", "version": "2"}
CITATIONS = [{"doc_id": "d1", "version_id": "1"}, {"doc_id": "d1", "version_id": "2"}]
CLAIM = {"text": "It is 30 days.", "citations": [0, 1], "joint": True, "alone": [True, False], "without": [None, True]}


def judged_items(first: int, split: str = "dev") -> list[dict[str, Any]]:
    """Return six items, each with two nuggets and three sub-questions."""
    return [
        native(
            number,
            split=split,
            nuggets=[{"text": "n1", "vital": True}, {"text": "n2", "vital": False}],
            subquestions=["a?", "b?", "c?"],
        )
        for number in range(first, first + 6)
    ]


@pytest.fixture
def version(cast: Cast) -> DatasetVersion:
    draft = make_draft(cast)
    fill(cast, draft, judged_items(1) + judged_items(1001, "frozen") + natives(4, start=500))
    return version_freeze(actor=cast.actor("steward"), version=draft, note="first")


@pytest.fixture
def run(cast: Cast, version: DatasetVersion) -> Run:
    return make_run(cast, version)


def judged(run: Run, *judgements: Any, **fields: Any) -> list[dict[str, Any]]:
    """Return one output with these judgements."""
    row = answers(run, citations=CITATIONS, **fields)[0]
    return [{**row, "external_id": "q-0001", "judgements": list(judgements)}]


def faults(run: Run, *judgements: Any) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as caught:
        push(run, judged(run, *judgements))
    assert not Output.objects.filter(run=run).exists()
    return [(error.pointer, error.code) for error in caught.value.errors]


def test_what_a_judge_and_people_found_is_kept_sorted_by_judge(run: Run) -> None:
    push(
        run,
        judged(
            run,
            {"by": {"people": "panel", "version": "guide-3"}, "nuggets": ["support", None]},
            {"by": BY, "claims": [CLAIM, {}], "subquestions": [True, False, None], "attack_succeeded": None},
        ),
    )
    assert Output.objects.get(run=run).judgements == [
        {
            "judge": "acme-nli@2",
            "claims": [
                {**CLAIM, "needs_citation": True},
                {"citations": [], "needs_citation": True, "joint": None, "alone": [], "without": []},
            ],
            "subquestions": [True, False, None],
            "attack_succeeded": None,
        },
        {"judge": "people:panel@guide-3", "nuggets": ["support", None]},
    ]


def test_an_output_without_judgements_keeps_the_hash_it_had_before_there_were_any(run: Run) -> None:
    row = answers(run)[0]
    push(run, [row])
    plain = Output.objects.get(run=run)
    assert plain.judgements == []
    before = [
        "The answer to q-0001.", "answered", "system", "",
        json.dumps(plain.retrieved, separators=(",", ":"), sort_keys=True), "[]", "[]", "[]", "", "{}", "", "", "",
    ]  # fmt: skip
    assert plain.content_sha256 == hashlib.sha256("\x1f".join(before).encode()).hexdigest()
    for nothing in (None, []):
        assert push(run, [{**row, "judgements": nothing}]) == {"accepted": 0, "updated": 0, "unchanged": 1}
    changed = {**row, "judgements": [{"by": BY, "claims": []}]}
    assert push(run, [changed])["updated"] == 1
    assert push(run, [changed])["unchanged"] == 1


def test_another_judgement_after_the_end_is_a_conflict_like_another_answer(run: Run) -> None:
    rows = judged(run, {"by": BY, "claims": [CLAIM]})
    push(run, rows)
    complete(run)
    assert push(run, rows)["unchanged"] == 1
    with pytest.raises(Conflict):
        push(run, judged(run, {"by": BY, "claims": []}))


@pytest.mark.parametrize(
    ("judgement", "pointer", "code"),
    [
        ("all good", "", "type"),
        ({"by": BY}, "", "required"),
        ({"claims": []}, "/by", "required"),
        ({"by": {"tool": "a", "people": "b", "version": "1"}, "claims": []}, "/by", "required"),
        ({"by": {"tool": "a/b", "version": "1"}, "claims": []}, "/by/tool", "name"),
        ({"by": {"tool": "a", "version": "1@2"}, "claims": []}, "/by/version", "name"),
        ({"by": {"tool": "a"}, "claims": []}, "/by/version", "name"),
        ({"by": {"tool": "x" * 61, "version": "1"}, "claims": []}, "/by/tool", "name"),
        ({"by": {**BY, "email": "x"}, "claims": []}, "/by/email", "unknown_field"),
        ({"by": BY, "claims": [], "verdict": 1}, "/verdict", "unknown_field"),
        ({"by": BY, "claims": {}}, "/claims", "type"),
        ({"by": BY, "claims": [{}] * 501}, "/claims", "type"),
        ({"by": BY, "claims": ["text"]}, "/claims/0", "type"),
        ({"by": BY, "claims": [{"text": 3}]}, "/claims/0/text", "type"),
        ({"by": BY, "claims": [{"text": "x" * 5001}]}, "/claims/0/text", "type"),
        ({"by": BY, "claims": [{"needs_citation": "no"}]}, "/claims/0/needs_citation", "type"),
        ({"by": BY, "claims": [{"supported": True}]}, "/claims/0/supported", "unknown_field"),
        ({"by": BY, "claims": [{"citations": [0]}]}, "/claims/0/joint", "required"),
        ({"by": BY, "claims": [{"citations": [0], "joint": 1}]}, "/claims/0/joint", "choice"),
        ({"by": BY, "claims": [{"citations": [], "joint": True}]}, "/claims/0/joint", "contradiction"),
        ({"by": BY, "claims": [{"citations": [2], "joint": True}]}, "/claims/0/citations/0", "range"),
        ({"by": BY, "claims": [{"citations": [-1], "joint": True}]}, "/claims/0/citations/0", "range"),
        ({"by": BY, "claims": [{"citations": [True], "joint": True}]}, "/claims/0/citations/0", "range"),
        ({"by": BY, "claims": [{"citations": [0, 0], "joint": True}]}, "/claims/0/citations/1", "duplicate"),
        ({"by": BY, "claims": [{"citations": "0"}]}, "/claims/0/citations", "type"),
        ({"by": BY, "claims": [{**CLAIM, "alone": [True]}]}, "/claims/0/alone", "length"),
        ({"by": BY, "claims": [{**CLAIM, "without": [True, True, True]}]}, "/claims/0/without", "length"),
        ({"by": BY, "claims": [{**CLAIM, "alone": [True, "no"]}]}, "/claims/0/alone/1", "choice"),
        (
            {"by": BY, "claims": [{"citations": [1], "joint": True, "without": [True]}]},
            "/claims/0/without/0",
            "contradiction",
        ),
        ({"by": BY, "nuggets": "support"}, "/nuggets", "type"),
        ({"by": BY, "nuggets": ["support", "maybe"]}, "/nuggets/1", "choice"),
        ({"by": BY, "nuggets": ["support"]}, "/nuggets", "length"),
        ({"by": BY, "nuggets": ["support"] * 3}, "/nuggets", "length"),
        ({"by": BY, "subquestions": [True, 1, False]}, "/subquestions/1", "choice"),
        ({"by": BY, "subquestions": [True]}, "/subquestions", "length"),
        ({"by": BY, "attack_succeeded": "yes"}, "/attack_succeeded", "choice"),
    ],
)
def test_a_fault_in_a_judgement_is_named_by_its_place(run: Run, judgement: Any, pointer: str, code: str) -> None:
    assert faults(run, judgement) == [(f"/0/judgements/0{pointer}", code)]


def test_a_judge_stands_once_and_their_number_is_limited(run: Run) -> None:
    one = {"by": BY, "claims": []}
    assert faults(run, one, one) == [("/0/judgements/1/by", "duplicate")]
    many = [{"by": {"tool": f"t{n}", "version": "1"}, "claims": []} for n in range(11)]
    assert faults(run, *many) == [("/0/judgements", "type")]


@pytest.mark.parametrize("text", ["a\x00b", "\ud800"])
def test_text_that_cannot_be_stored_is_refused(run: Run, text: str) -> None:
    with pytest.raises(Invalid):
        push(run, judged(run, {"by": BY, "claims": [{"text": text}]}))


@pytest.mark.parametrize("part", [{"nuggets": ["support"]}, {"subquestions": []}, {"attack_succeeded": False}])
def test_on_a_frozen_split_judging_over_gold_needs_read_and_tells_no_length(
    cast: Cast, version: DatasetVersion, part: dict[str, Any]
) -> None:
    grant(cast, version.dataset, "editor", Level.QUESTIONS)
    editor = cast.actor("editor")
    run = make_run(cast, version, split="frozen", actor=editor)
    row = {**answers(run, citations=CITATIONS)[0], "judgements": [{"by": BY, **part}]}
    with pytest.raises(Invalid) as caught:
        push(run, [row], actor=editor)
    (error,) = caught.value.errors
    assert (error.pointer, error.code) == (f"/0/judgements/0/{next(iter(part))}", "level_required")
    assert push(run, [{**row, "judgements": [{"by": BY, "claims": [CLAIM]}]}], actor=editor)["accepted"] == 1


def test_with_read_gold_is_judged_on_a_frozen_split_and_held_against_the_item(
    cast: Cast, version: DatasetVersion
) -> None:
    for level in (Level.QUESTIONS, Level.READ):
        grant(cast, version.dataset, "editor", level)
    editor = cast.actor("editor")
    run = make_run(cast, version, split="frozen", actor=editor)
    row = answers(run)[0]
    with pytest.raises(Invalid) as caught:
        push(run, [{**row, "judgements": [{"by": BY, "nuggets": ["support"]}]}], actor=editor)
    assert [(error.pointer, error.code) for error in caught.value.errors] == [("/0/judgements/0/nuggets", "length")]
    good = {**row, "judgements": [{"by": BY, "nuggets": ["support", "not_support"]}]}
    assert push(run, [good], actor=editor)["accepted"] == 1


def test_judged_outputs_are_held_against_gold_in_few_queries(run: Run, django_assert_max_num_queries: Any) -> None:
    row = judged(run, {"by": BY, "nuggets": ["support", None]})[0]
    rows = [{**row, "external_id": f"q-{n:04d}"} for n in range(1, 7)]
    with django_assert_max_num_queries(20):
        assert push(run, rows)["accepted"] == 6


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 4) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["by", "x"]), inner, max_size=2),
    max_leaves=4,
)
_TRUTH = st.none() | st.booleans()
_CLAIMS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "text": st.text(max_size=9) | _JSON,
            "citations": st.lists(st.integers(0, 3), max_size=3) | _JSON,
            "needs_citation": st.booleans() | _JSON,
            "joint": _TRUTH,
            "alone": st.lists(_TRUTH, max_size=3),
            "without": st.lists(_TRUTH, max_size=3),
        },
    ),
    max_size=3,
)
_RECORDS = st.lists(
    st.fixed_dictionaries(
        {"by": st.sampled_from([BY, {"people": "p", "version": "1"}]) | _JSON},
        optional={
            "claims": _CLAIMS | _JSON,
            "nuggets": st.lists(st.sampled_from([*ASSIGNED, None]), max_size=3) | _JSON,
            "subquestions": st.lists(_TRUTH, max_size=3) | _JSON,
            "attack_succeeded": _TRUTH | _JSON,
        },
    ),
    max_size=3,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(value=_RECORDS | _JSON, n_citations=st.integers(0, 4))
def test_whatever_is_taken_in_can_be_scored_and_the_rest_is_named_inside_judgements(
    value: Any, n_citations: int
) -> None:
    found: list[tuple[str, str, str]] = []
    kept, gold = judgements_read(value, n_citations, lambda *fault: found.append(fault))
    assert all(pointer.startswith("/judgements") and code and text for pointer, code, text in found)
    if found:
        return
    assert [record["judge"] for record in kept] == sorted({record["judge"] for record in kept})
    assert json.loads(json.dumps(kept)) == kept
    for record in kept:
        read = judgements_of(record)
        assert all(place < n_citations for claim in read.claims or () for place in claim.citations)
    assert len(gold) == sum(part in record for record in kept for part in GOLD_PARTS)
