"""hit@K: 1 if a relevant unit is among the first K, else 0.

Equals trec_eval's ``success_K``. Source: https://trec.nist.gov/trec_eval/. With span-only gold: 1 if some requirement
is satisfied within K. Worked example: A, B, C needed, only A returned: hit@5 = 1.
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import Floats, RankedLabels
from scoring.retrieval.stage import StageData
from scoring.spec import LEVEL, THETA_HIDDEN, K, MetricSpec
from scoring.types import Score


def hit(labels: RankedLabels, k: int | None = None, level: int = 1) -> Floats:
    """0 or 1 per row (n). Rows without relevant units give 0; ``k`` None reads the whole list."""
    return (labels.hit_count(level, k) > 0).astype(np.float64)


def compute(
    data: StageData, k: int | None = None, level: int = 1, theta: float = 0.5
) -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    values = hit(data.labels, k, level)
    if any(index.spans_only for index in data.index):
        first = data.evidence(theta).first_rank()
        spans = np.array([index.spans_only for index in data.index])
        limit = np.iinfo(np.int64).max - 1 if k is None else k
        values = np.where(spans, (first <= limit).astype(np.float64), values)
    return values, data.states(level, spans_ok=True)


SPEC = MetricSpec(
    name="retrieval.hit",
    family="retrieval",
    summary="1 if any relevant unit is among the first K returned, else 0.",
    compute=compute,
    parameters=(K, LEVEL, THETA_HIDDEN),
    needs=("gold",),
    kind="proportion",
    staged=True,
)
