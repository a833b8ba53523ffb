"""``regex``: a pattern is found in the answer within a time limit. Fields: ``pattern``, ``flags`` (of i, m, s, x),
``full``.

The syntax is that of the ``regex`` package, whose matcher stops when its time is up, so that a catastrophic pattern
costs one second and fails with that reason. ``full`` true: the whole answer must match.
Worked example: pattern ``ISO\\s?9001``: "certified to ISO 9001" passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import regex

from scoring.answers.result import AssertionResult
from scoring.answers.spec import flag, known, text_field
from scoring.errors import AssertionSpecError
from scoring.types import SystemOutput

TIME_LIMIT_SECONDS = 1.0
MAX_PATTERN = 5000
_FLAGS = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL, "x": regex.VERBOSE}


@lru_cache(maxsize=512)
def compiled(pattern: str, flags: str = "") -> Any:
    """The compiled pattern; raises AssertionSpecError."""
    if len(pattern) > MAX_PATTERN:
        raise AssertionSpecError("/pattern", f"is longer than {MAX_PATTERN} characters")
    bits = 0
    for letter in flags:
        if letter not in _FLAGS:
            raise AssertionSpecError("/flags", f"{letter!r} is not one of i, m, s, x")
        bits |= _FLAGS[letter]
    try:
        return regex.compile(pattern, bits)
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        raise AssertionSpecError("/pattern", f"is not a regular expression: {error}") from error


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, "pattern", "flags", "full")
    flag(assertion, "full")
    compiled(text_field(assertion, "pattern") or "", text_field(assertion, "flags", required=False) or "")


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when the pattern is found in time."""
    pattern = compiled(text_field(assertion, "pattern") or "", text_field(assertion, "flags", required=False) or "")
    try:
        if flag(assertion, "full"):
            match = pattern.fullmatch(answer.strip(), timeout=TIME_LIMIT_SECONDS)
        else:
            match = pattern.search(answer, timeout=TIME_LIMIT_SECONDS)
    except TimeoutError:
        return AssertionResult(False, None, f"the pattern took longer than {TIME_LIMIT_SECONDS:g} s")
    if match is None:
        return AssertionResult(False, None, "the pattern is not in the answer")
    return AssertionResult(True, (match.start(), match.end()), "found")
