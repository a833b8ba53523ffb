"""``json_path``: a place in the JSON answer has a value. Fields: ``path``, then ``value`` (equal to) or ``exists``.

``path`` is the part of RFC 9535 made of ``$``, ``.name``, ``['name']``, ``[n]`` (negative from the end) and ``[*]`` or
``.*``; with a wildcard one match suffices. Numbers compare by value with ``abs_tol`` (default 0). ``exists`` false: the
place must be absent. Worked example: path ``$.items[0].price``, value 30: ``{"items": [{"price": 30.0}]}`` passes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scoring.answers.json_text import document
from scoring.answers.result import AssertionResult
from scoring.answers.spec import flag, known, number_field, text_field
from scoring.errors import AssertionSpecError
from scoring.types import SystemOutput

_STEP = re.compile(
    r"""\.(?P<name>[^\s.\[\]'"*]+)|\.\*|\[\s*(?:(?P<index>-?\d+)|\*|'(?P<single>[^']*)'|"(?P<double>[^"]*)")\s*\]"""
)
WILD = object()


def parse(path: str) -> list[Any]:
    """Steps of a path: names, indexes, WILD; raises AssertionSpecError."""
    if not path.startswith("$"):
        raise AssertionSpecError("/path", "must start with $")
    steps: list[Any] = []
    place = 1
    while place < len(path):
        match = _STEP.match(path, place)
        if match is None:
            raise AssertionSpecError("/path", f"cannot be read from {path[place:]!r} on")
        if match["index"] is not None:
            steps.append(int(match["index"]))
        else:
            name = next((match[g] for g in ("name", "single", "double") if match[g] is not None), None)
            steps.append(WILD if name is None else name)
        place = match.end()
    return steps


def select(value: Any, steps: list[Any]) -> list[Any]:
    """All values at the path."""
    found = [value]
    for step in steps:
        reached: list[Any] = []
        for node in found:
            if step is WILD:
                reached.extend(node.values() if isinstance(node, dict) else node if isinstance(node, list) else [])
            elif isinstance(step, int):
                if isinstance(node, list) and -len(node) <= step < len(node):
                    reached.append(node[step])
            elif isinstance(node, dict) and step in node:
                reached.append(node[step])
        found = reached
    return found


def _same(left: Any, right: Any, tolerance: float) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return abs(left - right) <= tolerance
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(_same(a, b, tolerance) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[k], right[k], tolerance) for k in left)
    return type(left) is type(right) and bool(left == right)


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, "path", "value", "exists", "abs_tol")
    parse(text_field(assertion, "path") or "")
    number_field(assertion, "abs_tol", 0)
    flag(assertion, "exists", True)
    if "value" in assertion and "exists" in assertion:
        raise AssertionSpecError("/exists", "give either value or exists")


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when the place exists (or holds the value)."""
    try:
        value, span = document(answer)
    except ValueError as error:
        return AssertionResult(False, None, str(error))
    found = select(value, parse(text_field(assertion, "path") or ""))
    if "value" in assertion:
        tolerance = number_field(assertion, "abs_tol", 0) or 0.0
        passed = any(_same(entry, assertion["value"], tolerance) for entry in found)
        reason = "the value is there" if passed else ("another value is there" if found else "the path is absent")
        return AssertionResult(passed, span, reason)
    wanted = flag(assertion, "exists", True)
    return AssertionResult(bool(found) == wanted, span, "the path is there" if found else "the path is absent")
