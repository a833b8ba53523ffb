"""mrr@K: 1 / rank of the first relevant unit within K, 0 if there is none.

Equals trec_eval's ``recip_rank`` (whole list) and, cut at K, ir_measures' ``RR@K``. It says nothing of the remaining
evidence. With span-only gold: the first rank at which some requirement is satisfied.
Worked example: the first relevant unit is third: mrr = 1/3, mrr@2 = 0.
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import NEVER, Floats, RankedLabels
from scoring.retrieval.stage import StageData
from scoring.spec import LEVEL, THETA_HIDDEN, K, MetricSpec
from scoring.types import Score


def mrr(labels: RankedLabels, k: int | None = None, level: int = 1) -> Floats:
    """Reciprocal rank per row (n); 0 where nothing relevant is within the cutoff."""
    row, rank = labels.hits(level, k)
    values = np.zeros(labels.n)
    if len(row):
        first = np.r_[True, row[1:] != row[:-1]]
        values[row[first]] = 1.0 / rank[first]
    return values


def compute(
    data: StageData, k: int | None = None, level: int = 1, theta: float = 0.5
) -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    values = mrr(data.labels, k, level)
    if any(index.spans_only for index in data.index):
        first = data.evidence(theta).first_rank()
        spans = np.array([index.spans_only for index in data.index])
        found = spans & (first < NEVER) & (first <= (NEVER if k is None else k))
        values = np.where(spans, 0.0, values)
        values[found] = 1.0 / first[found]
    return values, data.states(level, spans_ok=True)


SPEC = MetricSpec(
    name="retrieval.mrr",
    family="retrieval",
    summary="1 divided by the rank of the first relevant unit within K, 0 if there is none.",
    compute=compute,
    parameters=(K, LEVEL, THETA_HIDDEN),
    needs=("gold",),
    staged=True,
)
