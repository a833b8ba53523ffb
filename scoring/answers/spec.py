"""Helpers for reading an assertion's own fields; each failure names the field by JSON pointer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from scoring.errors import AssertionSpecError

COMMON = frozenset({"type", "must", "name", "description", "weight"})


def known(assertion: Mapping[str, Any], *fields: str) -> None:
    """Refuse a field that the type does not know (a misspelt one would silently do nothing)."""
    for key in assertion:
        if key not in COMMON and key not in fields:
            raise AssertionSpecError(f"/{key}", f"unknown field (known: {', '.join(fields) or 'none'})")


def text_field(assertion: Mapping[str, Any], key: str, required: bool = True) -> str | None:
    """A non-empty text."""
    value = assertion.get(key)
    if value is None:
        if required:
            raise AssertionSpecError(f"/{key}", "is needed")
        return None
    if not isinstance(value, str) or not value.strip():
        raise AssertionSpecError(f"/{key}", "must be a text that is not empty")
    return value


def texts_field(assertion: Mapping[str, Any], key: str, required: bool = True) -> tuple[str, ...]:
    """A text or a non-empty list of texts."""
    value = assertion.get(key)
    if value is None and not required:
        return ()
    if isinstance(value, str):
        return (text_field(assertion, key) or "",)
    if not isinstance(value, (list, tuple)) or not value:
        raise AssertionSpecError(f"/{key}", "must be a text or a list of texts that is not empty")
    for index, entry in enumerate(value):
        if not isinstance(entry, str) or not entry.strip():
            raise AssertionSpecError(f"/{key}/{index}", "must be a text that is not empty")
    return tuple(value)


def flag(assertion: Mapping[str, Any], key: str, default: bool = False) -> bool:
    """True or false."""
    value = assertion.get(key, default)
    if not isinstance(value, bool):
        raise AssertionSpecError(f"/{key}", "must be true or false")
    return value


def number_field(assertion: Mapping[str, Any], key: str, minimum: float | None = None) -> float | None:
    """A finite number or absent."""
    value = assertion.get(key)
    if value is None:
        return None
    return as_number(value, f"/{key}", minimum)


def as_number(value: object, pointer: str, minimum: float | None = None) -> float:
    """A finite number, or AssertionSpecError."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise AssertionSpecError(pointer, "must be a finite number")
    if minimum is not None and value < minimum:
        raise AssertionSpecError(pointer, f"must be at least {minimum:g}")
    return float(value)


def choice(assertion: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str) -> str:
    """One of a few words."""
    value = assertion.get(key, default)
    if value not in allowed:
        raise AssertionSpecError(f"/{key}", f"must be one of {', '.join(allowed)}")
    return str(value)
