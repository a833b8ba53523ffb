"""precision@K: relevant units among the first K, divided by K.

Equals trec_eval's ``P_K``: empty slots count as not relevant.
Worked example: two units returned, one relevant: precision@5 = 0.2.
"""

from __future__ import annotations

from scoring.retrieval.columns import Floats, RankedLabels
from scoring.retrieval.stage import StageData
from scoring.spec import K_REQUIRED, LEVEL, MetricSpec
from scoring.types import Score


def precision(labels: RankedLabels, k: int, level: int = 1) -> Floats:
    """Share per row (n) with the fixed denominator K."""
    return labels.hit_count(level, k) / float(k)


def compute(data: StageData, k: int, level: int = 1) -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    return precision(data.labels, k, level), data.states(level)


SPEC = MetricSpec(
    name="retrieval.precision",
    family="retrieval",
    summary="Relevant units among the first K divided by K; empty slots count as not relevant.",
    compute=compute,
    parameters=(K_REQUIRED, LEVEL),
    needs=("gold",),
    staged=True,
)
