"""Nugget scores: how much of what a good answer has to hold is in it, from assignments given as data.

An item lists nuggets, each vital or okay (``"vital": false``; vital where it does not say). Each is assigned
``support`` (1), ``partial_support`` (0.5) or ``not_support`` (0).

- vital_strict: fully supported vital nuggets / vital nuggets; vital: partial support counts 0.5.
- all_strict, all: likewise over all nuggets, unweighted.
- weighted: sum of weight times value / sum of weights; vital weighs 1, okay 0.5; partial support counts 0.5.

An item without nuggets, or without vital ones where these are counted: ``not_applicable``; so is an output whose
nuggets were not assigned. An assignment that could not be made: ``undetermined``; assignments of another number than
the item's nuggets: ``judge_failed``. Failed and refused outputs carry their states.

Source: Pradeep et al. 2024, "Initial nugget evaluation results for the TREC 2024 RAG Track" (AutoNuggetizer).
Worked example: vital nuggets supported, partly, not; one okay nugget supported: vital_strict 1/3, vital 0.5, all_strict
0.5, all 0.625, weighted (1 + 0.5 + 0 + 0.5) / 3.5 = 0.5714.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from scoring.batch import Batch
from scoring.errors import ScoringError
from scoring.judgements import Assigned
from scoring.spec import MetricSpec
from scoring.types import EvalItem, Score, State, SystemOutput

_NO_NUGGETS = Score.none(State.NOT_APPLICABLE, "the item lists no nuggets")
_NO_VITAL = Score.none(State.NOT_APPLICABLE, "the item lists no vital nuggets")
_NOT_JUDGED = Score.none(State.NOT_APPLICABLE, "no assignments of the item's nuggets were given")
_OPEN = Score.none(State.UNDETERMINED, "a nugget's assignment could not be made")
_OTHER_NUMBER = Score.none(State.JUDGE_FAILED, "the assignments are not as many as the item's nuggets")
_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")
_REFUSED = Score.none(State.REFUSED, "the system declined to answer")

_VALUE: dict[str, float] = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}


def nugget_score(vital: Sequence[bool], assigned: Sequence[Assigned | None], okay_weight: float, strict: bool) -> Score:
    """Weighted share of n nuggets; vital ones weigh 1, the others ``okay_weight`` (0 leaves them out).

    Raises ScoringError where the two sequences differ in length.
    """
    if len(vital) != len(assigned):
        raise ScoringError(f"vital ({len(vital)}) and assigned ({len(assigned)}) differ in length")
    weights = [1.0 if flag else okay_weight for flag in vital]
    counted = [(weight, one) for weight, one in zip(weights, assigned, strict=True) if weight > 0]
    if not counted:
        return _NO_VITAL
    total = 0.0
    for weight, one in counted:
        if one is None:
            return _OPEN
        value = _VALUE[one]
        total += weight * (float(value == 1.0) if strict else value)
    return Score.of(total / sum(weight for weight, _ in counted), {"nuggets": len(counted)})


def _pair(
    item: EvalItem, output: SystemOutput, assigned: Sequence[Assigned | None] | None, okay_weight: float, strict: bool
) -> Score:
    if not item.nuggets:
        return _NO_NUGGETS
    if output.failed:
        return _FAILED
    if output.refused:
        return _REFUSED
    if assigned is None:
        return _NOT_JUDGED
    if len(assigned) != len(item.nuggets):
        return _OTHER_NUMBER
    vital = [nugget.get("vital") is not False for nugget in item.nuggets]
    return nugget_score(vital, assigned, okay_weight, strict)


def compute(batch: Batch, okay_weight: float, strict: bool) -> list[Score]:
    """One score per pair."""
    return [
        _pair(item, output, judged.nuggets, okay_weight, strict)
        for item, output, judged in zip(batch.items, batch.outputs, batch.judgements, strict=True)
    ]


def _spec(name: str, summary: str, okay_weight: float, strict: bool) -> MetricSpec:
    return MetricSpec(
        name=f"nuggets.{name}",
        family="nuggets",
        summary=summary,
        compute=partial(compute, okay_weight=okay_weight, strict=strict),
        needs=("nuggets",),
    )


SPECS = (
    _spec("vital_strict", "Share of the vital nuggets that the answer fully supports.", 0.0, True),
    _spec("vital", "Share of the vital nuggets in the answer; partial support counts half.", 0.0, False),
    _spec("all_strict", "Share of all nuggets that the answer fully supports.", 1.0, True),
    _spec("all", "Share of all nuggets in the answer; partial support counts half.", 1.0, False),
    _spec(
        "weighted", "Share of all nuggets in the answer; okay ones weigh half, partial support counts half.", 0.5, False
    ),
)
