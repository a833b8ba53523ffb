"""ap@K: average precision.

The sum of the precision at each relevant rank within K, divided by the number of relevant units. Equals trec_eval's
``map_cut_K``, and ``map`` over the whole list. Worked example: two relevant at ranks 1 and 3: (1/1 + 2/3) / 2 = 5/6.
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import Floats, RankedLabels, divide
from scoring.retrieval.stage import StageData
from scoring.spec import LEVEL, K, MetricSpec
from scoring.types import Score


def ap(labels: RankedLabels, k: int | None = None, level: int = 1) -> Floats:
    """Average precision per row (n); 0 for rows without relevant units, which carry ``no_gold``."""
    row, rank = labels.hits(level, k)
    precision = labels.hit_position(level, k) / rank
    return divide(np.bincount(row, weights=precision, minlength=labels.n), labels.relevant(level))


def compute(data: StageData, k: int | None = None, level: int = 1) -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    return ap(data.labels, k, level), data.states(level)


SPEC = MetricSpec(
    name="retrieval.ap",
    family="retrieval",
    summary="Mean of the precision at the ranks of the relevant units, those not returned counting 0.",
    compute=compute,
    parameters=(K, LEVEL),
    needs=("gold",),
    staged=True,
)
