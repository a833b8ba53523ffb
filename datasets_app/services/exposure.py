"""The budget of a frozen split: charging runs, extending it with a reason, setting it, reminding stewards."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import Conflict, FieldError, Invalid
from core_app.services import audit_record
from datasets_app.models import Dataset, DatasetVersion, ExposureBudget, ExposureEntry, ExposureExtension
from datasets_app.models.exposure import MAX_DAYS, MAX_RUNS
from datasets_app.policies import DatasetAction, policy
from datasets_app.selectors.exposure import Usage, exposure_budget, exposure_usage
from datasets_app.services.access import exposure_record
from datasets_app.states import ExposureUse, Split, VersionStatus

_NUMBERS = ("runs_per_period", "period_days", "runs_lifetime")


def _lock(version: DatasetVersion) -> None:
    """Let one charge of the dataset's splits at a time count and enter; earlier versions' runs count too."""
    Dataset.objects.select_for_update(no_key=True).get(pk=version.dataset_id)


def _refuse_spent(version: DatasetVersion, usage: Usage) -> None:
    if usage.left > 0:
        return
    words: dict[str, Any] = {"version": version.ref, "used": usage.life_used, "days": usage.period_days}
    if usage.next_run_at is None:
        detail = _(
            "The frozen split of %(version)s is spent: all %(used)s runs of its budget are used. "
            "Ask a steward to extend it with a reason, or run a version with fresh test items."
        )
    else:
        words |= {"used": usage.period_used, "when": date_format(usage.next_run_at, "Y-m-d H:i")}
        detail = _(
            "The frozen split of %(version)s has had its %(used)s runs within %(days)s days. "
            "Ask a steward to extend it with a reason, or wait until %(when)s UTC."
        )
    raise Conflict(detail % words, code="exposure_spent")


def _refresh_reminders(version: DatasetVersion) -> None:
    """Write down what stewards are to be reminded of; the home page reads it with one query."""
    reminders = exposure_usage(version).reminders(timezone.localdate())
    ExposureBudget.objects.filter(version=version).exclude(reminders=reminders).update(reminders=reminders)


def _budget_row(version: DatasetVersion) -> ExposureBudget:
    """Return the version's own row, made from what holds for it so far. The caller holds the lock."""
    budget = exposure_budget(version)
    if budget.pk is None:
        budget.save(force_insert=True)
    return budget


@transaction.atomic
def exposure_charge(
    *,
    actor: Actor,
    version: DatasetVersion,
    split: str,
    items: int,
    system_ref: str,
    run_ref: str,
    reason: str = "",
) -> ExposureEntry | None:
    """Charge one run to the split's budget and enter it in the ledger; a dev split has none (returns None).

    Raises `Conflict` (`exposure_spent`) past the budget. Of two at once for the last run exactly one is let through.
    """
    if split != Split.FROZEN:
        return None
    _lock(version)
    _refuse_spent(version, exposure_usage(version))
    _budget_row(version)
    entry = exposure_record(
        actor=actor,
        version=version,
        split=split,
        use=ExposureUse.RUN,
        items=items,
        system_ref=system_ref,
        run_ref=run_ref,
        reason=reason,
    )
    _refresh_reminders(version)
    return entry


def _require_live(version: DatasetVersion) -> None:
    if version.status == VersionStatus.RETIRED:
        raise Conflict(_("This version is retired: nothing runs on it any more."), code="wrong_status")


@transaction.atomic
def exposure_extend(*, actor: Actor, version: DatasetVersion, runs: int, reason: str) -> ExposureExtension:
    """Add runs to the life of the split, and to the period that runs now. The reason may not be empty."""
    policy.require(actor, DatasetAction.EXPOSURE_EXTEND, version)
    _require_live(version)
    errors = []
    if not 1 <= runs <= MAX_RUNS:
        errors.append(FieldError("/runs", "range", _("From 1 to %(limit)s.") % {"limit": MAX_RUNS}))
    if not reason.strip() or len(reason) > 500:
        errors.append(FieldError("/reason", "required", _("Say why, in at most 500 characters.")))
    if errors:
        raise Invalid(_("Some fields are not valid."), errors=errors)
    _lock(version)
    before = exposure_usage(version)
    _budget_row(version)
    extension = ExposureExtension.objects.create(
        version=version,
        runs=runs,
        reason=reason.strip(),
        actor_key=actor.key,
        actor_label=actor.label[:200],
        at=timezone.now(),
    )
    _refresh_reminders(version)
    audit_record(
        actor=actor,
        action="exposure.extend",
        obj=version,
        team_id=version.dataset.team_id,
        label=version.ref,
        before={"state": before.state.value, "used": before.life_used, "allowed": before.life_allowed},
        after={"runs": runs, "reason": reason.strip()},
    )
    return extension


@transaction.atomic
def exposure_budget_set(
    *,
    actor: Actor,
    version: DatasetVersion,
    runs_per_period: int,
    period_days: int,
    runs_lifetime: int,
    rotate_on: date | None = None,
) -> ExposureBudget:
    """Set the budget and the rotation date of a version's frozen split; later versions take the numbers over."""
    policy.require(actor, DatasetAction.EXPOSURE_EXTEND, version)
    _require_live(version)
    given = {"runs_per_period": runs_per_period, "period_days": period_days, "runs_lifetime": runs_lifetime}
    errors = []
    for name, number in given.items():
        limit = MAX_DAYS if name == "period_days" else MAX_RUNS
        if not 1 <= number <= limit:
            errors.append(FieldError(f"/{name}", "range", _("From 1 to %(limit)s.") % {"limit": limit}))
    if errors:
        raise Invalid(_("Some fields are not valid."), errors=errors)
    _lock(version)
    budget = _budget_row(version)
    before = {**{name: getattr(budget, name) for name in _NUMBERS}, "rotate_on": str(budget.rotate_on or "")}
    for name, number in given.items():
        setattr(budget, name, number)
    budget.rotate_on = rotate_on
    budget.save()
    _refresh_reminders(version)
    audit_record(
        actor=actor,
        action="exposure.budget",
        obj=version,
        team_id=version.dataset.team_id,
        label=version.ref,
        before=before,
        after={**given, "rotate_on": str(rotate_on or "")},
    )
    return budget


def exposure_remind() -> Sequence[str]:
    """Look at every frozen or retired split that has a budget and write its reminders; returns the refs reminded of."""
    found = []
    versions = DatasetVersion.objects.filter(exposure_budget__isnull=False).select_related("dataset__team")
    for version in versions.iterator(chunk_size=200):
        with transaction.atomic():
            _refresh_reminders(version)
        if version.status != VersionStatus.RETIRED and ExposureBudget.objects.get(version=version).reminders:
            found.append(version.ref)
    return found
