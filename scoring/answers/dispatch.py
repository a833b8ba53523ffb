"""The assertion types by name, and the two calls that everything else uses: ``validate`` on import, ``check`` on
scoring.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from scoring.answers import (
    cites,
    contains,
    date,
    equals,
    id,
    json_path,
    json_schema,
    not_contains,
    number,
    one_of,
    refuses,
    regex,
)
from scoring.answers.result import AssertionResult
from scoring.errors import AssertionSpecError
from scoring.types import SystemOutput


class AssertionType(NamedTuple):
    """The two functions of one type."""

    validate: Callable[[Mapping[str, Any]], None]
    check: Callable[[Mapping[str, Any], str, SystemOutput | None], AssertionResult]


TYPES: dict[str, AssertionType] = {
    name: AssertionType(module.validate, module.check)
    for name, module in {
        "equals": equals,
        "contains": contains,
        "not_contains": not_contains,
        "regex": regex,
        "number": number,
        "date": date,
        "id": id,
        "json_path": json_path,
        "json_schema": json_schema,
        "one_of": one_of,
        "refuses": refuses,
        "cites": cites,
    }.items()
}


def validate(assertion: Mapping[str, Any]) -> None:
    """Check an assertion's specification; raises AssertionSpecError (pointer relative to the assertion, reason)."""
    if not isinstance(assertion, Mapping):
        raise AssertionSpecError("", "an assertion is an object")
    kind = assertion.get("type")
    if kind is None:
        raise AssertionSpecError("/type", f"says how the answer is checked: {', '.join(TYPES)}")
    if not isinstance(kind, str) or kind not in TYPES:
        raise AssertionSpecError("/type", f"{kind!r} is not one of {', '.join(TYPES)}")
    if not isinstance(assertion.get("must", True), bool):
        raise AssertionSpecError("/must", "must be true or false")
    TYPES[kind].validate(assertion)


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None = None) -> AssertionResult:
    """Check one answer. ``must`` plays no part here. Raises AssertionSpecError for a wrong specification."""
    kind = assertion.get("type")
    if not isinstance(kind, str) or kind not in TYPES:
        raise AssertionSpecError("/type", f"{kind!r} is not one of {', '.join(TYPES)}")
    return TYPES[kind].check(assertion, answer, output)
