"""``cites``: the output's citations name a source. Fields: ``doc_id``, ``version_id``, ``unit_id``, ``start``/``end``,
``min``.

A citation counts when it agrees with every field given; with ``start`` and ``end``, when it overlaps that span. ``min``
(default 1): how many must count. Without a doc_id or unit_id any citation counts. Markers in the text such as ``[d7]``
or ``【d7】`` count for a ``doc_id`` or ``unit_id`` given alone.
Worked example: doc_id "d7", citations [{"doc_id": "d7"}]: passes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scoring.answers.result import AssertionResult
from scoring.answers.spec import known, number_field, text_field
from scoring.errors import AssertionSpecError
from scoring.types import SystemOutput

_KEYS = ("doc_id", "version_id", "unit_id")


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, *_KEYS, "start", "end", "min")
    for key in _KEYS:
        text_field(assertion, key, required=False)
    start, end = number_field(assertion, "start", 0), number_field(assertion, "end", 0)
    if (start is None) != (end is None) or (start is not None and end is not None and end <= start):
        raise AssertionSpecError("/end", "start and end are given together, end after start")
    least = number_field(assertion, "min", 1)
    if least is not None and least != int(least):
        raise AssertionSpecError("/min", "must be a whole number")


def _agrees(assertion: Mapping[str, Any], citation: Mapping[str, Any]) -> bool:
    for key in _KEYS:
        wanted = assertion.get(key)
        if wanted is None:
            continue
        given = citation.get(key)
        if key == "unit_id" and given is None:
            given = citation.get("id")
        if given is None or str(given) != wanted:
            return False
    start, end = assertion.get("start"), assertion.get("end")
    if start is None or end is None:
        return True
    left, right = citation.get("start"), citation.get("end")
    return isinstance(left, int) and isinstance(right, int) and left < end and start < right


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when enough citations agree."""
    least = int(assertion.get("min") or 1)
    citations = output.citations if output is not None else ()
    count = sum(_agrees(assertion, citation) for citation in citations)
    span: tuple[int, int] | None = None
    target = assertion.get("doc_id") or assertion.get("unit_id")
    alone = sum(assertion.get(key) is not None for key in (*_KEYS, "start")) == 1
    if count < least and target and alone:
        marks = list(re.finditer(rf"[\[【(（^]\s*{re.escape(str(target))}\s*[\]】)）]", answer))
        if marks:
            span = marks[0].span()
            count = max(count, len(marks))
    reason = f"{count} of at least {least} citations agree"
    return AssertionResult(count >= least, span, reason)
