"""What an agreement coefficient gives: a value with its interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    """``value`` None with a ``reason`` where the coefficient is not defined on these labels. ``n`` counts items
    used.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str = ""
    reason: str = ""

    @classmethod
    def undefined(cls, n: int, reason: str) -> Agreement:
        """No value, with the reason."""
        return cls(None, None, None, n, "none", reason)
