"""Seeds: the same inputs give the same resamples, to the last bit, on any machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np


def seed_of(manifest_hashes: Iterable[str], metric: str) -> str:
    """sha256 over the sorted manifest hashes and the metric's identity text, in hexadecimal."""
    digest = hashlib.sha256()
    for part in (*sorted(manifest_hashes), metric):
        digest.update(part.encode("utf-8"))
        digest.update(b"\x00")
    return digest.hexdigest()


def generator(seed: str, purpose: str = "") -> np.random.Generator:
    """A generator for a seed text; ``purpose`` keeps the interval's and the test's draws apart."""
    digest = hashlib.sha256(f"{seed}\x00{purpose}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))
