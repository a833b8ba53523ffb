"""``one_of``: the answer is one of a closed set. Fields: ``values``, ``match`` ("equals" default, or "contains").

``contains``: at least one of the values is stated, outside of a negation, and none of ``others`` is (the wrong labels
of the closed set). Worked example: values ["yes"], others ["no"], match "contains": "Yes, it is" passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.answers.contains import find
from scoring.answers.result import AssertionResult
from scoring.answers.spec import choice, flag, known, texts_field
from scoring.answers.text import normalize
from scoring.types import SystemOutput


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, "values", "others", "match", "case_sensitive")
    texts_field(assertion, "values")
    texts_field(assertion, "others", required=False)
    choice(assertion, "match", ("equals", "contains"), "equals")
    flag(assertion, "case_sensitive")


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when the answer gives one of the values."""
    exact = flag(assertion, "case_sensitive")
    values = texts_field(assertion, "values")
    if choice(assertion, "match", ("equals", "contains"), "equals") == "equals":
        given = normalize(answer, exact)
        for value in values:
            if given == normalize(value, exact):
                return AssertionResult(True, (0, len(answer)), f"equals {value!r}")
        return AssertionResult(False, None, "the answer is none of the values")
    for value in texts_field(assertion, "others", required=False):
        wrong, _ = find(answer, value, exact, True)
        if wrong is not None:
            return AssertionResult(False, wrong, f"{value!r} is stated")
    for value in values:
        hit, _ = find(answer, value, exact, True)
        if hit is not None:
            return AssertionResult(True, hit, f"found {value!r}")
    return AssertionResult(False, None, "none of the values is stated")
