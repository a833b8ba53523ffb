"""``not_contains``: the value is not stated in the answer. A hit inside a negation is a denial, so it passes.

Fields as for ``contains``: ``value`` (a text, or a list none of which may be there), ``case_sensitive``, ``negation``
("ignore": any hit fails). Worked examples: value "water damage": "It does not cover water damage" passes, "It covers
water damage" fails; value "免费": "不免费" passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.answers.contains import find
from scoring.answers.result import AssertionResult
from scoring.answers.spec import choice, flag, known, texts_field
from scoring.types import SystemOutput


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, "value", "case_sensitive", "negation")
    texts_field(assertion, "value")
    flag(assertion, "case_sensitive")
    choice(assertion, "negation", ("aware", "ignore"), "aware")


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when none of the values is stated."""
    exact = flag(assertion, "case_sensitive")
    aware = choice(assertion, "negation", ("aware", "ignore"), "aware") == "aware"
    denied: tuple[int, int] | None = None
    for value in texts_field(assertion, "value"):
        hit, inside = find(answer, value, exact, aware)
        if hit is not None:
            return AssertionResult(False, hit, f"{value!r} is in the answer")
        denied = denied or inside
    return AssertionResult(True, denied, "only inside a negation" if denied else "not in the answer")
