"""answers.task_success, the primary figure: was the outcome right? Over all items, so that failing or refusing never
gains.

1: an answerable item answered and all its ``must`` assertions pass; an unanswerable one refused, or, for a false
premise, the premise named (its ``must`` assertions pass). 0: wrong, wrongly refused, failed or missing.
``undetermined``: answered, and no ``must`` assertion exists that could decide (an answerable item, or a false premise).
Worked example: of four answerable items, answered right, answered wrong, refused, failed: 1, 0, 0, 0, mean 0.25.
"""

from __future__ import annotations

from scoring.batch import Batch
from scoring.spec import MetricSpec
from scoring.types import Score, State

_UNDETERMINED = Score.none(State.UNDETERMINED, "answered, and no must assertion can decide")
_FAILED = Score.of(0.0, {"why": "failed"})
_MISSING = Score.of(0.0, {"why": "missing"})
_WRONGLY_REFUSED = Score.of(0.0, {"why": "wrongly refused"})
_RIGHTLY_REFUSED = Score.of(1.0, {"why": "rightly refused"})
_ACCEPTED = Score.of(0.0, {"why": "answered though unanswerable"})


def compute(batch: Batch) -> list[Score]:
    """One score per pair."""
    scores: list[Score] = []
    for item, output, verdict in zip(batch.items, batch.outputs, batch.verdicts, strict=True):
        if output.failed:
            scores.append(_MISSING if output.outcome == "missing" else _FAILED)
        elif output.refused:
            scores.append(_WRONGLY_REFUSED if item.answerable else _RIGHTLY_REFUSED)
        elif not item.answerable and not item.false_premise:
            scores.append(_ACCEPTED)
        elif verdict.correct is None:
            scores.append(_UNDETERMINED)
        else:
            why = (
                ("premise named" if verdict.correct else "premise accepted")
                if item.false_premise
                else ("correct" if verdict.correct else "wrong")
            )
            scores.append(Score.of(float(verdict.correct), {"why": why, **(verdict.detail or {})}))
    return scores


TASK_SUCCESS = MetricSpec(
    name="answers.task_success",
    family="answers",
    summary="1 when the outcome was right (answered correctly or rightly refused), 0 when wrong, refused or failed.",
    compute=compute,
    needs=("assertions",),
    kind="proportion",
)
