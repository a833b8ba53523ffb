"""Figures and names as plain text, alike in every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

DIGITS = 3
NOTHING = "–"


def number(value: float | None, *, signed: bool = False) -> str:
    """Return a number with three decimals, or a dash; `signed` writes + before what is above 0."""
    if value is None:
        return NOTHING
    text = f"{value:.{DIGITS}f}"
    if float(text) == 0:
        return f"{0:.{DIGITS}f}"
    return f"+{text}" if signed and value > 0 else text


def interval(low: float | None, high: float | None, *, signed: bool = False) -> str:
    """Return `[low, high]`, or an empty text where there is no interval."""
    if low is None or high is None:
        return ""
    return f"[{number(low, signed=signed)}, {number(high, signed=signed)}]"


def count(n: int | None) -> str:
    """Return a count, or a dash where it is not shown."""
    return NOTHING if n is None else str(n)


def counts(states: Mapping[str, int | None]) -> str:
    """Return `refused 3, judge_failed 1`; a count that is too small to be shown is `few`."""
    return ", ".join(f"{state} {_('few') if n is None else n}" for state, n in states.items())


def run_name(run: Mapping[str, Any]) -> str:
    """Return `support/assistant@v2 (run_…)` for a run's brief view."""
    return f"{run['system']}@{run['version']} ({run['id']})"


def group_name(row: Mapping[str, Any]) -> str:
    """Return `all`, or `type: fact`."""
    return row["group"] if row["group"] == "all" else f"{row['group']}: {row['group_value']}"


def verdict_counts(rules: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Return how many rules have each verdict."""
    found: dict[str, int] = {}
    for rule in rules:
        found[rule["verdict"]] = found.get(rule["verdict"], 0) + 1
    return found
