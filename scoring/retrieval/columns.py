"""Ranked lists and gold of many (item, output) pairs as columns, made once and read by every metric and cutoff.

Only labelled units are stored ("hits"), so the cost of a metric is linear in hits, not in list length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.errors import ScoringError

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

NEVER = int(np.iinfo(np.int64).max)
#: Stands for "has no label" while labels are looked up.
_ABSENT = int(np.iinfo(np.int64).min)


@dataclass(slots=True)
class RankedLabels:
    """Columns over ``n`` ranked lists.

    ``row, rank, label`` (same length): each labelled unit found, ordered by row then rank; ranks count from 1 over the
    canonical, de-duplicated list. ``returned`` (n): length of that list. ``gold_row, gold_label``: each label of the
    gold, ordered by row, labels falling.
    """

    n: int
    row: Ints
    rank: Ints
    label: Ints
    returned: Ints
    gold_row: Ints
    gold_label: Ints
    _cache: dict[Any, Any] = field(default_factory=dict, repr=False)

    def relevant(self, level: int) -> Ints:
        """Number of gold units labelled at least ``level``, per row (n)."""
        key = ("relevant", level)
        if key not in self._cache:
            self._cache[key] = np.bincount(self.gold_row[self.gold_label >= level], minlength=self.n)
        found: Ints = self._cache[key]
        return found

    def judged_nonrelevant(self, level: int) -> Ints:
        """Number of gold units labelled from 0 to below ``level``, per row (n)."""
        key = ("nonrelevant", level)
        if key not in self._cache:
            mask = (self.gold_label >= 0) & (self.gold_label < level)
            self._cache[key] = np.bincount(self.gold_row[mask], minlength=self.n)
        found: Ints = self._cache[key]
        return found

    def hits(self, level: int, k: int | None = None) -> tuple[Ints, Ints]:
        """``(row, rank)`` of the relevant units within the cutoff, in order."""
        key = ("hits", level, k)
        if key not in self._cache:
            mask = self.label >= level
            if k is not None:
                mask &= self.rank <= k
            self._cache[key] = (self.row[mask], self.rank[mask])
        found: tuple[Ints, Ints] = self._cache[key]
        return found

    def hit_count(self, level: int, k: int | None = None) -> Ints:
        """Number of relevant units within the cutoff, per row (n)."""
        key = ("count", level, k)
        if key not in self._cache:
            self._cache[key] = np.bincount(self.hits(level, k)[0], minlength=self.n)
        found: Ints = self._cache[key]
        return found

    def hit_position(self, level: int, k: int | None = None) -> Ints:
        """For each relevant unit within the cutoff: how many there are up to it in its row, itself included."""
        row, _ = self.hits(level, k)
        return position_in_row(row)

    def ideal_rank(self) -> Ints:
        """For each gold label: its rank in the ideal ranking of its row."""
        if "ideal" not in self._cache:
            self._cache["ideal"] = position_in_row(self.gold_row)
        found: Ints = self._cache["ideal"]
        return found


@dataclass(slots=True)
class EvidenceRanks:
    """Columns over the requirements of all rows' evidence groups.

    ``group`` (requirements): index of the group, non-decreasing; ``rank``: the rank at which the requirement is
    satisfied, NEVER if it is not; ``group_row`` (groups): the row, non-decreasing; ``group_size``: requirements in it.
    """

    n: int
    group: Ints
    rank: Ints
    group_row: Ints
    group_size: Ints

    def best_share(self, cut: Ints | int | None) -> Floats:
        """Best group's share of requirements satisfied within the cutoff (one, or one per row); 0 without groups."""
        best = np.zeros(self.n)
        if not len(self.group_row):
            return best
        if cut is None:
            satisfied = self.rank < NEVER
        elif isinstance(cut, np.ndarray):
            satisfied = self.rank <= cut[self.group_row[self.group]]
        else:
            satisfied = self.rank <= cut
        share = np.bincount(self.group[satisfied], minlength=len(self.group_row)) / self.group_size
        starts = np.flatnonzero(np.r_[True, self.group_row[1:] != self.group_row[:-1]])
        best[self.group_row[starts]] = np.maximum.reduceat(share, starts)
        return best

    def first_rank(self) -> Ints:
        """Rank at which some requirement is first satisfied, per row; NEVER if none is."""
        first = np.full(self.n, NEVER, dtype=np.int64)
        if len(self.group):
            rows = self.group_row[self.group]
            starts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
            first[rows[starts]] = np.minimum.reduceat(self.rank, starts)
        return first


def position_in_row(row: Ints) -> Ints:
    """1, 2, 3, … within each run of equal values of a sorted row column."""
    if not len(row):
        return np.zeros(0, dtype=np.int64)
    new = np.r_[True, row[1:] != row[:-1]]
    starts = np.flatnonzero(new)
    lengths = np.diff(np.r_[starts, len(row)])
    return np.arange(len(row)) - np.repeat(starts, lengths) + 1


def divide(top: NDArray[Any], bottom: NDArray[Any]) -> Floats:
    """Element-wise quotient, 0 where the denominator is 0 (such rows carry a state instead of the value)."""
    result = np.zeros(len(top), dtype=np.float64)
    np.divide(top, bottom, out=result, where=bottom != 0)
    return result


def by_row(row: Ints, rank: Ints) -> Ints:
    """The order that puts entries by row, then by rank (both 0 or more)."""
    width = int(rank.max(initial=0)) + 1
    if width * (int(row.max(initial=0)) + 1) < NEVER:
        return np.argsort(row * width + rank, kind="stable")
    return np.lexsort((rank, row))


def order_gold(row: Ints, label: Ints) -> tuple[Ints, Ints]:
    """Rows (0 or more) and labels by row, labels falling."""
    top = int(label.max(initial=0))
    span = top - int(label.min(initial=0)) + 1
    if span * (int(row.max(initial=0)) + 1) < NEVER:
        keys = np.sort(row * span + (top - label))
        sorted_row = keys // span
        return sorted_row, top - (keys - sorted_row * span)
    order = np.lexsort((-label, row))
    return row[order], label[order]


def columns(
    labels: Sequence[Mapping[str, int]], lists: Sequence[Sequence[str]], returned: Sequence[int] | None = None
) -> RankedLabels:
    """Columns from one label mapping and one ranked, de-duplicated list of ids per row.

    The two sequences are aligned; ``returned`` overrides the lists' lengths. Cost: one dict look-up per listed id of
    the rows that have labels.
    """
    if len(labels) != len(lists):
        raise ScoringError(f"labels ({len(labels)}) and lists ({len(lists)}) differ in length")
    n = len(lists)
    counts = np.fromiter(map(len, labels), dtype=np.int64, count=n)
    gold_row = np.repeat(np.arange(n), counts)
    gold_label = np.fromiter(
        chain.from_iterable(known.values() for known in labels), dtype=np.int64, count=len(gold_row)
    )
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=n)
    read = np.where(counts > 0, lengths, 0)
    looked_up = chain.from_iterable(
        map(known.get, ids, repeat(_ABSENT)) for known, ids in zip(labels, lists, strict=True) if known
    )
    label = np.fromiter(looked_up, dtype=np.int64, count=int(read.sum()))
    found = np.flatnonzero(label != _ABSENT)
    row = np.repeat(np.arange(n), read)[found]
    gold_row, gold_label = order_gold(gold_row, gold_label)
    return RankedLabels(
        n=n,
        row=row,
        rank=found - (np.cumsum(read) - read)[row] + 1,
        label=label[found],
        returned=lengths if returned is None else np.array(returned, dtype=np.int64),
        gold_row=gold_row,
        gold_label=gold_label,
    )
