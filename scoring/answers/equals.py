"""``equals``: the whole answer is the value. Fields: ``value`` (text or list of accepted texts), ``case_sensitive``.

Compared after ``text.normalize``: full-width forms, white space, case and punctuation at the ends do not matter.
Worked example: value "Paris", answer "**paris**." passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.answers.result import AssertionResult
from scoring.answers.spec import flag, known, texts_field
from scoring.answers.text import normalize
from scoring.types import SystemOutput


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, "value", "case_sensitive")
    texts_field(assertion, "value")
    flag(assertion, "case_sensitive")


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when the normalised answer is one of the values."""
    exact = flag(assertion, "case_sensitive")
    given = normalize(answer, exact)
    for value in texts_field(assertion, "value"):
        if given == normalize(value, exact):
            return AssertionResult(True, (0, len(answer)), f"equals {value!r}")
    return AssertionResult(False, None, "the answer is not the expected text")
