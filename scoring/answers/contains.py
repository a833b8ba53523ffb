"""``contains``: the value stands in the answer, as whole words, outside of a negation.

Fields: ``value`` (a text, or a list of texts all of which must be there), or ``any_of`` (one of them must be there);
``case_sensitive``; ``negation``: "aware" (default: a hit inside a negation counts as a miss and is reported) or
"ignore". Worked examples: value "charger": "It comes with a charger" passes, "It does not include a charger" fails,
"chargers" is another word and fails; value "退款": "支持退款" passes, "不支持退款" fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.answers.negation import negated
from scoring.answers.result import AssertionResult
from scoring.answers.spec import choice, flag, known, texts_field
from scoring.answers.text import occurrences
from scoring.errors import AssertionSpecError
from scoring.types import SystemOutput

FIELDS = ("value", "any_of", "case_sensitive", "negation")


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, *FIELDS)
    if (assertion.get("value") is None) == (assertion.get("any_of") is None):
        raise AssertionSpecError("/value", "give either value or any_of")
    texts_field(assertion, "value" if assertion.get("value") is not None else "any_of")
    flag(assertion, "case_sensitive")
    choice(assertion, "negation", ("aware", "ignore"), "aware")


def find(
    answer: str, value: str, case_sensitive: bool, aware: bool
) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """The first hit outside of a negation, and the first one inside."""
    inside: tuple[int, int] | None = None
    for start, end in occurrences(answer, value, case_sensitive):
        if aware and negated(answer, start, end):
            inside = inside or (start, end)
            continue
        return (start, end), inside
    return None, inside


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when all of ``value``, or one of ``any_of``, is stated."""
    exact = flag(assertion, "case_sensitive")
    aware = choice(assertion, "negation", ("aware", "ignore"), "aware") == "aware"
    wanted = texts_field(assertion, "value", required=False)
    span: tuple[int, int] | None = None
    for value in wanted:
        hit, inside = find(answer, value, exact, aware)
        if hit is None:
            reason = f"{value!r} stands only inside a negation" if inside else f"{value!r} is not in the answer"
            return AssertionResult(False, inside, reason)
        span = span or hit
    if wanted:
        return AssertionResult(True, span, "found")
    denied: tuple[int, int] | None = None
    for value in texts_field(assertion, "any_of"):
        hit, inside = find(answer, value, exact, aware)
        if hit is not None:
            return AssertionResult(True, hit, f"found {value!r}")
        denied = denied or inside
    return AssertionResult(False, denied, "found only inside a negation" if denied else "none of the texts is there")
