"""What a format is: a name, how sure it is of a sample, and its rows as native items."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import IO, Any


@dataclass(frozen=True, slots=True)
class Rows:
    """(line, native item) of each row; `mapping` is {column: native field} where the file is a table."""

    rows: Iterator[tuple[int, Any]]
    mapping: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Format:
    """One format. `sniff(sample)` is 0 (not this) to 1 (surely this); `open(text, sample, mapping)` reads it."""

    name: str
    sniff: Callable[[str], float]
    open: Callable[[IO[str], str, dict[str, str]], Rows]


def derived_id(question: Any) -> str:
    """Return an id made of the question, for rows that bring none: the same question meets its item again."""
    return "q-" + hashlib.sha256(str(question).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def without_blanks(item: dict[str, Any]) -> dict[str, Any]:
    """Return the item without fields that hold nothing; false and zero stay."""
    return {key: value for key, value in item.items() if value is not None and value not in ("", [], {})}
