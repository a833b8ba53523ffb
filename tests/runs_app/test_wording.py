"""What `scoring/` says has a sentence in the reader's language: found by reading its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils import translation

import scoring
from runs_app.metric_wording import SUMMARIES, summary_of
from runs_app.wording import CHECKS, FAMILIES, LAYERS, PATTERNS, REASONS, SYMPTOMS, explained, family_name
from scoring.answers.contains import check as contains
from scoring.answers.number import check as number
from scoring.composite import composite
from scoring.registry import METRICS
from scoring.types import Score, State

SOURCES = sorted(Path(scoring.__file__).parent.rglob("*.py"))


def _calls(name: str) -> Iterator[ast.Call]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            called = node.func if isinstance(node, ast.Call) else None
            if name in {getattr(called, "attr", ""), getattr(called, "id", "")}:
                assert isinstance(node, ast.Call)
                yield node


def _strings(node: ast.AST) -> Iterator[str]:
    """Yield the texts that an expression may give: a literal, one with values in it, or one of a choice."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "'x'" for part in node.values)
    elif isinstance(node, ast.IfExp):
        yield from _strings(node.body)
        yield from _strings(node.orelse)


def reasons() -> set[str]:
    return {text for call in _calls("none") for given in call.args[1:] for text in _strings(given)}


def whys() -> set[str]:
    return {
        text
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "why"
        for text in _strings(value)
    }


def findings() -> set[str]:
    return {text for call in _calls("_finding") for given in call.args[:2] for text in _strings(given) if len(text) > 3}


def failed_checks() -> set[str]:
    """Return why an assertion failed, as far as it is written where the result is made."""
    return {
        text
        for call in _calls("AssertionResult")
        if isinstance(call.args[0], ast.Constant) and call.args[0].value is False and len(call.args) > 2
        for text in _strings(call.args[2])
    }


def is_known(text: str) -> bool:
    tables = (SYMPTOMS, LAYERS, REASONS, CHECKS)
    return any(text in table for table in tables) or any(re.fullmatch(pattern, text) for pattern, _said in PATTERNS)


def test_every_reason_and_finding_of_the_source_is_known() -> None:
    assert len(reasons()) > 35
    assert len(findings()) > 8
    assert {text for text in reasons() | whys() | findings() if not is_known(text)} == set()


def test_every_written_reason_of_a_failed_assertion_is_known() -> None:
    # Made of one of two sentences, which are both in the table.
    assert {text for text in failed_checks() if not is_known(text)} == {"'x' in the answer"}
    assert {"no number in the answer", "no number with that unit in the answer"} <= CHECKS.keys()
    assert len(failed_checks()) > 12


def test_the_meaning_of_every_metric_is_the_registrys_word_for_word() -> None:
    with translation.override("en"):
        assert {name: summary_of(name) for name in METRICS} == {name: spec.summary for name, spec in METRICS.items()}
    assert SUMMARIES.keys() - METRICS.keys() == {"generation.composite"}
    assert {spec.family for spec in METRICS.values()} <= FAMILIES.keys()
    assert summary_of("external.rl_f") == ""


def test_sentences_with_something_in_them_keep_it() -> None:
    score = composite({"faithfulness": Score.none(State.JUDGE_FAILED)}, {"faithfulness": 1.0})
    assert explained(score.detail["reason"]) == "missing: faithfulness (judge_failed)"
    missed = contains({"value": "30 days"}, "It is 45 days.", None).reason
    assert explained(missed) == "'30 days' is not in the answer"
    other = number({"value": 30}, "It is 45 days.", None).reason
    assert explained(other).startswith("another number: ")


def test_what_is_not_known_stays_as_it_is() -> None:
    assert explained("something that a judge wrote") == "something that a judge wrote"
    assert explained(None) == ""
    assert family_name("ragas") == "ragas"
    assert family_name("freshness") == "Freshness"
