"""BM25 over token lists (Robertson and Zaragoza 2009), with the non-negative idf that Lucene uses."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence


class BM25:
    """An inverted index; documents are known by their position in ``token_lists``."""

    def __init__(self, token_lists: Sequence[Sequence[str]], *, k1: float = 1.2, b: float = 0.75) -> None:
        lengths = [len(tokens) for tokens in token_lists]
        mean_length = sum(lengths) / len(lengths) if lengths else 1.0
        self._size = len(lengths)
        self._k1 = k1
        self._norms = [k1 * (1 - b + b * length / mean_length) for length in lengths]
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for position, tokens in enumerate(token_lists):
            for token, count in Counter(tokens).items():
                postings[token].append((position, count))
        self._postings = dict(postings)

    def __contains__(self, token: str) -> bool:
        return token in self._postings

    @property
    def vocabulary(self) -> frozenset[str]:
        """All tokens of the index."""
        return frozenset(self._postings)

    def idf(self, token: str) -> float:
        """ln(1 + (N - df + 0.5) / (df + 0.5)); a token that never occurs has the greatest value."""
        df = len(self._postings.get(token, ()))
        return math.log(1 + (self._size - df + 0.5) / (df + 0.5))

    def scores(self, query: Mapping[str, float]) -> dict[int, float]:
        """Scores of all documents that share a token with the query, whose tokens carry weights."""
        totals: dict[int, float] = defaultdict(float)
        for token, weight in query.items():
            idf = self.idf(token)
            for position, count in self._postings.get(token, ()):
                gain = count * (self._k1 + 1) / (count + self._norms[position])
                totals[position] += weight * idf * gain
        return dict(totals)
