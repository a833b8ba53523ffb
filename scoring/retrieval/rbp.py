"""rbp: rank-biased precision with persistence p.

(1 - p) times the sum of p^(rank - 1) over the relevant ranks (Moffat and Zobel 2008); equals ir_measures' ``RBP(p=…)``
and, with p = 0.9, trec_eval's ``rbp``. Worked example, p = 0.8, relevant at ranks 1 and 3: 0.2 + 0.128 = 0.328.
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import Floats, RankedLabels
from scoring.retrieval.stage import StageData
from scoring.spec import LEVEL, K, MetricSpec, Param
from scoring.types import Score

P = Param("p", "float", default=0.9, above=0.0, maximum=0.999999)


def rbp(labels: RankedLabels, k: int | None = None, p: float = 0.9, level: int = 1) -> Floats:
    """Value per row (n), below 1."""
    row, rank = labels.hits(level, k)
    return np.bincount(row, weights=(1.0 - p) * p ** (rank - 1.0), minlength=labels.n).astype(np.float64)


def compute(data: StageData, k: int | None = None, p: float = 0.9, level: int = 1) -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    return rbp(data.labels, k, p, level), data.states(level)


SPEC = MetricSpec(
    name="retrieval.rbp",
    family="retrieval",
    summary="Expected rate of relevant units for a reader who goes on to the next rank with probability p.",
    compute=compute,
    parameters=(K, P, LEVEL),
    needs=("gold",),
    staged=True,
)
