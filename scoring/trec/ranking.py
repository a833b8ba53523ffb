"""Ranks of labelled documents among all scores of their topic, without sorting what is sorted already.

A document's rank is one more than the number of documents with a higher score, plus, among equal scores, those with a
higher id. Scores are compared as 32-bit floats, as trec_eval holds them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.retrieval.columns import Ints

Singles = NDArray[np.float32]


def ranks(negated: Singles, starts: Ints, lengths: Ints, row: Ints, mine: Singles) -> tuple[Ints, Ints]:
    """``(rank, tied)`` of some documents: the rank from 1 as if ids did not matter, and the places that share a score.

    ``negated``: minus the scores of all topics, one after the other.
    ``starts, lengths`` (topics): where a topic's part lies. ``row, mine``: topic and negated score of each document
    asked for, which must stand in its topic's part.
    """
    negated = _sorted_parts(negated, starts, lengths)
    low, begin = starts[row], starts[row]
    high = low + lengths[row]
    # All binary searches at once, each within its topic's part.
    for _ in range(int(lengths.max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        # A search that has ended at the very end of the array would look one place beyond it.
        before = negated[np.minimum(middle, len(negated) - 1)] < mine
        going = low < high
        low = np.where(going & before, middle + 1, low)
        high = np.where(going & ~before, middle, high)
    after = low + 1
    inside = after < begin + lengths[row]
    tied = np.flatnonzero(inside & (negated[np.where(inside, after, low)] == mine))
    return low - begin + 1, tied


def _sorted_parts(negated: Singles, starts: Ints, lengths: Ints) -> Singles:
    falls = negated[1:] < negated[:-1]
    inner = starts[(starts > 0) & (starts < len(negated))]
    falls[inner - 1] = False
    if not falls.any():
        return negated
    negated = negated.copy()
    rows = np.unique(np.searchsorted(starts + lengths, np.flatnonzero(falls), side="right"))
    width = int(lengths[0])
    if (lengths == width).all():
        table = negated.reshape(-1, width)
        table[rows] = np.sort(table[rows], axis=1)
        return negated
    for begin, end in zip(starts[rows].tolist(), (starts + lengths)[rows].tolist(), strict=True):
        negated[begin:end].sort()
    return negated


def break_ties(
    rank: Ints,
    tied: Ints,
    row: Ints,
    mine: Singles,
    name: Callable[[int], Any],
    documents: Callable[[int], Iterable[tuple[Any, float]]],
) -> None:
    """Add to each tied document's rank (in place) how many documents of the same score have a higher id.

    ``name(place)``: the id of the document at that place of ``rank``; ``documents(topic)``: id and negated score of
    everything that the topic returned. Tied places stand topic by topic.
    """
    places, topics, values = tied.tolist(), row[tied].tolist(), mine[tied].tolist()
    for topic, group in groupby(zip(topics, places, values, strict=True), key=itemgetter(0)):
        asked: dict[float, list[int]] = {}
        for _, place, value in group:
            asked.setdefault(value, []).append(place)
        alike: dict[float, list[Any]] = {value: [] for value in asked}
        for document, score in documents(topic):
            if score in alike:
                alike[score].append(document)
        for value, ids in alike.items():
            if len(asked[value]) == 1:
                # One id is compared with all faster than they are sorted.
                rank[asked[value][0]] += sum(map(name(asked[value][0]).__lt__, ids))
                continue
            ids.sort()
            for place in asked[value]:
                rank[place] += len(ids) - 1 - bisect_left(ids, name(place))
