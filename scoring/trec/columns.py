"""Columns straight from qrels and run dicts: only labelled documents are looked up, ranks are counted, nothing is
sorted.

A document's rank is one more than the number of documents with a higher score, plus, among equal scores, those with a
higher id. Scores are compared as 32-bit floats, as trec_eval holds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from scoring.errors import ScoringError
from scoring.retrieval.columns import Ints, RankedLabels

_BLOCK = 4_000_000


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
    ``-M`` and ``-J``). Raises ScoringError for a score that is not finite.
    """
    lists: list[Mapping[str, float]] = [run.get(topic, {}) for topic in topics]
    if judged_only:
        lists = [
            {doc: score for doc, score in documents.items() if qrels.get(topic, {}).get(doc, -1) >= 0}
            for topic, documents in zip(topics, lists, strict=True)
        ]
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    total = int(lengths.sum())
    flat = np.fromiter(chain.from_iterable(d.values() for d in lists), dtype=np.float32, count=total)
    if not np.isfinite(flat).all():
        raise ScoringError("run: holds a score that is not finite")
    row, label, score, names = _look_up(qrels, lists, topics)
    rank = _ranks(row, score, names, flat, lengths, lists)
    order = np.lexsort((rank, row))
    row, label, rank = row[order], label[order], rank[order]
    if max_docs is not None:
        inside = rank <= max_docs
        row, label, rank = row[inside], label[inside], rank[inside]
        lengths = np.minimum(lengths, max_docs)
    gold_row, gold_label = _gold(qrels, topics)
    return RankedLabels(len(topics), row, rank, label, lengths, gold_row, gold_label)


def _look_up(
    qrels: Mapping[str, Mapping[str, int]], lists: Sequence[Mapping[str, float]], topics: Sequence[str]
) -> tuple[Ints, Ints, np.ndarray[tuple[int], np.dtype[np.float32]], list[str]]:
    rows: list[int] = []
    labels: list[int] = []
    scores: list[float] = []
    names: list[str] = []
    for index, topic in enumerate(topics):
        found = lists[index]
        if not found:
            continue
        for document, label in qrels.get(topic, {}).items():
            if document in found:
                rows.append(index)
                labels.append(label)
                scores.append(found[document])
                names.append(document)
    return (
        np.array(rows, dtype=np.int64),
        np.array(labels, dtype=np.int64),
        np.array(scores, dtype=np.float32),
        names,
    )


def _ranks(
    row: Ints,
    score: np.ndarray[tuple[int], np.dtype[np.float32]],
    names: Sequence[str],
    flat: np.ndarray[tuple[int], np.dtype[np.float32]],
    lengths: Ints,
    lists: Sequence[Mapping[str, float]],
) -> Ints:
    rank = np.zeros(len(row), dtype=np.int64)
    if not len(row):
        return rank
    starts = np.r_[0, np.cumsum(lengths)[:-1]]
    width = int(lengths.max())
    ties = np.zeros(len(row), dtype=bool)
    if width * len(lengths) <= 4 * len(flat) + 1000:
        table = np.full((len(lengths), width), -np.inf, dtype=np.float32)
        table[np.arange(width) < lengths[:, None]] = flat
        block = max(1, _BLOCK // width)
        for first in range(0, len(row), block):
            part = slice(first, first + block)
            scores = table[row[part]]
            rank[part] = 1 + (scores > score[part, None]).sum(axis=1)
            ties[part] = (scores == score[part, None]).sum(axis=1) > 1
    else:
        # Lists of very different lengths: a padded table would be mostly padding.
        for place in range(len(row)):
            begin = starts[row[place]]
            scores_of_row = flat[begin : begin + lengths[row[place]]]
            rank[place] = 1 + int((scores_of_row > score[place]).sum())
            ties[place] = int((scores_of_row == score[place]).sum()) > 1
    for place in np.flatnonzero(ties).tolist():
        mine = names[place].encode()
        value = score[place]
        rank[place] += sum(
            1 for name, other in lists[int(row[place])].items() if np.float32(other) == value and name.encode() > mine
        )
    return rank


def _gold(qrels: Mapping[str, Mapping[str, int]], topics: Sequence[str]) -> tuple[Ints, Ints]:
    known = [qrels.get(topic, {}) for topic in topics]
    counts = np.fromiter(map(len, known), dtype=np.int64, count=len(known))
    gold_row = np.repeat(np.arange(len(known)), counts)
    gold_label = np.fromiter(
        chain.from_iterable(labels.values() for labels in known), dtype=np.int64, count=int(counts.sum())
    )
    order = np.lexsort((-gold_label, gold_row))
    return gold_row[order], gold_label[order]
