"""Refusals and answering, one score per pair, so that each rate is a mean over the items of its denominator.

- coverage: answered / all; a failed output did not answer.
- false_accept: unanswerable items answered as fact / unanswerable items.
- false_refusal: answerable items refused / answerable items.
- risk: wrong / answered with a determined correctness; answering an unanswerable item is wrong.
- truthfulness (CRAG's automatic rule): correct or a false premise named +1; refused, missing or failed 0; wrong -1.

An item outside of a rate's denominator is ``not_applicable``. A failed output is ``target_failed`` in false_accept,
false_refusal and risk: it neither accepted nor refused, and must not make those rates look better. A partial answer
counts as answered. Source: scoring page, section 7; Yang et al. 2024 (CRAG) for truthfulness.
"""

from __future__ import annotations

from scoring.answers.verdict import Verdict
from scoring.batch import Batch
from scoring.spec import MetricSpec
from scoring.types import EvalItem, Score, State, SystemOutput

_ZERO, _ONE, _MINUS = Score.of(0.0), Score.of(1.0), Score.of(-1.0)
_OUTSIDE_A = Score.none(State.NOT_APPLICABLE, "the item is answerable")
_OUTSIDE_U = Score.none(State.NOT_APPLICABLE, "the item is not answerable")
_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")
_REFUSED = Score.none(State.REFUSED, "the system declined to answer")
_UNDETERMINED = Score.none(State.UNDETERMINED, "answered, and no must assertion can decide")


def right(item: EvalItem, verdict: Verdict) -> bool | None:
    """Whether an answer that was given is right; None where nothing can decide."""
    if not item.answerable and not item.false_premise:
        return False
    return verdict.correct


def coverage(batch: Batch) -> list[Score]:
    """1 where answered (whole or partial), else 0. Worked example: answered, refused, failed, answered: 0.5."""
    return [_ONE if output.answered else _ZERO for output in batch.outputs]


def _false_accept(item: EvalItem, output: SystemOutput, verdict: Verdict) -> Score:
    if item.answerable:
        return _OUTSIDE_A
    if output.failed:
        return _FAILED
    if output.refused:
        return _ZERO
    named = right(item, verdict)
    return _UNDETERMINED if named is None else (_ZERO if named else _ONE)


def false_accept(batch: Batch) -> list[Score]:
    """1 where an unanswerable item was answered as fact; 0 where refused or its false premise named."""
    return [_false_accept(i, o, v) for i, o, v in zip(batch.items, batch.outputs, batch.verdicts, strict=True)]


def false_refusal(batch: Batch) -> list[Score]:
    """1 where an answerable item was refused, 0 where it was answered."""
    scores: list[Score] = []
    for item, output in zip(batch.items, batch.outputs, strict=True):
        if not item.answerable:
            scores.append(_OUTSIDE_U)
        elif output.failed:
            scores.append(_FAILED)
        else:
            scores.append(_ONE if output.refused else _ZERO)
    return scores


def risk(batch: Batch) -> list[Score]:
    """1 where an answer given was wrong, 0 where right; refused and failed outputs carry their states."""
    scores: list[Score] = []
    for item, output, verdict in zip(batch.items, batch.outputs, batch.verdicts, strict=True):
        if output.failed:
            scores.append(_FAILED)
        elif output.refused:
            scores.append(_REFUSED)
        else:
            correct = right(item, verdict)
            scores.append(_UNDETERMINED if correct is None else (_ZERO if correct else _ONE))
    return scores


def truthfulness(batch: Batch) -> list[Score]:
    """+1, 0 or -1 per pair. Worked example: right, refused, wrong, right: mean 0.25."""
    scores: list[Score] = []
    for item, output, verdict in zip(batch.items, batch.outputs, batch.verdicts, strict=True):
        if not output.answered:
            scores.append(_ZERO)
            continue
        correct = right(item, verdict)
        scores.append(_UNDETERMINED if correct is None else (_ONE if correct else _MINUS))
    return scores


SPECS = (
    MetricSpec(
        name="refusal.coverage",
        family="refusal",
        summary="Share of all items that were answered, wholly or in part.",
        compute=coverage,
        kind="proportion",
    ),
    MetricSpec(
        name="refusal.false_accept",
        family="refusal",
        summary="Share of the unanswerable items that were answered as fact.",
        compute=false_accept,
        needs=("answerable",),
        higher_is_better=False,
        kind="proportion",
    ),
    MetricSpec(
        name="refusal.false_refusal",
        family="refusal",
        summary="Share of the answerable items that were refused.",
        compute=false_refusal,
        needs=("answerable",),
        higher_is_better=False,
        kind="proportion",
    ),
    MetricSpec(
        name="refusal.risk",
        family="refusal",
        summary="Share of the answers given that were wrong; answering an unanswerable item is wrong.",
        compute=risk,
        needs=("assertions",),
        higher_is_better=False,
        kind="proportion",
    ),
    MetricSpec(
        name="refusal.truthfulness",
        family="refusal",
        summary="+1 for a right answer or a false premise named, 0 for refused, missing or failed, -1 for wrong.",
        compute=truthfulness,
        needs=("assertions",),
        bounds=(-1.0, 1.0),
    ),
)
