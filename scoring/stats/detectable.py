"""What a dataset version can show: per question type, its number of items and the smallest difference it detects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.errors import ScoringError
from scoring.stats.clusters import by_cluster
from scoring.stats.power import intra_cluster_correlation, items_needed, paired_sd_of_proportion, smallest_difference
from scoring.types import EvalItem

OVERALL = ""
#: Assumed where no pilot tells: items of one source document resemble one another somewhat.
DEFAULT_ICC = 0.1


@dataclass(frozen=True, slots=True)
class Detectable:
    """One question type (``OVERALL``: all items).

    ``cluster_size``: the size that the design effect takes, sum m^2 / n over the clusters' sizes m (Kish 1965), which
    is the plain size where all are equal. ``sd``: of the paired difference of an item. ``icc``: of these differences.
    ``from_pilot``: both were estimated from pilot differences, not assumed. ``smallest``: None under two items, or
    where the pilot's differences are all alike. ``needed``: items needed for the wanted difference, None likewise.
    """

    type: str
    n: int
    n_clusters: int
    cluster_size: float
    sd: float
    icc: float
    from_pilot: bool
    smallest: float | None
    needed: int | None


def detectable_by_type(
    items: Iterable[EvalItem],
    *,
    wanted: float = 0.03,
    rate: float = 0.8,
    correlation: float = 0.5,
    icc: float = DEFAULT_ICC,
    pilot: Mapping[str, float] | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
) -> list[Detectable]:
    """Overall first, then each question type by name (an item of several types counts in each).

    Without a pilot the spread is that of two 0/1 scores with this ``rate`` and ``correlation``, and ``icc`` is assumed.
    ``pilot``: item id to the paired difference that a pilot showed; a group with at least two pilot items takes its
    spread from these, and its intra-cluster correlation where a cluster holds two of them (never below 0: a chance
    negative one would promise too much).

    Raises ScoringError for a wanted difference not above 0, or a rate, correlation, icc, power or alpha out of range.
    Worked example: 100 items of their own clusters, rate 0.8, correlation 0.5: sd 0.4, smallest difference 0.1121.
    """
    assumed = paired_sd_of_proportion(rate, correlation)
    items_needed(wanted, assumed, power=power, alpha=alpha, icc=icc)
    groups: dict[str, list[EvalItem]] = {OVERALL: list(items)}
    for item in groups[OVERALL]:
        for kind in dict.fromkeys(item.types):
            groups.setdefault(kind, []).append(item)
    rows: list[Detectable] = []
    for kind in sorted(groups):
        members = groups[kind]
        sizes = np.array(list(Counter(item.cluster for item in members).values()), dtype=np.float64)
        n = len(members)
        size = float((sizes**2).sum()) / n if n else 1.0
        found = _from_pilot(members, pilot or {})
        sd, rho = (assumed, icc) if found is None else (found[0], icc if found[1] is None else found[1])
        smallest: float | None = None
        needed: int | None = None
        if sd > 0.0:
            needed = items_needed(wanted, sd, power=power, alpha=alpha, cluster_size=size, icc=rho)
            if n >= 2:
                smallest = smallest_difference(n, sd, power=power, alpha=alpha, cluster_size=size, icc=rho)
        rows.append(Detectable(kind, n, len(sizes), size, sd, rho, found is not None, smallest, needed))
    return rows


def _from_pilot(members: Sequence[EvalItem], pilot: Mapping[str, float]) -> tuple[float, float | None] | None:
    """Standard deviation and intra-cluster correlation of the pilot's differences, or None under two of them."""
    known = [item for item in members if item.external_id in pilot]
    if len(known) < 2:
        return None
    values = [pilot[item.external_id] for item in known]
    grouped = by_cluster(values, [item.cluster for item in known], "pilot")
    sd = float(np.std(np.asarray(values), ddof=1))
    try:
        rho = intra_cluster_correlation(grouped, float(np.square(values).sum()))
    except ScoringError:
        return sd, None
    return sd, max(0.0, rho)
