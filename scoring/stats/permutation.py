"""Sign-flip permutation test of a mean difference over clusters: two-sided, exact for few clusters, else sampled."""

from __future__ import annotations

import numpy as np

from scoring.errors import ScoringError
from scoring.stats.clusters import Clusters, Floats

EXACT_UP_TO = 15
#: Signs held at once.
_BLOCK = 131_072
#: A binomial count costs as much as about this many single signs.
_BIG_LEVEL = 64


def sign_flip(clusters: Clusters, *, rng: np.random.Generator, resamples: int = 10_000) -> float:
    """Probability, under differences symmetric about 0 per cluster, of a total at least as far from 0 as the one seen.

    Clusters whose sum is 0 do not matter. Up to 15 others all sign patterns are counted; above, ``resamples`` patterns
    are drawn and p = (as extreme + 1) / (resamples + 1), never 0 (Phipson and Smyth 2010). All zero: 1.
    Worked example: differences 1, 1, 1: the total 3 is reached by 2 of 8 patterns: p = 0.25.
    """
    if resamples < 1:
        raise ScoringError(f"resamples is {resamples}, below 1")
    sums = np.abs(clusters.sums[clusters.sums != 0.0])
    if not len(sums):
        return 1.0
    seen = abs(float(clusters.sums.sum()))
    limit = seen - 1e-12 * max(1.0, float(sums.sum()))
    if len(sums) <= EXACT_UP_TO:
        totals = _all_patterns(sums)
        return float((np.abs(totals) >= limit).mean())
    totals = _drawn_patterns(sums, resamples, rng)
    extreme = int((np.abs(totals) >= limit).sum())
    return (extreme + 1) / (resamples + 1)


def _all_patterns(sums: Floats) -> Floats:
    totals = np.zeros(1)
    for value in sums:
        totals = np.concatenate([totals + value, totals - value])
    return totals


def _drawn_patterns(sums: Floats, resamples: int, rng: np.random.Generator) -> Floats:
    """Totals under random signs: of many equal values the number with a plus is binomial, the others flip singly."""
    values, sizes = np.unique(sums, return_counts=True)
    big = sizes >= _BIG_LEVEL
    totals = np.zeros(resamples)
    for value, size in zip(values[big].tolist(), sizes[big].tolist(), strict=True):
        totals += value * (2.0 * rng.binomial(size, 0.5, size=resamples) - size)
    rest = np.repeat(values[~big], sizes[~big])
    if not len(rest):
        return totals
    width = (len(rest) + 7) // 8
    block = max(1, _BLOCK // len(rest))
    # One buffer for all blocks, and float64 so that the product is one of matrices.
    signs = np.empty((min(block, resamples), len(rest)))
    whole = float(rest.sum())
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        drawn = np.frombuffer(rng.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
        signs[:rows] = np.unpackbits(drawn, axis=1, count=len(rest))
        totals[start : start + rows] += 2.0 * (signs[:rows] @ rest) - whole
    return totals
