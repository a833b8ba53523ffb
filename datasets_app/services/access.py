"""Access to frozen splits: grants, and the ledger of every use."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import Conflict, FieldError, Forbidden, Invalid
from core_app.services import audit_record
from datasets_app.models import Dataset, DatasetVersion, ExposureEntry, Grant
from datasets_app.policies import DatasetAction, policy
from datasets_app.selectors import is_exposure
from datasets_app.services.versions import person_behind
from datasets_app.states import ExposureUse, Level, Split
from teams_app.models import Membership, ServiceToken, Team, User

LONGEST_GRANT = timedelta(days=366)


def _people_of(holder: User | ServiceToken | Team) -> set[str]:
    """Return the keys of the persons who would gain by a grant to the holder."""
    if isinstance(holder, User):
        return {f"person:{holder.pk}"}
    if isinstance(holder, ServiceToken):
        return {f"person:{holder.created_by_id}"}
    return {f"person:{user_id}" for user_id in Membership.objects.filter(team=holder).values_list("user_id", flat=True)}


def _check_holder(actor: Actor, dataset: Dataset, holder: User | ServiceToken | Team) -> None:
    if person_behind(actor.key) in _people_of(holder):
        raise Forbidden(
            _("Nobody grants access to themselves, their own token or a team they are in. Ask another steward."),
            code="own_grant",
        )
    if isinstance(holder, User):
        inside = Membership.objects.filter(team_id=dataset.team_id, user=holder).exists()
    elif isinstance(holder, ServiceToken):
        inside = holder.team_id == dataset.team_id and holder.revoked_at is None
    else:
        inside = True
    if not inside:
        fault = FieldError("/holder", "unknown_holder", _("There is no such person or token in the team."))
        raise Invalid(_("Some fields are not valid."), errors=[fault])


@transaction.atomic
def grant_create(
    *,
    actor: Actor,
    dataset: Dataset,
    holder: User | ServiceToken | Team,
    level: Level | str,
    reason: str,
    expires_at: datetime,
) -> Grant:
    """Give a person, a token or a team a level on the dataset's frozen splits.

    Never to oneself in any form (`Forbidden`). The reason may not be empty; the end lies ahead, at most a year away.
    """
    policy.require(actor, DatasetAction.GRANT, dataset)
    _check_holder(actor, dataset, holder)
    now = timezone.now()
    errors = []
    if level not in Level.values:
        errors.append(FieldError("/level", "unknown_value", _("Levels are: aggregate, run, questions, read.")))
    if not reason.strip() or len(reason) > 500:
        errors.append(FieldError("/reason", "required", _("Say why, in at most 500 characters.")))
    if not now < expires_at <= now + LONGEST_GRANT:
        errors.append(FieldError("/expires_at", "bad_time", _("The end lies ahead, at most 366 days away.")))
    if errors:
        raise Invalid(_("Some fields are not valid."), errors=errors)
    grant = Grant.objects.create(
        dataset=dataset,
        user=holder if isinstance(holder, User) else None,
        token=holder if isinstance(holder, ServiceToken) else None,
        team=holder if isinstance(holder, Team) else None,
        level=level,
        reason=reason.strip(),
        expires_at=expires_at,
        granted_by_key=actor.key,
        granted_by_label=actor.label[:200],
    )
    audit_record(
        actor=actor,
        action="grant.create",
        obj=grant,
        team_id=dataset.team_id,
        label=f"{dataset.ref}: {grant.holder_label}",
        after={"level": str(level), "reason": reason, "expires_at": expires_at.isoformat()},
    )
    return grant


@transaction.atomic
def grant_revoke(*, actor: Actor, grant: Grant) -> Grant:
    """End a grant now. Raises `Conflict` where it is revoked already."""
    policy.require(actor, DatasetAction.GRANT, grant)
    if not Grant.objects.filter(pk=grant.pk, revoked_at=None).update(revoked_at=timezone.now()):
        raise Conflict(_("The grant is revoked already."), code="moved")
    grant.refresh_from_db()
    audit_record(
        actor=actor,
        action="grant.revoke",
        obj=grant,
        team_id=grant.dataset.team_id,
        label=f"{grant.dataset.ref}: {grant.holder_label}",
        before={"level": grant.level},
    )
    return grant


@transaction.atomic
def exposure_record(
    *,
    actor: Actor,
    version: DatasetVersion,
    split: str,
    use: ExposureUse | str,
    items: int = 0,
    system_ref: str = "",
    run_ref: str = "",
    reason: str = "",
) -> ExposureEntry | None:
    """Enter one use of a frozen split in its ledger; a dev split has none (returns None).

    The caller has asked the policy for the level that the use needs. `run_ref` is an opaque id.
    """
    if split != Split.FROZEN:
        return None
    entry = ExposureEntry.objects.create(
        version=version,
        split=split,
        use=use,
        actor_key=actor.key,
        actor_label=actor.label[:200],
        system_ref=system_ref[:200],
        run_ref=run_ref[:40],
        items=items,
        reason=reason[:500],
        at=timezone.now(),
    )
    audit_record(
        actor=actor,
        action="exposure.record",
        obj=version,
        team_id=version.dataset.team_id,
        label=version.ref,
        after={"use": str(use), "items": items, "system": system_ref, "run": run_ref, "reason": reason},
    )
    return entry


@transaction.atomic
def export_record(*, actor: Actor, version: DatasetVersion, split: str, items: int, reason: str = "") -> None:
    """Enter an export: in the ledger where it exposes frozen items, else in the audit trail alone."""
    if is_exposure(actor, version, split):
        exposure_record(actor=actor, version=version, split=split, use=ExposureUse.EXPORT, items=items, reason=reason)
        return
    audit_record(
        actor=actor,
        action="version.export",
        obj=version,
        team_id=version.dataset.team_id,
        label=version.ref,
        after={"split": split, "items": items},
    )
