"""r_precision: precision at rank R, where R is the number of relevant units.

Equals trec_eval's ``Rprec``. Worked example: three relevant, two of them among the first three: 2/3.
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import Floats, RankedLabels, divide
from scoring.retrieval.stage import StageData
from scoring.spec import LEVEL, MetricSpec
from scoring.types import Score


def r_precision(labels: RankedLabels, level: int = 1) -> Floats:
    """Share per row (n); 0 for rows without relevant units, which carry ``no_gold``."""
    relevant = labels.relevant(level)
    row, rank = labels.hits(level)
    inside = rank <= relevant[row]
    return divide(np.bincount(row[inside], minlength=labels.n), relevant)


def compute(data: StageData, level: int = 1) -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    return r_precision(data.labels, level), data.states(level)


SPEC = MetricSpec(
    name="retrieval.r_precision",
    family="retrieval",
    summary="Share of relevant units among the first R, R being how many relevant units there are.",
    compute=compute,
    parameters=(LEVEL,),
    needs=("gold",),
    staged=True,
)
