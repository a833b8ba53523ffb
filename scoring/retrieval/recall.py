"""recall@K: share of the relevant units that are among the first K.

Equals trec_eval's ``recall_K`` (and ``set_recall`` over the whole list).
Worked example: three relevant, one of them among the first five: recall@5 = 1/3.
"""

from __future__ import annotations

from scoring.retrieval.columns import Floats, RankedLabels, divide
from scoring.retrieval.stage import StageData
from scoring.spec import LEVEL, K, MetricSpec
from scoring.types import Score


def recall(labels: RankedLabels, k: int | None = None, level: int = 1) -> Floats:
    """Share per row (n); 0 for rows without relevant units, which carry ``no_gold``."""
    return divide(labels.hit_count(level, k), labels.relevant(level))


def compute(data: StageData, k: int | None = None, level: int = 1) -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    return recall(data.labels, k, level), data.states(level)


SPEC = MetricSpec(
    name="retrieval.recall",
    family="retrieval",
    summary="Share of the relevant units that are among the first K returned.",
    compute=compute,
    parameters=(K, LEVEL),
    needs=("gold",),
    staged=True,
)
