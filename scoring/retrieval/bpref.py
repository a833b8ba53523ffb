"""bpref: how often judged non-relevant units stand above relevant ones (unjudged units are ignored).

Equals trec_eval's ``bpref`` (Buckley and Voorhees 2004, with the correction of trec_eval 8): each returned relevant
unit adds 1 - min(n, R) / min(R, N), n being the judged non-relevant units above it, R the relevant ones, N the judged
non-relevant ones; the sum is divided by R. Worked example: relevant at 2 and 3, one judged non-relevant unit at 1,
R = 2, N = 1: both add 0, bpref = 0.
"""

from __future__ import annotations

import numpy as np

from scoring.retrieval.columns import Floats, RankedLabels, divide
from scoring.retrieval.stage import StageData
from scoring.spec import LEVEL, MetricSpec
from scoring.types import Score


def bpref(labels: RankedLabels, level: int = 1) -> Floats:
    """bpref per row (n); 0 for rows without relevant units, which carry ``no_gold``."""
    relevant = labels.relevant(level)
    least = np.minimum(relevant, labels.judged_nonrelevant(level))
    is_relevant = labels.label >= level
    is_nonrelevant = (labels.label >= 0) & ~is_relevant
    above = np.cumsum(is_nonrelevant)
    starts = (
        np.flatnonzero(np.r_[True, labels.row[1:] != labels.row[:-1]]) if len(labels.row) else np.zeros(0, np.int64)
    )
    before = np.where(starts > 0, above[starts - 1], 0) if len(starts) else starts
    above = above - np.repeat(before, np.diff(np.r_[starts, len(labels.row)]))
    row, above = labels.row[is_relevant], above[is_relevant]
    gain = 1.0 - divide(np.minimum(above, relevant[row]), least[row])
    return divide(np.bincount(row, weights=gain, minlength=labels.n), relevant)


def compute(data: StageData, level: int = 1) -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    return bpref(data.labels, level), data.states(level)


SPEC = MetricSpec(
    name="retrieval.bpref",
    family="retrieval",
    summary="How rarely units judged not relevant stand above relevant ones; units without a label are ignored.",
    compute=compute,
    parameters=(LEVEL,),
    needs=("gold",),
    staged=True,
)
