"""ann_recall@K: what an approximate index loses against exact search. Index loss, not relevance.

Overlap of the approximate and the exact top K (same vectors, filter and distance) divided by the exact list's length.
Never shown in the same table as the relevance metrics, hence a family of its own. A system that reports both lists
names them stages: ``exact``, and ``ann`` or else ``coarse`` for the approximate one.
Worked example: exact a, b, c, d; approximate a, c, x, b: 3/4.
"""

from __future__ import annotations

from collections.abc import Sequence

from scoring.batch import Batch
from scoring.errors import ScoringError
from scoring.spec import K_REQUIRED, MetricSpec
from scoring.types import Score, State

_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")
_ABSENT = Score.none(State.NOT_APPLICABLE, "the output has no stages exact and ann (or coarse)")


def ann_recall(approximate: Sequence[str], exact: Sequence[str], k: int) -> Score:
    """One query's index recall; an empty exact list is ``not_applicable``; k below 1 raises ScoringError."""
    if k < 1:
        raise ScoringError(f"ann_recall: k is {k}, below 1")
    truth = set(list(dict.fromkeys(exact))[:k])
    if not truth:
        return Score.none(State.NOT_APPLICABLE, "the exact list is empty")
    found = set(list(dict.fromkeys(approximate))[:k])
    return Score.of(len(found & truth) / len(truth))


def compute(batch: Batch, k: int) -> list[Score]:
    """One score per pair; without the two lists ``not_applicable``, a failed output ``target_failed``."""
    scores: list[Score] = []
    for output in batch.outputs:
        exact = output.retrieved.get("exact")
        approximate = output.retrieved.get("ann", output.retrieved.get("coarse"))
        if exact is not None and approximate is not None:
            scores.append(ann_recall([unit.id for unit in approximate], [unit.id for unit in exact], k))
        else:
            scores.append(_FAILED if output.failed else _ABSENT)
    return scores


SPEC = MetricSpec(
    name="index.ann_recall",
    family="index",
    summary="Share of the exact top K that the approximate index returned: index loss, not relevance.",
    compute=compute,
    parameters=(K_REQUIRED,),
    needs=("exact",),
)
