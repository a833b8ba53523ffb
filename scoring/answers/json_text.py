"""The JSON document inside an answer: the whole answer, or the first fenced block, with limits on size and nesting."""

from __future__ import annotations

import json
import re
from typing import Any

from scoring.errors import ScoringError

MAX_CHARS = 1_000_000
MAX_DEPTH = 100
_FENCE = re.compile(r"```[A-Za-z0-9]*[ \t]*\n(.*?)```", re.DOTALL)


def _depth(text: str) -> int:
    depth = deepest = 0
    inside = escaped = False
    for char in text:
        if inside:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                inside = False
        elif char == '"':
            inside = True
        elif char in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "]}":
            depth -= 1
    return deepest


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def document(answer: str) -> tuple[Any, tuple[int, int]]:
    """The parsed value and its characters in the answer; raises ScoringError with the reason."""
    if len(answer) > MAX_CHARS:
        raise ScoringError(f"the answer is longer than {MAX_CHARS} characters")
    fence = _FENCE.search(answer)
    start, end = fence.span(1) if fence else (0, len(answer))
    body = answer[start:end]
    if _depth(body) > MAX_DEPTH:
        raise ScoringError(f"nested deeper than {MAX_DEPTH}")
    try:
        return json.loads(body, parse_constant=_constant), (start, end)
    except ValueError as error:
        raise ScoringError(f"not JSON: {error}") from error
