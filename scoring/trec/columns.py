"""Columns straight from qrels and run dicts: only labelled documents are looked up, and only scores are read."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat

import numpy as np

from scoring.errors import ScoringError
from scoring.retrieval.columns import Ints, RankedLabels, by_row, order_gold
from scoring.trec.ranking import Singles, break_ties, ranks

_NOTHING: dict[str, float] = {}
_UNLABELLED: dict[str, int] = {}


def columns_from_dicts(
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    topics: Sequence[str],
    *,
    max_docs: int | None = None,
    judged_only: bool = False,
) -> RankedLabels:
    """Columns over the given topics (one row each, in that order); a topic that the run lacks returns nothing.

    ``max_docs`` cuts each ranking; ``judged_only`` removes documents without a label of 0 or more first (trec_eval's
    ``-M`` and ``-J``). Raises ScoringError for a score that is not finite or no number, or a label that is no whole
    number.
    """
    known = [qrels.get(topic, _UNLABELLED) for topic in topics]
    gold_label = _flat_labels(known, topics)
    lists: list[Mapping[str, float]] = [run.get(topic, _NOTHING) for topic in topics]
    if judged_only:
        lists = [
            {document: score for document, score in documents.items() if labels.get(document, -1) >= 0}
            for labels, documents in zip(known, lists, strict=True)
        ]
    lengths, counts = _lengths(lists), _lengths(known)
    negated = _flat_scores(lists, lengths, topics)
    gold_row = np.repeat(np.arange(len(known)), counts)
    # One look-up for each label, none for each returned document; scores are finite, so NaN says "not returned".
    looked_up = chain.from_iterable(
        map(documents.get, labels, repeat(np.nan)) for documents, labels in zip(lists, known, strict=True)
    )
    score = -np.fromiter(looked_up, dtype=np.float64, count=len(gold_row)).astype(np.float32)
    returned = np.flatnonzero(~np.isnan(score))
    row, label, mine = gold_row[returned], gold_label[returned], score[returned]
    starts = np.cumsum(lengths) - lengths
    rank, tied = ranks(negated, starts, lengths, row, mine)
    if len(tied):
        names = list(chain.from_iterable(known))

        def documents_of(topic: int) -> Iterable[tuple[str, float]]:
            begin = int(starts[topic])
            return zip(lists[topic], negated[begin : begin + len(lists[topic])].tolist(), strict=True)

        break_ties(rank, tied, row, mine, lambda place: names[returned[place]], documents_of)
    if max_docs is not None:
        inside = rank <= max_docs
        row, label, rank = row[inside], label[inside], rank[inside]
        lengths = np.minimum(lengths, max_docs)
    order = by_row(row, rank)
    gold_row, gold_label = order_gold(gold_row, gold_label)
    return RankedLabels(len(topics), row[order], rank[order], label[order], lengths, gold_row, gold_label)


def _flat_labels(known: Sequence[Mapping[str, int]], topics: Sequence[str]) -> Ints:
    """All labels, topic by topic."""
    values = list(chain.from_iterable(labels.values() for labels in known))
    # numpy would cut fractions off without a word.
    if not all(issubclass(kind, (int, np.integer)) for kind in set(map(type, values))):
        for topic, labels in zip(topics, known, strict=True):
            for document, label in labels.items():
                if not isinstance(label, (int, np.integer)):
                    raise ScoringError(f"qrels: topic {topic!r} labels {document!r} {label!r}, not a whole number")
    try:
        return np.fromiter(values, dtype=np.int64, count=len(values))
    except OverflowError as error:
        raise ScoringError("qrels: holds a label of more than 64 bits") from error


def _lengths(mappings: Sequence[Mapping[str, float]]) -> Ints:
    return np.fromiter(map(len, mappings), dtype=np.int64, count=len(mappings))


def _flat_scores(lists: Sequence[Mapping[str, float]], lengths: Ints, topics: Sequence[str]) -> Singles:
    """Minus the scores of all topics, one after the other, as 32-bit floats.

    ``struct`` writes a topic's scores straight into the buffer, at half the cost of numpy's own ways from an iterator.
    """
    total = int(lengths.sum())
    if not total:
        return np.zeros(0, dtype=np.float32)
    buffer = bytearray(4 * total)
    packers: dict[int, struct.Struct] = {}
    place = 0
    for topic, documents in enumerate(lists):
        n = len(documents)
        packer = packers.get(n)
        if packer is None:
            packer = packers[n] = struct.Struct(f"{n}f")
        try:
            packer.pack_into(buffer, place, *documents.values())
        except (struct.error, OverflowError) as error:
            raise ScoringError(f"run: topic {topics[topic]!r} holds a score that is not a number") from error
        place += 4 * n
    flat = np.frombuffer(buffer, dtype=np.float32)
    finite = np.isfinite(flat)
    if not finite.all():
        topic = int(np.searchsorted(np.cumsum(lengths), int(np.argmin(finite)), side="right"))
        raise ScoringError(f"run: topic {topics[topic]!r} holds a score that is not finite")
    return np.negative(flat, out=flat)
