"""Sums and counts per cluster: the unit of resampling is the cluster, not the item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.errors import ScoringError

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Clusters:
    """``sums, counts`` (g each): sum of values and number of items in each of g clusters, in a fixed order."""

    sums: Floats
    counts: Floats

    @property
    def g(self) -> int:
        """Number of clusters."""
        return len(self.sums)

    @property
    def mean(self) -> float:
        """Mean over items: total of the sums by total of the counts."""
        return float(self.sums.sum() / self.counts.sum())


def as_values(values: Sequence[float] | Floats, name: str) -> Floats:
    """A one-dimensional finite float array; raises ScoringError naming the input."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ScoringError(f"{name}: not a list of numbers") from error
    if array.ndim != 1:
        raise ScoringError(f"{name}: must have one dimension, has {array.ndim}")
    if not np.isfinite(array).all():
        raise ScoringError(f"{name}: holds NaN or infinity at place {int(np.flatnonzero(~np.isfinite(array))[0])}")
    return array


def by_cluster(values: Sequence[float] | Floats, clusters: Sequence[str] | None, name: str = "values") -> Clusters:
    """Group n values by n cluster names (None: each value its own cluster).

    The clusters are put into an order that depends on their content alone, so that the order of items changes nothing.
    Raises ScoringError for no values, NaN, or sequences of different length.
    """
    array = as_values(values, name)
    if not len(array):
        raise ScoringError(f"{name}: is empty")
    if clusters is None:
        sums, counts = array, np.ones(len(array))
    else:
        if len(clusters) != len(array):
            raise ScoringError(f"clusters ({len(clusters)}) and {name} ({len(array)}) differ in length")
        number: dict[str, int] = {}
        codes = np.array([number.setdefault(cluster, len(number)) for cluster in clusters], dtype=np.int64)
        order = np.lexsort((array, codes))
        sums = np.bincount(codes[order], weights=array[order], minlength=len(number)).astype(np.float64)
        counts = np.bincount(codes, minlength=len(number)).astype(np.float64)
    order = np.lexsort((counts, sums))
    return Clusters(sums[order], counts[order])


def levels(clusters: Clusters) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Distinct (sum, count) pairs and how many clusters have each; relies on the sorted order of ``by_cluster``."""
    sums, counts = clusters.sums, clusters.counts
    new = np.r_[True, (sums[1:] != sums[:-1]) | (counts[1:] != counts[:-1])]
    starts = np.flatnonzero(new)
    return sums[starts], counts[starts], np.diff(np.r_[starts, len(sums)])
