"""Making comparisons: computed once for a pair of completed runs, then kept."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.canonical import canonical_json
from core_app.errors import Conflict, FieldError, Invalid
from core_app.locks import transaction_lock
from core_app.services import audit_record
from datasets_app.services.access import exposure_record
from datasets_app.states import ExposureUse
from runs_app.models import Comparison, Run
from runs_app.policies import RunAction, policy
from runs_app.selectors.comparing import comparison_rows, comparison_settings, run_differences
from runs_app.selectors.comparisons import movers_of, unpaired_of
from runs_app.selectors.redaction import require_aggregates
from runs_app.states import RunStatus


def _stored(baseline: Run, candidate: Run, settings: dict[str, Any]) -> Comparison | None:
    wanted = canonical_json(settings)
    found = Comparison.objects.filter(baseline=baseline, candidate=candidate).order_by("-id")
    return next((row for row in found if canonical_json(row.settings["fixed"]) == wanted), None)


def _check_pair(actor: Actor, baseline: Run, candidate: Run) -> None:
    for run in (baseline, candidate):
        policy.require(actor, RunAction.COMPARE, run)
        require_aggregates(actor, run)
    if baseline.pk == candidate.pk:
        detail = _("A run can't be compared with itself.")
        raise Invalid(detail, errors=[FieldError("/candidate", "same_run", detail)])
    if baseline.team_id != candidate.team_id:
        detail = _("Only runs of one team can be compared.")
        raise Invalid(detail, errors=[FieldError("/candidate", "other_team", detail)])
    for run in (baseline, candidate):
        if run.status != RunStatus.COMPLETED:
            raise Conflict(
                _("The run %(run)s is not completed.") % {"run": run.public_id},
                code="run_not_completed",
                run_status=run.status,
            )


def comparison_create(*, actor: Actor, baseline: Run, candidate: Run) -> Comparison:
    """Return the comparison of two completed runs, computing it unless it is there already.

    Runs that can't be compared give one with `comparable` False and the list of what differs. Raises `Conflict` where a
    run is not completed, `Invalid` for a run with itself, `Forbidden` without the level `aggregate` on a frozen split.
    The figures are computed before the transaction, which then writes one row.
    """
    _check_pair(actor, baseline, candidate)
    return comparison_compute(actor=actor, baseline=baseline, candidate=candidate)


def comparison_compute(*, actor: Actor, baseline: Run, candidate: Run) -> Comparison:
    """Return the stored comparison of two completed runs, or make it; the caller has asked the policy."""
    fixed = comparison_settings(baseline, candidate)
    stored = _stored(baseline, candidate, fixed)
    if stored is not None:
        return stored
    differences = run_differences(baseline, candidate)
    comparable = not any(row["blocking"] for row in differences)
    rows, changed = comparison_rows(baseline, candidate, fixed) if comparable else (None, None)
    with transaction.atomic():
        # Two who ask at once must get one comparison: the lock makes the second find what the first wrote.
        transaction_lock(f"comparison {baseline.pk} {candidate.pk}")
        stored = _stored(baseline, candidate, fixed)
        if stored is not None:
            return stored
        comparison = Comparison.objects.create(
            team_id=candidate.team_id,
            baseline=baseline,
            candidate=candidate,
            comparable=comparable,
            differences=differences,
            results=rows,
            settings={
                "fixed": fixed,
                "outputs_changed": changed.outputs if changed else None,
                "least_changed": changed.least if changed else None,
            },
            created_by_label=actor.label,
        )
        audit_record(
            actor=actor,
            action="comparison.create",
            obj=comparison,
            team_id=comparison.team_id,
            label=f"{baseline.public_id} → {candidate.public_id}",
            after={"comparable": comparable, "baseline": baseline.public_id, "candidate": candidate.public_id},
        )
    return comparison


@transaction.atomic
def comparison_items_read(*, actor: Actor, comparison: Comparison, metric: str) -> dict[str, list[dict[str, Any]]]:
    """Return a metric's `movers` (items that moved most, with both answers) and `unpaired` (scored in one run only).

    On a frozen split the reading enters the ledger.

    Raises `Forbidden` where a run is on a frozen split and the actor lacks the level `read`.
    """
    for run in (comparison.baseline, comparison.candidate):
        policy.require_items(actor, run)
    found = {
        "movers": movers_of(actor, comparison, metric),
        "unpaired": unpaired_of(actor, comparison, metric),
    }
    items = {row["item"] for rows in found.values() for row in rows}
    if items:
        exposure_record(
            actor=actor,
            version=comparison.candidate.dataset_version,
            split=comparison.candidate.split,
            use=ExposureUse.REPORT,
            items=len(items),
            system_ref=comparison.candidate.system_version.ref,
            run_ref=comparison.candidate.public_id,
            reason=comparison.public_id,
        )
    return found
