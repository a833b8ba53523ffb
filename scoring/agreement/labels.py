"""Labels as rectangular codes: items by raters, None for a missing label."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from scoring.errors import ScoringError

Label = str | int | float | bool
Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Coded:
    """``codes`` (items, raters) with -1 for missing; ``categories`` in order; ``points``: their numeric values, if
    any.
    """

    codes: Codes
    categories: tuple[Label, ...]
    points: NDArray[np.float64] | None


def is_given(label: Label | None) -> TypeGuard[Label]:
    """False for None and NaN."""
    return not (label is None or (isinstance(label, float) and math.isnan(label)))


def code(
    table: Sequence[Sequence[Label | None]], categories: Sequence[Label] | None = None, name: str = "labels"
) -> Coded:
    """Code a table of items by raters; NaN counts as missing.

    Without ``categories`` those that occur are taken, numbers by size, texts by name. Raises ScoringError for rows of
    different length, infinite labels, labels outside the categories, numbers and texts mixed.
    """
    width = len(table[0]) if len(table) else 0
    seen: set[Label] = set()
    for place, row in enumerate(table):
        if len(row) != width:
            raise ScoringError(f"{name}: item {place} has {len(row)} labels, item 0 has {width}")
        for label in row:
            if is_given(label):
                seen.add(label)
    for label in seen:
        if isinstance(label, float) and math.isinf(label):
            raise ScoringError(f"{name}: holds infinity")
    ordered = _ordered(seen, name) if categories is None else tuple(dict.fromkeys(categories))
    number = {label: place for place, label in enumerate(ordered)}
    if categories is not None and not seen <= number.keys():
        raise ScoringError(f"{name}: {sorted(map(str, seen - number.keys()))[0]!r} is not one of the categories")
    codes = np.array(
        [[number[label] if is_given(label) else -1 for label in row] for row in table],
        dtype=np.int64,
    ).reshape(len(table), width)
    numeric = all(isinstance(label, (int, float)) for label in ordered)
    points = np.array([float(label) for label in ordered]) if numeric else None
    return Coded(codes, ordered, points)


def _ordered(seen: set[Label], name: str) -> tuple[Label, ...]:
    texts = [label for label in seen if isinstance(label, str)]
    if texts and len(texts) != len(seen):
        raise ScoringError(f"{name}: mixes numbers and texts")
    return tuple(sorted(texts)) if texts else tuple(sorted(seen))


def pair(
    left: Sequence[Label | None], right: Sequence[Label | None], categories: Sequence[Label] | None = None
) -> tuple[NDArray[np.float64], Coded]:
    """Confusion matrix (categories, categories) of two raters over the items that both labelled, and the coding."""
    if len(left) != len(right):
        raise ScoringError(f"left ({len(left)}) and right ({len(right)}) differ in length")
    coded = code(list(zip(left, right, strict=True)), categories)
    both = coded.codes[(coded.codes >= 0).all(axis=1)] if len(left) else coded.codes
    k = len(coded.categories)
    matrix = np.zeros((k, k))
    if len(both):
        np.add.at(matrix, (both[:, 0], both[:, 1]), 1.0)
    return matrix, coded
