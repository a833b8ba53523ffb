"""Wrong assertions are refused on import with a pointer; hostile patterns and documents end quickly with a reason."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.answers import TYPES, AssertionSpecError, check, validate
from scoring.types import SystemOutput

WRONG = [
    ({}, "/type"),
    ({"type": "nothing"}, "/type"),
    ({"type": "contains", "value": "x", "must": "yes"}, "/must"),
    ({"type": "contains"}, "/value"),
    ({"type": "contains", "value": "x", "any_of": ["y"]}, "/value"),
    ({"type": "contains", "value": ["x", ""]}, "/value/1"),
    ({"type": "contains", "value": "x", "case": True}, "/case"),
    ({"type": "equals", "value": []}, "/value"),
    ({"type": "regex", "pattern": "("}, "/pattern"),
    ({"type": "regex", "pattern": "x", "flags": "q"}, "/flags"),
    ({"type": "regex", "pattern": "a" * 6000}, "/pattern"),
    ({"type": "number"}, "/value"),
    ({"type": "number", "value": True}, "/value"),
    ({"type": "number", "value": float("nan")}, "/value"),
    ({"type": "number", "value": [5, 3]}, "/value"),
    ({"type": "number", "value": [5, "x"]}, "/value/1"),
    ({"type": "number", "value": 5, "unit": "blorp"}, "/unit"),
    ({"type": "number", "value": 5, "abs_tol": -1}, "/abs_tol"),
    ({"type": "date", "value": "1 March"}, "/value"),
    ({"type": "date", "value": "2026-02-30"}, "/value"),
    ({"type": "date", "value": "2026", "tolerance_days": 3}, "/tolerance_days"),
    ({"type": "id", "value": " "}, "/value"),
    ({"type": "json_path", "path": "a.b"}, "/path"),
    ({"type": "json_path", "path": "$..a"}, "/path"),
    ({"type": "json_path", "path": "$.a", "value": 1, "exists": True}, "/exists"),
    ({"type": "json_schema", "schema": {"type": "nothing"}}, "/schema"),
    ({"type": "json_schema", "schema": "x"}, "/schema"),
    ({"type": "one_of", "values": ["a"], "match": "like"}, "/match"),
    ({"type": "refuses", "value": "x"}, "/value"),
    ({"type": "cites", "start": 5}, "/end"),
    ({"type": "cites", "min": 0}, "/min"),
]


@pytest.mark.parametrize(("assertion", "pointer"), WRONG)
def test_a_wrong_assertion_is_refused_with_a_pointer(assertion, pointer):
    with pytest.raises(AssertionSpecError) as error:
        validate(assertion)
    assert error.value.pointer == pointer
    assert error.value.reason


@pytest.mark.parametrize("answer", ["0e310", "It is 1e999.", "9" * 400, f"{'9' * 400}/{'9' * 400}"])
def test_a_number_beyond_all_bounds_meets_no_expectation_and_breaks_nothing(answer):
    validate(assertion := {"type": "number", "value": 7.5})
    assert not check(assertion, answer).passed


def test_an_assertion_without_a_type_is_told_the_types():
    with pytest.raises(AssertionSpecError) as error:
        validate({"kind": "contains", "value": "a"})
    assert (error.value.pointer, "contains" in error.value.reason, "None" in error.value.reason) == (
        "/type",
        True,
        False,
    )


def test_an_assertion_that_is_not_an_object_is_refused():
    with pytest.raises(AssertionSpecError):
        validate(["contains"])  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", [r"(a|aa)+$", r"(a|aa|aaa)*!?$"])
def test_a_catastrophic_pattern_ends_after_a_second_with_that_reason(pattern):
    assertion = {"type": "regex", "pattern": pattern}
    validate(assertion)
    result = check(assertion, "a" * 60 + "b")
    assert not result.passed
    assert result.reason == "the pattern took longer than 1 s"


def test_json_is_read_from_a_fence_and_compared_by_value():
    answer = 'Here:\n```json\n{"items": [{"price": 30.0, "name": "甲"}], "ok": true}\n```\nDone.'
    for path, value in [
        ("$.items[0].price", 30),
        ("$.items[*].name", "甲"),
        ("$['ok']", True),
        ("$.items[-1].price", 30),
    ]:
        assertion = {"type": "json_path", "path": path, "value": value}
        validate(assertion)
        result = check(assertion, answer)
        assert result.passed, path
        json.loads(answer[slice(*result.span)])
    assert not check({"type": "json_path", "path": "$.ok", "value": 1}, answer).passed
    assert check({"type": "json_path", "path": "$.gone", "exists": False}, answer).passed
    assert not check({"type": "json_path", "path": "$.gone"}, answer).passed
    assert not check({"type": "json_path", "path": "$.ok"}, "not json").passed
    assert not check({"type": "json_path", "path": "$"}, '{"a": NaN}').passed


def test_a_schema_is_checked_and_fetches_nothing():
    schema = {"type": "object", "required": ["price"], "properties": {"price": {"type": "number", "minimum": 1}}}
    assertion = {"type": "json_schema", "schema": schema}
    validate(assertion)
    assert check(assertion, '{"price": 30}').passed
    failed = check(assertion, '{"price": 0}')
    assert not failed.passed
    assert "$.price" in failed.reason
    remote = {"type": "json_schema", "schema": {"$ref": "https://example.com/schema.json"}}
    assert "resolved" in check(remote, "{}").reason
    slow = {"type": "json_schema", "schema": {"type": "string", "pattern": "^(a|aa)+$"}}
    validate(slow)
    assert not check(slow, json.dumps("a" * 60 + "b")).passed
    endless = {"type": "json_schema", "schema": {"$ref": "#"}}
    assert not check(endless, "{}").passed


def test_ten_thousand_nested_brackets_are_a_reason_not_a_crash():
    assert "nested" in check({"type": "json_path", "path": "$"}, "[" * 10_000 + "]" * 10_000).reason


def test_citations_are_matched_on_every_field_given():
    out = SystemOutput.from_native(
        {"external_id": "q", "answer": "x", "citations": [{"doc_id": "d7", "version_id": "3", "start": 10, "end": 20}]}
    )
    assert check({"type": "cites", "doc_id": "d7"}, "x", out).passed
    assert check({"type": "cites", "doc_id": "d7", "start": 19, "end": 30}, "x", out).passed
    assert not check({"type": "cites", "doc_id": "d7", "start": 20, "end": 30}, "x", out).passed
    assert not check({"type": "cites", "doc_id": "d7", "version_id": "4"}, "x", out).passed
    assert not check({"type": "cites", "min": 2}, "x", out).passed
    assert check({"type": "cites", "doc_id": "d7"}, "As said【d7】", None).passed
    assert not check({"type": "cites", "doc_id": "d7"}, "As said [d77]", None).passed


def test_refuses_reads_the_outcome_and_else_the_text():
    declared = SystemOutput.from_native({"external_id": "q", "answer": "No.", "outcome": "refused"})
    assert check({"type": "refuses"}, "No.", declared).passed
    assert check({"type": "refuses"}, "我不知道。").passed
    assert not check({"type": "refuses"}, "30 days").passed


EXAMPLES = [
    {"type": "equals", "value": "x"},
    {"type": "contains", "value": "x"},
    {"type": "not_contains", "value": "x"},
    {"type": "regex", "pattern": "x"},
    {"type": "number", "value": 3, "unit": "day", "entity": "x"},
    {"type": "date", "value": "2026-03-01"},
    {"type": "id", "value": "x"},
    {"type": "json_path", "path": "$.x"},
    {"type": "json_schema", "schema": {}},
    {"type": "one_of", "values": ["x"], "others": ["y"], "match": "contains"},
    {"type": "refuses"},
    {"type": "cites", "doc_id": "x"},
]


def test_there_is_an_example_of_every_type():
    assert {e["type"] for e in EXAMPLES} == set(TYPES)


FRAGMENTS = st.sampled_from(
    [
        "x",
        "not ",
        "no ",
        "3",
        "三",
        "万",
        "亿",
        "半",
        "个",
        "days",
        "天",
        "-",
        ".",
        ",",
        "，",
        "%",
        "年",
        "月",
        "日",
        "$",
        "e",
        "½",
        "İ",
        "ß",
        "２",
        "to ",
        "half ",
        "and a half ",
        "hundred ",
        "分之",
        "百",
        "点",
        "成",
        "零下",
        "(",
        "/",
        "2026",
        " ",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(FRAGMENTS, max_size=14).map("".join)))
def test_no_answer_crashes_a_check_and_spans_lie_in_the_answer(answer):
    for assertion in EXAMPLES:
        result = check(assertion, answer)
        if result.span is not None:
            assert 0 <= result.span[0] <= result.span[1] <= len(answer)
