"""trec_eval's measures by their printed names, each computed from the columns of many topics at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from scoring.retrieval.ap import ap
from scoring.retrieval.bpref import bpref
from scoring.retrieval.columns import Floats, RankedLabels, divide
from scoring.retrieval.hit import hit
from scoring.retrieval.mrr import mrr
from scoring.retrieval.ndcg import ndcg
from scoring.retrieval.precision import precision
from scoring.retrieval.r_precision import r_precision
from scoring.retrieval.rbp import rbp
from scoring.retrieval.recall import recall
from scoring.retrieval.set_f import set_f

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = tuple(i / 10 for i in range(11))
Summary = Literal["mean", "sum", "geometric"]


@dataclass(frozen=True, slots=True)
class Measure:
    """A printed name, its values per topic, and how the line for all topics is made of them."""

    name: str
    compute: Callable[[RankedLabels, int], NDArray[Any]]
    summary: Summary = "mean"
    per_topic: bool = True


def _relative(labels: RankedLabels, level: int, k: int) -> Floats:
    return divide(labels.hit_count(level, k), np.minimum(labels.relevant(level), k))


def _set_precision(labels: RankedLabels, level: int) -> Floats:
    return divide(labels.hit_count(level), labels.returned)


def _set_relative(labels: RankedLabels, level: int) -> Floats:
    return divide(labels.hit_count(level), np.minimum(labels.relevant(level), labels.returned))


def _judged_nonrelevant(labels: RankedLabels, level: int) -> NDArray[np.int64]:
    mask = (labels.label >= 0) & (labels.label < level)
    return np.bincount(labels.row[mask], minlength=labels.n)


def _unjudged(labels: RankedLabels, k: int) -> Floats:
    """Share of the first k places whose document has no label."""
    judged = np.bincount(labels.row[labels.rank <= k], minlength=labels.n)
    return (np.minimum(labels.returned, k) - judged) / float(k)


def interpolated(labels: RankedLabels, level: int, recalls: tuple[float, ...]) -> NDArray[np.float64]:
    """Interpolated precision at each recall level (topics, levels): the best precision from that recall on."""
    row, rank = labels.hits(level)
    best = labels.hit_position(level) / rank
    # The best precision from each relevant rank on: a running maximum from the end of each row.
    for place in range(len(best) - 2, -1, -1):
        if row[place] == row[place + 1] and best[place + 1] > best[place]:
            best[place] = best[place + 1]
    count = labels.hit_count(level)
    relevant = labels.relevant(level)
    starts = np.r_[0, np.cumsum(count)[:-1]] if labels.n else np.zeros(0, np.int64)
    values = np.zeros((labels.n, len(recalls)))
    for column, share in enumerate(recalls):
        need = np.maximum((share * relevant + 0.5).astype(np.int64), 1)
        reached = (need <= count) & (count > 0)
        values[reached, column] = best[(starts + need - 1)[reached]]
    return values


def _eleven(labels: RankedLabels, level: int) -> Floats:
    mean: Floats = interpolated(labels, level, RECALLS).mean(axis=1) if labels.n else np.zeros(0)
    return mean


def _iprec(column: int) -> Callable[[RankedLabels, int], Floats]:
    def compute(labels: RankedLabels, level: int) -> Floats:
        key = ("iprec", level)
        if key not in labels._cache:
            labels._cache[key] = interpolated(labels, level, RECALLS)
        values: Floats = labels._cache[key][:, column]
        return values

    return compute


def r_precision_multiple(labels: RankedLabels, level: int, multiple: float) -> Floats:
    """Precision at ``multiple`` times the number of relevant documents, rounded as trec_eval does."""
    cut = (multiple * labels.relevant(level) + 0.9).astype(np.int64)
    row, rank = labels.hits(level)
    inside = rank <= cut[row]
    return divide(np.bincount(row[inside], minlength=labels.n), cut)


def _residual(labels: RankedLabels, level: int) -> Floats:
    """What rbp could still gain: the weight of all places without a label; 0 where nothing was returned."""
    judged = np.bincount(labels.row, weights=0.1 * 0.9 ** (labels.rank - 1.0), minlength=labels.n)
    residual: Floats = np.where(labels.returned > 0, 1.0 - judged, 0.0)
    return residual


def _utility(labels: RankedLabels, level: int) -> Floats:
    """Relevant returned minus the others returned."""
    return (2 * labels.hit_count(level) - labels.returned).astype(np.float64)


Compute = Callable[[RankedLabels, int], NDArray[Any]]


def _cut(function: Callable[[RankedLabels, int, int], NDArray[Any]], k: int) -> Compute:
    return lambda labels, level: function(labels, k, level)


def _each(name: str, function: Callable[[RankedLabels, int, int], NDArray[Any]], *cutoffs: int) -> tuple[Measure, ...]:
    return tuple(Measure(f"{name}_{k}", _cut(function, k)) for k in cutoffs)


def _ndcg(labels: RankedLabels, k: int, level: int) -> Floats:
    return ndcg(labels, k)


def _unj(labels: RankedLabels, k: int, level: int) -> Floats:
    return _unjudged(labels, k)


def _relative_at(labels: RankedLabels, k: int, level: int) -> Floats:
    return _relative(labels, level, k)


def _multiple(fifths: int) -> Compute:
    return lambda labels, level: r_precision_multiple(labels, level, fifths / 5)


_HEAD = (
    Measure("num_ret", lambda c, level: c.returned, "sum"),
    Measure("num_rel", lambda c, level: c.relevant(level), "sum"),
    Measure("num_rel_ret", lambda c, level: c.hit_count(level), "sum"),
    Measure("map", lambda c, level: ap(c, None, level)),
    Measure("gm_map", lambda c, level: ap(c, None, level), "geometric", per_topic=False),
    Measure("Rprec", r_precision),
    Measure("bpref", bpref),
    Measure("recip_rank", lambda c, level: mrr(c, None, level)),
    *(Measure(f"iprec_at_recall_{share:.2f}", _iprec(i)) for i, share in enumerate(RECALLS)),
    *_each("P", precision, *CUTOFFS),
)
_TAIL = (
    *_each("recall", recall, *CUTOFFS),
    Measure("gm_bpref", bpref, "geometric", per_topic=False),
    *(Measure(f"Rprec_mult_{fifths / 5:.2f}", _multiple(fifths)) for fifths in range(1, 11)),
    Measure("utility", _utility),
    Measure("11pt_avg", _eleven),
    Measure("ndcg", lambda c, level: ndcg(c)),
    *_each("ndcg_cut", _ndcg, *CUTOFFS),
    *_each("map_cut", ap, *CUTOFFS),
    *_each("relative_P", _relative_at, *CUTOFFS),
    *_each("success", hit, 1, 5, 10),
    Measure("set_P", _set_precision),
    Measure("set_relative_P", _set_relative),
    Measure("set_recall", lambda c, level: recall(c, None, level)),
    Measure("set_map", lambda c, level: _set_precision(c, level) * recall(c, None, level)),
    Measure("set_F", lambda c, level: set_f(c, 1.0, level)),
    Measure("num_nonrel_judged_ret", _judged_nonrelevant, "sum"),
    Measure("rbp", lambda c, level: rbp(c, None, 0.9, level)),
    Measure("rbp_resid", _residual),
    *_each("unj", _unj, 5, 10, 20),
)

#: What ``trec_eval`` prints without ``-m``, and what it prints with ``-m all_trec`` as far as it is defined here.
OFFICIAL: dict[str, Measure] = {m.name: m for m in _HEAD}
ALL: dict[str, Measure] = {m.name: m for m in (*_HEAD, *_TAIL)}
