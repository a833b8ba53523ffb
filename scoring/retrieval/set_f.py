"""set_f: F measure of the whole returned list, without regard to order.

trec_eval's ``set_F``: (x + 1) P R / (R + x P) with the weight x = beta squared (1 by default).
Worked example: four returned, two of them relevant, four relevant in all: P = R = F = 0.5.
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import Floats, RankedLabels, divide
from scoring.retrieval.stage import StageData
from scoring.spec import LEVEL, MetricSpec, Param
from scoring.types import Score

BETA = Param("beta", "float", default=1.0, above=0.0, maximum=100.0)


def set_f(labels: RankedLabels, beta: float = 1.0, level: int = 1) -> Floats:
    """F per row (n); 0 where precision and recall are 0."""
    hits = labels.hit_count(level).astype(np.float64)
    precision = divide(hits, labels.returned)
    recall = divide(hits, labels.relevant(level))
    weight = beta * beta
    return divide((weight + 1.0) * precision * recall, recall + weight * precision)


def compute(data: StageData, beta: float = 1.0, level: int = 1) -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    return set_f(data.labels, beta, level), data.states(level)


SPEC = MetricSpec(
    name="retrieval.set_f",
    family="retrieval",
    summary="Weighted harmonic mean of precision and recall over all that was returned.",
    compute=compute,
    parameters=(BETA, LEVEL),
    needs=("gold",),
    staged=True,
)
