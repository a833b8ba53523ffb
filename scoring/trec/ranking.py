"""Ranks of labelled documents among all scores of their topic, without sorting what is sorted already.

A document's rank is one more than the number of documents with a higher score, plus, among equal scores, those with a
higher id. Scores are compared as 32-bit floats, as trec_eval holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.retrieval.columns import Ints

Singles = NDArray[np.float32]


def ranks(negated: Singles, starts: Ints, lengths: Ints, row: Ints, mine: Singles) -> tuple[Ints, Ints]:
    """``(rank, tied)`` of some documents: the rank from 1 as if ids did not matter, and the places that share a score.

    ``negated``: minus the scores of all topics, one after the other; each topic's part is sorted in place.
    ``starts, lengths`` (topics): where a topic's part lies. ``row, mine``: topic and negated score of each document
    asked for, which must stand in its topic's part.
    """
    _sort_parts(negated, starts, lengths)
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


def _sort_parts(negated: Singles, starts: Ints, lengths: Ints) -> None:
    falls = negated[1:] < negated[:-1]
    inner = starts[(starts > 0) & (starts < len(negated))]
    falls[inner - 1] = False
    if not falls.any():
        return
    rows = np.unique(np.searchsorted(starts + lengths, np.flatnonzero(falls), side="right"))
    width = int(lengths[0])
    if (lengths == width).all():
        table = negated.reshape(-1, width)
        table[rows] = np.sort(table[rows], axis=1)
        return
    for begin, end in zip(starts[rows].tolist(), (starts + lengths)[rows].tolist(), strict=True):
        negated[begin:end].sort()


def break_ties(
    rank: Ints,
    tied: Ints,
    row: Ints,
    mine: Singles,
    names: Callable[[int], Any],
    documents: Callable[[int], tuple[Sequence[Any] | NDArray[Any], Singles]],
) -> None:
    """Add to each tied document's rank (in place) how many documents of the same score have a higher id.

    ``names(place)``: the id of the document at that place of ``rank``; ``documents(topic)``: ids and negated scores of
    everything that the topic returned. Tied places stand topic by topic.
    """
    topic, scores = -1, np.zeros(0, np.float32)
    ids: Sequence[Any] | NDArray[Any] = ()
    places: dict[float, dict[Any, int]] = {}
    for place in tied.tolist():
        if row[place] != topic:
            topic = int(row[place])
            ids, scores = documents(topic)
            places = {}
        value = float(mine[place])
        found = places.get(value)
        if found is None:
            alike = sorted((ids[i] for i in np.flatnonzero(scores == mine[place]).tolist()), reverse=True)
            found = places[value] = {name: position for position, name in enumerate(alike)}
        rank[place] += found[names(place)]
