"""ann_recall@K: what an approximate index loses against exact search. Index loss, not relevance.

Overlap of the approximate and the exact top K (same vectors, filter and distance) divided by the exact list's length.
Never shown in the same table as the relevance metrics. Worked example: exact a, b, c, d; approximate a, c, x, b: 3/4.
"""

from __future__ import annotations

from collections.abc import Sequence

from scoring.errors import ScoringError
from scoring.types import Score, State


def ann_recall(approximate: Sequence[str], exact: Sequence[str], k: int) -> Score:
    """One query's index recall; an empty exact list is ``not_applicable``; k below 1 raises ScoringError."""
    if k < 1:
        raise ScoringError(f"ann_recall: k is {k}, below 1")
    truth = set(list(dict.fromkeys(exact))[:k])
    if not truth:
        return Score.none(State.NOT_APPLICABLE, "the exact list is empty")
    found = set(list(dict.fromkeys(approximate))[:k])
    return Score.of(len(found & truth) / len(truth))
