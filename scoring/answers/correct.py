"""answers.correct: 1 when all of the item's ``must`` assertions pass, else 0.

``refused`` where the system declined (unless a ``must`` assertion asks for a refusal), ``target_failed`` where it
failed, ``not_applicable`` where the item has no ``must`` assertion. Worked example: assertions contains "30" and
not_contains "45", answer "It takes 30 days": 1.
"""

from __future__ import annotations

from scoring.answers.verdict import expects_refusal
from scoring.batch import Batch
from scoring.spec import MetricSpec
from scoring.types import Score, State

_NONE = Score.none(State.NOT_APPLICABLE, "the item has no must assertion")
_REFUSED = Score.none(State.REFUSED, "the system declined to answer")
_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")


def compute(batch: Batch) -> list[Score]:
    """One score per pair."""
    scores: list[Score] = []
    for item, output, verdict in zip(batch.items, batch.outputs, batch.verdicts, strict=True):
        if output.failed:
            scores.append(_FAILED)
        elif verdict.correct is None:
            scores.append(_REFUSED if output.refused else _NONE)
        elif output.refused and not expects_refusal(item):
            scores.append(_REFUSED)
        else:
            scores.append(Score.of(float(verdict.correct), verdict.detail))
    return scores


CORRECT = MetricSpec(
    name="answers.correct",
    family="answers",
    summary="1 when all of the item's must assertions pass, else 0.",
    compute=compute,
    needs=("assertions",),
    kind="proportion",
)
