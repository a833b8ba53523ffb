"""precision_returned@K: relevant units among the first K, divided by how many were returned there.

Another name than ``precision@K`` on purpose: the denominator is |R|, which the score's detail reports. Nothing returned
gives 0. Worked example: two units returned, one relevant: precision_returned@5 = 0.5 (precision@5 = 0.2).
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import Floats, Ints, RankedLabels, divide
from scoring.retrieval.stage import StageData
from scoring.spec import LEVEL, K, MetricSpec
from scoring.types import Score


def returned(labels: RankedLabels, k: int | None = None) -> Ints:
    """|R| per row (n): canonical units returned within the cutoff."""
    return labels.returned if k is None else np.minimum(labels.returned, k)


def precision_returned(labels: RankedLabels, k: int | None = None, level: int = 1) -> Floats:
    """Share per row (n); 0 where nothing was returned."""
    return divide(labels.hit_count(level, k), returned(labels, k))


def compute(
    data: StageData, k: int | None = None, level: int = 1
) -> tuple[Floats, list[Score | None], list[dict[str, int]]]:
    """Values, states and details (``returned``) over a stage."""
    details = [{"returned": count} for count in returned(data.labels, k).tolist()]
    return precision_returned(data.labels, k, level), data.states(level), details


SPEC = MetricSpec(
    name="retrieval.precision_returned",
    family="retrieval",
    summary="Relevant units among the first K divided by the number of units returned there.",
    compute=compute,
    parameters=(K, LEVEL),
    needs=("gold",),
    staged=True,
)
