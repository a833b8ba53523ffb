"""Choosing the confidence below which a system's answers count as not given: on a dev run, once, in the open."""

from __future__ import annotations

import math

from django.db import transaction
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import Conflict, FieldError, Invalid
from core_app.services import audit_record
from datasets_app.states import Split
from runs_app.models import AnswerThreshold, Output, Run, System, ThresholdBound
from runs_app.policies import RunAction, policy
from runs_app.selectors.risk_coverage import answers_of, curve_of
from runs_app.states import RunStatus
from scoring.refusal.risk_coverage import RiskPoint, choose_threshold


def _refuse(pointer: str, code: str, detail: str) -> Invalid:
    return Invalid(detail, code=code, errors=[FieldError(pointer, code, detail)])


def _check(system: System, run: Run, max_risk: float, bound: str, note: str) -> None:
    if run.system_version.system_id != system.pk:
        raise _refuse("/run", "other_system", _("This run is not one of the system's."))
    if run.is_frozen_split or _holds_frozen_items(run):
        raise _refuse(
            "/run",
            "frozen_split",
            _("A threshold is chosen on a dev split. A frozen split only reports what a locked threshold gives."),
        )
    if run.status != RunStatus.COMPLETED:
        raise Conflict(_("The run is not completed."), code="run_not_completed", run_status=run.status)
    if not math.isfinite(max_risk) or not 0 <= max_risk <= 1:
        raise _refuse("/max_risk", "out_of_range", _("Give a risk between 0 and 1."))
    if bound not in ThresholdBound.values:
        raise _refuse("/bound", "unknown", _("Give “point” or “upper”."))
    if len(note) > 500:
        raise _refuse("/note", "too_long", _("At most 500 characters."))


def _holds_frozen_items(run: Run) -> bool:
    """Return whether items of this dev run were frozen in a test split since, and not released again."""
    rows = Output.objects.filter(run=run, entry__item__protected_at__isnull=False)
    return rows.filter(entry__item__released_at=None).exists()


def _chosen(run: Run, max_risk: float, bound: str) -> tuple[RiskPoint, int]:
    answers = answers_of(run)
    curve = curve_of(answers)
    if curve is None:
        raise _refuse(
            "/run",
            "no_confidence",
            _("No answer of this run has both a confidence and a correctness that could be determined."),
        )
    point = choose_threshold(curve, max_risk, split=Split.DEV.value, upper_end=bound == ThresholdBound.UPPER)
    if point is None:
        raise _refuse("/max_risk", "no_threshold", _("At no confidence does the risk stay within this limit."))
    return point, answers.n_total


def threshold_choose(
    *, actor: Actor, system: System, run: Run, max_risk: float, bound: str = ThresholdBound.POINT, note: str = ""
) -> AnswerThreshold:
    """Choose the threshold of largest coverage whose risk stays within `max_risk` on a dev run, and lock it.

    It supersedes the system's earlier ones, which stay in the history. Raises `Invalid` with code `frozen_split` for a
    run on a frozen split, whoever asks; `Invalid` for another system's run, a limit outside [0, 1], a run without
    confidences (`no_confidence`) or no point within the limit (`no_threshold`); `Conflict` where the run is not
    completed.
    """
    policy.require(actor, RunAction.SYSTEM_EDIT, system)
    policy.require(actor, RunAction.VIEW, run)
    _check(system, run, max_risk, bound, note)
    point, n_total = _chosen(run, max_risk, bound)
    with transaction.atomic():
        threshold = AnswerThreshold.objects.create(
            system=system,
            run=run,
            max_risk=max_risk,
            bound=bound,
            threshold=point.threshold,
            coverage=point.coverage,
            risk=point.risk,
            answered=point.answered,
            wrong=point.wrong,
            n_total=n_total,
            note=note,
            created_by_key=actor.key,
            created_by_label=actor.label[:200],
        )
        audit_record(
            actor=actor,
            action="system.threshold.choose",
            obj=threshold,
            team_id=system.team_id,
            label=system.ref,
            after={
                "run": run.public_id,
                "max_risk": max_risk,
                "bound": bound,
                "threshold": point.threshold,
                "coverage": point.coverage,
                "risk": point.risk,
                "note": note,
            },
        )
    return threshold
