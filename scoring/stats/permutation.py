"""Sign-flip permutation test of a mean difference over clusters: two-sided, exact for few clusters, else sampled."""

from __future__ import annotations

import numpy as np

from scoring.stats.clusters import Clusters, Floats

EXACT_UP_TO = 15


def sign_flip(clusters: Clusters, *, rng: np.random.Generator, resamples: int = 10_000) -> float:
    """Probability, under differences symmetric about 0 per cluster, of a total at least as far from 0 as the one seen.

    Clusters whose sum is 0 do not matter. Up to 15 others all sign patterns are counted; above, ``resamples`` patterns
    are drawn and p = (as extreme + 1) / (resamples + 1), never 0 (Phipson and Smyth 2010). All zero: 1.
    Worked example: differences 1, 1, 1: the total 3 is reached by 2 of 8 patterns: p = 0.25.
    """
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
    """Totals under random signs: of m equal values, the number with a plus is binomial."""
    values, sizes = np.unique(sums, return_counts=True)
    totals = np.zeros(resamples)
    if len(values) <= len(sums) // 2:
        for value, size in zip(values.tolist(), sizes.tolist(), strict=True):
            totals += value * (2.0 * rng.binomial(size, 0.5, size=resamples) - size)
        return totals
    block = max(1, 4_000_000 // len(sums))
    for start in range(0, resamples, block):
        stop = min(start + block, resamples)
        bits = np.unpackbits(
            rng.integers(0, 256, size=(stop - start, (len(sums) + 7) // 8), dtype=np.uint8), axis=1, count=len(sums)
        )
        totals[start:stop] = 2.0 * (bits @ sums) - sums.sum()
    return totals
