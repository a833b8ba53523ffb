"""What an item's ``must`` assertions say of an output: right, wrong, or nothing that could decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scoring.answers.dispatch import check
from scoring.types import EvalItem, SystemOutput


@dataclass(frozen=True, slots=True)
class Verdict:
    """``correct`` None: no ``must`` assertion, or no answer to read. ``detail`` lists the results."""

    correct: bool | None
    detail: Mapping[str, Any] | None = None


def is_must(assertion: Mapping[str, Any]) -> bool:
    """An assertion counts for correctness unless it says ``must: false``."""
    return bool(assertion.get("must", True))


def expects_refusal(item: EvalItem) -> bool:
    """True where a ``must`` assertion asks for a refusal."""
    return any(a.get("type") == "refuses" and is_must(a) for a in item.assertions)


def verdict_of(item: EvalItem, output: SystemOutput) -> Verdict:
    """All ``must`` assertions passed? A failed output decides nothing here (callers give it its own state)."""
    if output.failed or not any(is_must(a) for a in item.assertions):
        return Verdict(None)
    answer = output.answer or ""
    results: list[dict[str, Any]] = []
    correct = True
    for index, assertion in enumerate(item.assertions):
        result = check(assertion, answer, output)
        must = is_must(assertion)
        correct = correct and (result.passed or not must)
        results.append(
            {
                "index": index,
                "type": str(assertion.get("type", "")),
                "must": must,
                "passed": result.passed,
                "span": list(result.span) if result.span else None,
                "reason": result.reason,
            }
        )
    return Verdict(correct, {"assertions": results})
