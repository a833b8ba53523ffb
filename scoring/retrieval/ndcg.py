"""ndcg@K: discounted cumulative gain divided by that of the ideal ranking of the same labels.

The discount is 1 / log2(rank + 1); the gain of a unit is its label (``linear``, as in trec_eval's ``ndcg_cut_K``) or
2^label - 1 (``exp``, Burges et al. 2005). Source: Järvelin and Kekäläinen 2002. Labels of 0 and below gain nothing.
Worked example: labels A 2, B 1; ranking B, A: DCG = 1 + 2/log2(3) = 2.2619, ideal 2 + 1/log2(3) = 2.6309, ndcg =
0.8597.
"""

from __future__ import annotations

import numpy as np

from scoring.errors import MetricError
from scoring.retrieval.columns import Floats, Ints, RankedLabels, divide
from scoring.retrieval.stage import StageData
from scoring.spec import K, MetricSpec, Param
from scoring.types import Score

GAIN = Param("gain", "choice", default="linear", choices=("linear", "exp"))
_HIGHEST_EXP_LABEL = 60


def _gain(label: Ints, gain: str) -> Floats:
    positive = np.maximum(label, 0).astype(np.float64)
    if gain == "linear":
        return positive
    if len(label) and label.max() > _HIGHEST_EXP_LABEL:
        raise MetricError(f"retrieval.ndcg: gain=exp with a label above {_HIGHEST_EXP_LABEL}; use gain=linear")
    return np.exp2(positive) - 1.0


def _dcg(row: Ints, rank: Ints, label: Ints, k: int | None, gain: str, n: int) -> Floats:
    mask = label > 0
    if k is not None:
        mask &= rank <= k
    rank = rank[mask]
    highest = int(rank.max(initial=0))
    # Each rank's logarithm once, unless there are more ranks than units.
    logs = np.log2(np.arange(highest) + 2.0)[rank - 1] if highest <= len(rank) else np.log2(rank + 1.0)
    gains = _gain(label[mask], gain) / logs
    return np.bincount(row[mask], weights=gains, minlength=n).astype(np.float64)


def ndcg(labels: RankedLabels, k: int | None = None, gain: str = "linear") -> Floats:
    """ndcg per row (n), in [0, 1]; 0 for rows without a positive label, which carry ``no_gold``."""
    key = ("ideal dcg", k, gain)
    ideal: Floats | None = labels._cache.get(key)
    if ideal is None:
        ideal = labels._cache[key] = _dcg(labels.gold_row, labels.ideal_rank(), labels.gold_label, k, gain, labels.n)
    return np.minimum(divide(_dcg(labels.row, labels.rank, labels.label, k, gain, labels.n), ideal), 1.0)


def compute(data: StageData, k: int | None = None, gain: str = "linear") -> tuple[Floats, list[Score | None]]:
    """Values and states over a stage."""
    return ndcg(data.labels, k, gain), data.states(1)


SPEC = MetricSpec(
    name="retrieval.ndcg",
    family="retrieval",
    summary="Gain of the returned units, discounted by rank, as a share of the best ranking of the same labels.",
    compute=compute,
    parameters=(K, GAIN),
    needs=("gold",),
    staged=True,
)
