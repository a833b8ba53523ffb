"""Typed errors of the scoring package: each one names the input that is wrong and says why."""

from __future__ import annotations


class ScoringError(ValueError):
    """Wrong input to a scoring function. The message names the input and the reason."""


class MetricError(ScoringError):
    """An unknown metric, or a parameter outside of what the metric allows."""


class PointerError(ScoringError):
    """Wrong content of a JSON document; ``pointer`` is the RFC 6901 pointer to the offending place."""

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer or '(root)'}: {reason}")
        self.pointer = pointer
        self.reason = reason


class GoldError(PointerError):
    """Gold (evidence, relevance, copies) that cannot be used."""


class ItemError(PointerError):
    """An evaluation item that cannot be used."""


class OutputError(PointerError):
    """A system output that cannot be used."""


class AssertionSpecError(PointerError):
    """An assertion whose specification is wrong (not one that the answer fails)."""


class TrecFormatError(ScoringError):
    """A line of a TREC run or qrels file that cannot be read; ``line`` counts from 1."""

    def __init__(self, name: str, line: int, reason: str) -> None:
        super().__init__(f"{name}, line {line}: {reason}")
        self.name = name
        self.line = line
        self.reason = reason
