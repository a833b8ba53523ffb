"""Making outside JSON fit to be stored: no NUL, no lone surrogate, no infinity, integral floats as integers.

PostgreSQL's jsonb and SQLite's text then give back the same value, so that a content hash holds on both.
"""

from __future__ import annotations

import math
import re
from typing import Any

from core_app.rest.parsers import beyond_double

_SURROGATE = re.compile("[\ud800-\udfff]")


class Unstorable(ValueError):
    """A value that can't be stored; `pointer` says where, `code` and the message why."""

    def __init__(self, pointer: str, code: str, reason: str) -> None:
        super().__init__(reason)
        self.pointer = pointer
        self.code = code


def token(key: object) -> str:
    """Return one reference token of a JSON pointer (RFC 6901)."""
    return str(key).replace("~", "~0").replace("/", "~1")


def clean_text(value: str, pointer: str = "") -> str:
    """Return the text without NUL characters; raises `Unstorable` on a lone surrogate."""
    if "\x00" in value:
        value = value.replace("\x00", "")
    if not value.isascii() and _SURROGATE.search(value):
        raise Unstorable(pointer, "bad_text", "holds half of a surrogate pair: the text was cut or decoded wrongly")
    return value


def clean(value: Any, pointer: str = "") -> Any:
    """Return the JSON value in its stored form; raises `Unstorable` naming the place."""
    if isinstance(value, str):
        return clean_text(value, pointer)
    if isinstance(value, int) and beyond_double(value):
        raise Unstorable(pointer, "not_finite", "a whole number of more than 307 digits is too large")
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise Unstorable(pointer, "not_finite", f"{value} is not a number that JSON knows")
        return int(value) if value.is_integer() else value
    if isinstance(value, list | tuple):
        return [clean(item, f"{pointer}/{index}") for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {clean_text(str(key), pointer): clean(item, f"{pointer}/{token(key)}") for key, item in value.items()}
    raise Unstorable(pointer, "bad_type", f"a {type(value).__name__} is not a JSON value")
