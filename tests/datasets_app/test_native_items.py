"""What a native item may hold, field by field."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_app.canonical import canonical_json
from datasets_app.imports.jsonl import Unreadable, read_rows
from datasets_app.imports.native import FIELDS, native_of, parse_item
from datasets_app.imports.values import Unstorable, clean

WHOLE = {
    "external_id": "kb-0001", "question": "How long?", "history": [{"role": "user", "content": "Hi"}], "split": "dev",
    "tiers": ["regression", "smoke"], "types": ["fact"], "language": "zh", "answerable": True, "reference": "30 days",
    "query_time": "2026-03-01T08:00:00+08:00", "audience": ["staff"], "cluster": "doc-17", "source": "real_user",
    "risk": "high", "tags": ["billing"],
    "evidence": [[["chunk-12", {"doc_id": "d7", "version_id": "3", "start": 120, "end": 240}], ["chunk-40"]]],
    "relevance": {"chunk-12": 2, "chunk-9": 1},
    "assertions": [{"type": "number", "value": 30, "unit": "day", "must": True}],
    "claims": [{"text": "a", "needs_citation": True}], "nuggets": [{"text": "b", "vital": True}], "subquestions": ["c"],
    "copies": [["chunk-12", "chunk-77"]], "perturbs": {"external_id": "kb-0000", "kind": "paraphrase"},
    "metadata": {"n": 1.0}, "context": ["given text"],
}  # fmt: skip


def faults(**fields: Any) -> list[tuple[str, str]]:
    raw = {"external_id": "a", "question": "b?", **fields}
    item, found = parse_item(raw)
    assert (item is None) == bool(found)
    return [(fault.pointer, fault.code) for fault in found]


def test_the_documented_item_is_accepted_with_every_field() -> None:
    item, found = parse_item(WHOLE)
    assert found == []
    assert item is not None
    native = native_of(item.external_id, item.content, item.split or "", item.tiers)
    assert set(native) == set(FIELDS)
    assert native["query_time"] == "2026-03-01T00:00:00Z"
    assert native["tiers"] == ["smoke", "regression"]
    assert parse_item(native)[0] == item


@pytest.mark.parametrize(
    ("fields", "pointer", "code"),
    [
        ({"external_id": None}, "/external_id", "not_text"),
        ({"external_id": " a"}, "/external_id", "bad_text"),
        ({"external_id": "x" * 201}, "/external_id", "too_long"),
        ({"question": ""}, "/question", "empty"),
        ({"question": None}, "/question", "required"),
        ({"question": 3}, "/question", "not_text"),
        ({"qestion": "typo"}, "/qestion", "unknown_field"),
        ({"split": "test"}, "/split", "unknown_value"),
        ({"tiers": ["smok"]}, "/tiers/0", "unknown_value"),
        ({"types": ["fact", "riddle"]}, "/types/1", "unknown_value"),
        ({"types": "fact"}, "/types", "not_list"),
        ({"language": "Deutsch!"}, "/language", "bad_language"),
        ({"answerable": "yes"}, "/answerable", "not_bool"),
        ({"answerable": True, "types": ["unanswerable"]}, "/answerable", "contradiction"),
        ({"query_time": "2026-03-01"}, "/query_time", "bad_time"),
        ({"query_time": "2026-03-01T00:00:00"}, "/query_time", "bad_time"),
        ({"audience": [""]}, "/audience/0", "empty"),
        ({"source": "hearsay"}, "/source", "unknown_value"),
        ({"risk": "huge"}, "/risk", "unknown_value"),
        ({"tags": ["a|b"]}, "/tags/0", "bad_text"),
        ({"evidence": [[]]}, "/evidence/0", "bad_evidence"),
        ({"evidence": [[["a"], []]]}, "/evidence/0/1", "bad_evidence"),
        ({"evidence": [[[{"doc_id": "d", "start": 5, "end": 5}]]]}, "/evidence/0/0/0/end", "bad_evidence"),
        ({"relevance": {"a": -1}}, "/relevance/a", "bad_evidence"),
        ({"assertions": [{"type": "nothing"}]}, "/assertions/0/type", "bad_assertion"),
        ({"assertions": [{"type": "contains"}]}, "/assertions/0/value", "bad_assertion"),
        ({"claims": [{"text": "a", "needed": True}]}, "/claims/0/needed", "unknown_field"),
        ({"nuggets": [{"vital": True}]}, "/nuggets/0/text", "required"),
        ({"history": [{"role": "robot", "content": "x"}]}, "/history/0/role", "unknown_value"),
        ({"perturbs": {"kind": "typo"}}, "/perturbs/external_id", "required"),
        ({"metadata": {"a": float("nan")}}, "/metadata/a", "not_finite"),
        ({"metadata": {"a": [float("inf")]}}, "/metadata/a/0", "not_finite"),
        ({"metadata": {"x": "y" * 70_000}}, "/metadata", "too_long"),
        ({"reference": "half \ud800"}, "/reference", "bad_text"),
        ({"nonce": "short"}, "/nonce", "bad_nonce"),
    ],
)
def test_a_wrong_field_is_named_with_its_pointer_and_a_code(fields: dict, pointer: str, code: str) -> None:
    assert (pointer, code) in faults(**fields)


def test_a_misspelt_field_is_told_its_likely_name() -> None:
    _item, found = parse_item({"external_id": "a", "question": "b", "refrence": "c"})
    assert "reference" in found[0].detail


def test_an_unknown_type_lists_the_known_ones() -> None:
    _item, found = parse_item({"external_id": "a", "question": "b", "types": ["zzz"]})
    assert "multi_hop" in found[0].detail


def test_every_fault_of_an_item_is_told_at_once() -> None:
    assert len(faults(split="x", types=["y"], tiers=["z"], risk="w")) == 4


def test_an_unanswerable_item_needs_no_evidence_and_its_type_says_that_it_has_no_answer() -> None:
    item, found = parse_item({"external_id": "a", "question": "b", "types": ["false_premise"]})
    assert found == []
    assert item is not None
    assert item.content["answerable"] is False


def test_nul_characters_are_taken_out_and_integral_floats_become_integers() -> None:
    item, _found = parse_item({"external_id": "a", "question": "b\x00c", "metadata": {"n": 2.0, "big": 1e22}})
    assert item is not None
    assert item.content["question"] == "bc"
    assert canonical_json(item.content["metadata"]) == '{"big":10000000000000000000000,"n":2}'


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_what_can_be_stored_reads_back_from_json_with_the_same_canonical_text(value: Any) -> None:
    try:
        stored = clean(value)
    except Unstorable:
        return
    assert canonical_json(json.loads(json.dumps(stored))) == canonical_json(stored)


@given(st.dictionaries(st.sampled_from([*FIELDS, "other"]), LEAVES | st.lists(LEAVES) | st.lists(st.lists(LEAVES))))
def test_no_content_of_any_shape_makes_the_reader_fail(raw: dict) -> None:
    item, found = parse_item(raw)
    assert (item is None) == bool(found)


def test_lines_that_are_no_json_stand_in_the_place_of_their_rows() -> None:
    rows = list(read_rows(b'{"a": 1}\n\n{"b": \n\xff\xfe\xfa\n' + b"[" * 10_000 + b"\n"))
    assert rows[0] == (1, {"a": 1})
    codes = [(line, row.code) for line, row in rows[1:] if isinstance(row, Unreadable)]
    assert codes == [(3, "not_json"), (4, "not_utf8"), (5, "too_deep")]


def test_a_json_list_is_read_element_by_element() -> None:
    assert list(read_rows(b'\xef\xbb\xbf [ {"a": 1} ,\n {"a": 2}] ')) == [(1, {"a": 1}), (2, {"a": 2})]
    assert list(read_rows(b"[]")) == []
