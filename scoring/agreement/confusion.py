"""A judge's two-class decisions against human ones: confusion matrix, sensitivity, specificity, accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.agreement.labels import Label, is_given
from scoring.agreement.result import Agreement
from scoring.errors import ScoringError
from scoring.stats.wilson import wilson


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of items; each rate with its Wilson interval, undefined where its denominator is empty."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int
    sensitivity: Agreement
    specificity: Agreement
    accuracy: Agreement


def _rate(top: int, bottom: int) -> Agreement:
    if not bottom:
        return Agreement.undefined(0, "no such item")
    low, high = wilson(top, bottom)
    return Agreement(top / bottom, low, high, bottom, "Wilson")


def confusion(judge: Sequence[Label | None], human: Sequence[Label | None], *, positive: Label) -> Confusion:
    """Compare over the items that both labelled (None and NaN are missing); any label but ``positive`` is negative.

    Raises ScoringError for sequences of different length. Worked example: judge 1 1 0 0, human 1 0 0 1, positive 1:
    one of each; sensitivity, specificity and accuracy 0.5.
    """
    if len(judge) != len(human):
        raise ScoringError(f"judge ({len(judge)}) and human ({len(human)}) differ in length")
    both = [(j == positive, h == positive) for j, h in zip(judge, human, strict=True) if is_given(j) and is_given(h)]
    tp, fp = both.count((True, True)), both.count((True, False))
    fn, tn = both.count((False, True)), both.count((False, False))
    return Confusion(tp, fp, fn, tn, _rate(tp, tp + fn), _rate(tn, tn + fp), _rate(tp + tn, len(both)))
