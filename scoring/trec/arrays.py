"""Qrels and run as columns of equal length (one row a label, one row a returned document), scored without any dict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.errors import ScoringError
from scoring.retrieval.columns import NEVER, Ints, RankedLabels, by_row, order_gold
from scoring.trec.evaluate import Number, check_options, measures_named, score_columns
from scoring.trec.ranking import Singles, break_ties, ranks

Column = NDArray[Any]
#: Returned documents that are matched at once.
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class LabelArrays:
    """Qrels as three columns; topics and documents are whole numbers or strings, labels whole numbers."""

    topic: ArrayLike
    document: ArrayLike
    label: ArrayLike


@dataclass(frozen=True, slots=True)
class RunArrays:
    """A run as three columns, rows in any order; topics and documents of the same type as in the qrels."""

    topic: ArrayLike
    document: ArrayLike
    score: ArrayLike


@dataclass(frozen=True, slots=True)
class ArrayScores:
    """``topics`` (n, ascending); ``values``: measure to its value per topic (n); ``overall``: as in ``TrecScores``."""

    topics: Column
    values: dict[str, NDArray[Any]]
    overall: dict[str, Number]


def score_arrays(
    qrels: LabelArrays,
    run: RunArrays,
    *,
    complete: bool = False,
    level: int = 1,
    max_docs: int | None = None,
    measures: Literal["official", "all"] | list[str] | tuple[str, ...] = "all",
) -> ArrayScores:
    """What ``score_trec`` gives, from arrays and as arrays.

    Topics: those in both, or with ``complete`` all of the qrels. Ties are broken by the document, falling (numbers by
    value, strings by code point). Raises ScoringError for columns of different length or type, a score not finite, a
    document labelled or returned twice for a topic, an unknown measure, a level or ``max_docs`` below 1.

    Worked example: qrels topic [1, 1], document [10, 11], label [0, 1]; run topic [1, 1], document [11, 10], score
    [1, 1]: document 11 sorts first, ndcg 1.
    """
    check_options(level, max_docs)
    chosen = measures_named(measures)
    topics, columns = columns_from_arrays(qrels, run, complete=complete, max_docs=max_docs)
    values, overall = score_columns(columns, chosen, level)
    return ArrayScores(topics, values, overall)


def columns_from_arrays(
    qrels: LabelArrays, run: RunArrays, *, complete: bool = False, max_docs: int | None = None
) -> tuple[Column, RankedLabels]:
    """``(topics, columns)``: the topics, ascending, and one row for each. Errors: see ``score_arrays``."""
    gold_topic, gold_document, gold_label = _three("qrels", qrels.topic, qrels.document, qrels.label, "iub", "label")
    topic, document, score = _three("run", run.topic, run.document, run.score, "fiub", "score")
    _check_alike("topic", gold_topic, topic)
    gold_code, code = _codes(gold_document, document)
    topics = np.unique(gold_topic)
    if not complete:
        topics = topics[np.isin(topics, topic[_begins(topic)])]
    gold_row, gold_kept = _rows(topics, gold_topic)
    gold_code, gold_label = gold_code[gold_kept], gold_label[gold_kept].astype(np.int64)
    row, kept = _rows(topics, topic)
    code, negated = code[kept], -_singles(score)[kept]
    lengths = np.bincount(row, minlength=len(topics))
    starts = np.cumsum(lengths) - lengths

    place = _places(gold_row, gold_code, row, code, starts, lengths)
    returned = np.flatnonzero(place >= 0)
    place, row, label = place[returned], gold_row[returned], gold_label[returned]
    order = np.argsort(row, kind="stable")
    place, row, label = place[order], row[order], label[order]
    mine = negated[place]
    rank, tied = ranks(negated, starts, lengths, row, mine)

    def documents_of(number: int) -> Iterable[tuple[int, float]]:
        part = slice(int(starts[number]), int(starts[number] + lengths[number]))
        return zip(code[part].tolist(), negated[part].tolist(), strict=True)

    break_ties(rank, tied, row, mine, lambda hit: int(code[place[hit]]), documents_of)
    if max_docs is not None:
        inside = rank <= max_docs
        row, label, rank = row[inside], label[inside], rank[inside]
        lengths = np.minimum(lengths, max_docs)
    order = by_row(row, rank)
    gold_row, gold_label = order_gold(gold_row, gold_label)
    return topics, RankedLabels(len(topics), row[order], rank[order], label[order], lengths, gold_row, gold_label)


def _three(
    name: str, topic: ArrayLike, document: ArrayLike, value: ArrayLike, kinds: str, what: str
) -> tuple[Column, Column, Column]:
    columns = (_signed(topic), _signed(document), _signed(value))
    length = len(columns[0]) if columns[0].ndim else 0
    for column, of in zip(columns, ("topic", "document", what), strict=True):
        if column.ndim != 1:
            raise ScoringError(f"{name}: the column {of} has {column.ndim} dimensions, not one")
        if len(column) != length:
            raise ScoringError(f"{name}: the columns topic ({length}) and {of} ({len(column)}) differ in length")
        # An empty list is an array of floats to numpy.
        if len(column) and column.dtype.kind not in (kinds if of == what else "iuUS"):
            raise ScoringError(f"{name}: the column {of} holds {column.dtype}")
    return columns


def _signed(column: ArrayLike) -> Column:
    """Unsigned numbers as signed ones, where they fit: numpy would compare the two kinds as floats."""
    array = np.asarray(column)
    return array.astype(np.int64) if array.dtype.kind == "u" and array.max(initial=0) <= NEVER else array


def _check_alike(what: str, ours: Column, theirs: Column) -> None:
    if len(ours) and len(theirs) and ours.dtype.kind != theirs.dtype.kind:
        raise ScoringError(f"{what}: {ours.dtype} in the qrels, {theirs.dtype} in the run")


def _codes(ours: Column, theirs: Column) -> tuple[Ints, Ints]:
    """Whole numbers from 0 that stand in the documents' own order; small where the documents are."""
    _check_alike("document", ours, theirs)
    if not len(ours) or not len(theirs):
        # An empty column may be of any type.
        ours, theirs = (ours.astype(theirs.dtype), theirs) if len(theirs) else (ours, theirs.astype(ours.dtype))
    if ours.dtype.kind == theirs.dtype.kind == "i":
        ends = [int(end) for side in (ours, theirs) if len(side) for end in (side.min(), side.max())]
        low, high = min(ends, default=0), max(ends, default=0)
        if high - low < 1 << 31:
            return ours.astype(np.int64) - low, theirs.astype(np.int64) - low
    both = np.unique(np.concatenate([ours, theirs]), return_inverse=True)[1].astype(np.int64)
    return both[: len(ours)], both[len(ours) :]


def _rows(topics: Column, column: Column) -> tuple[Ints, Any]:
    """``(row, kept)``: rows of the entries of wanted topics, ascending, and which entries those are, in that order."""
    if not len(topics) or not len(column):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    begins = _begins(column)
    found = np.searchsorted(topics, column[begins])
    known = topics[np.minimum(found, len(topics) - 1)] == column[begins]
    row = np.repeat(np.where(known, found, -1), np.diff(np.r_[begins, len(column)]))
    if known.all() and (found[1:] >= found[:-1]).all():
        return row, slice(None)
    order = np.argsort(row, kind="stable")
    order = order[np.count_nonzero(row < 0) :]
    return row[order], order


def _begins(column: Column) -> Ints:
    """Where runs of equal entries begin: columns mostly come topic by topic, and looking up runs is enough."""
    return np.flatnonzero(np.r_[True, column[1:] != column[:-1]]) if len(column) else np.zeros(0, np.int64)


def _singles(score: Column) -> Singles:
    with np.errstate(over="ignore"):
        flat = score.astype(np.float32)
    finite = np.isfinite(flat)
    if not finite.all():
        raise ScoringError(f"run: the score at place {int(np.argmin(finite))} is not finite")
    return flat


def _places(gold_row: Ints, gold_code: Ints, row: Ints, code: Ints, starts: Ints, lengths: Ints) -> Ints:
    """For each label the place of its document in the run's columns (ordered by row), -1 where it is not returned."""
    span = int(max(gold_code.max(initial=0), code.max(initial=0))) + 1
    gold_keys = gold_row * span + gold_code
    gold_order = np.argsort(gold_keys)
    gold_keys = gold_keys[gold_order]
    _refuse_twice("qrels", "labelled", gold_keys, 0)
    places = np.full(len(gold_keys), -1, dtype=np.int64)
    ends = starts + lengths
    first = 0
    # Topics in blocks bound the memory.
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + _BLOCK, side="right")))
        part = slice(int(starts[first]), int(ends[last - 1]))
        keys = row[part] * span
        keys += code[part]
        inside = np.arange(len(keys))
        inside -= np.repeat(starts[first:last] - starts[first], lengths[first:last])
        wanted = slice(*np.searchsorted(gold_keys, [first * span, last * span]).tolist())
        target = gold_order[wanted]
        within = _within(gold_keys[wanted], keys, inside, last * span)
        places[target] = np.where(within >= 0, within + starts[gold_row[target]], -1)
        first = last
    return places


def _within(wanted: Ints, keys: Ints, inside: Ints, limit: int) -> Ints:
    """For each wanted key (below ``limit``) the ``inside`` of the equal one among the keys, -1 where there is none."""
    if not len(keys):
        return np.full(len(wanted), -1, dtype=np.int64)
    bits, order = int(inside.max()).bit_length(), None
    if limit < NEVER >> bits:
        # A key and a place in one number: sorting numbers is much faster than finding the order that sorts them. In
        # place, since fresh memory costs as much as the arithmetic.
        keys <<= bits
        keys |= inside
        keys.sort()
    else:
        bits, order = 0, np.argsort(keys, kind="stable")
        keys = keys[order]
    _refuse_twice("run", "returned", keys, bits)
    found = np.minimum(np.searchsorted(keys, wanted << bits), len(keys) - 1)
    place = inside[order[found]] if order is not None else keys[found] & ((1 << bits) - 1)
    return np.where(keys[found] >> bits == wanted, place, -1)


def _refuse_twice(name: str, what: str, keys: Ints, bits: int) -> None:
    """Refuse ascending keys of which two differ in their lowest ``bits`` alone."""
    if len(keys) > 1 and (keys[1:] ^ keys[:-1]).min() < 1 << bits:
        raise ScoringError(f"{name}: a document is {what} twice for a topic")
