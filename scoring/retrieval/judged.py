"""judged@K: share of the returned units within K that have any label.

Low means that labels are missing: sample the rest and judge it before trusting the other figures. ir_measures'
``Judged@K`` divides by the same |R|. Nothing returned: ``not_applicable``.
Worked example: four returned, three of them labelled (0 counts as a label): judged@5 = 0.75.
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import Floats, RankedLabels, divide
from scoring.retrieval.precision_returned import returned
from scoring.retrieval.stage import StageData
from scoring.spec import K, MetricSpec
from scoring.types import Score, State

_NOTHING = Score.none(State.NOT_APPLICABLE, "nothing was returned")
_NO_LABELS = Score.none(State.NO_GOLD, "no labelled units")


def judged(labels: RankedLabels, k: int | None = None) -> Floats:
    """Share per row (n); 0 where nothing was returned."""
    row = labels.row if k is None else labels.row[labels.rank <= k]
    return divide(np.bincount(row, minlength=labels.n), returned(labels, k))


def compute(data: StageData, k: int | None = None) -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    states: list[Score | None] = []
    for blocked, index, count in zip(data.blocked, data.index, data.labels.returned.tolist(), strict=True):
        if blocked is not None:
            states.append(blocked)
        elif not index.labels:
            states.append(_NO_LABELS)
        else:
            states.append(None if count else _NOTHING)
    return judged(data.labels, k), states


SPEC = MetricSpec(
    name="retrieval.judged",
    family="retrieval",
    summary="Share of the returned units within K that carry any label; low means that labels are missing.",
    compute=compute,
    parameters=(K,),
    needs=("gold",),
    staged=True,
)
