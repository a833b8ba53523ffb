"""What checking one assertion gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssertionResult:
    """``span``: the characters ``[start, end)`` of the answer that decided it, where some did; ``reason``: in words."""

    passed: bool
    span: tuple[int, int] | None = None
    reason: str = ""
