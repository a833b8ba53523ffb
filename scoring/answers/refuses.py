"""``refuses``: the system declined to answer. No fields. Reads the output's outcome, or, without one, the text by rule.

``partial`` true accepts a partial answer too. Worked example: "I don't know." passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.answers.result import AssertionResult
from scoring.answers.spec import flag, known
from scoring.refusal.detect import detect
from scoring.types import SystemOutput


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, "partial")
    flag(assertion, "partial")


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when refused."""
    accepted = ("refused", "partial") if flag(assertion, "partial") else ("refused",)
    if output is not None:
        return AssertionResult(output.outcome in accepted, None, f"outcome {output.outcome} ({output.outcome_source})")
    found = detect(answer)
    return AssertionResult(found.outcome in accepted, found.span, f"outcome {found.outcome} ({found.identity})")
