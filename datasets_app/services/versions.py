"""Versions: draft → in review → frozen → retired."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import Conflict, FieldError, Forbidden, Invalid
from core_app.services import audit_record
from datasets_app import health
from datasets_app.freezing import content_hash, version_manifest
from datasets_app.models import Dataset, DatasetVersion, Item, VersionEntry
from datasets_app.policies import DatasetAction, policy
from datasets_app.services.base import lock_version
from datasets_app.states import TRANSITIONS, Split, VersionStatus
from teams_app.models import ServiceToken

_OPEN = [VersionStatus.DRAFT, VersionStatus.IN_REVIEW]
_CHUNK = 500


def person_behind(key: str) -> str:
    """Return the key of the person behind an actor's key: a token stands for whoever made it."""
    kind, _separator, number = key.partition(":")
    if kind != "token" or not number.isdigit():
        return key
    maker = ServiceToken.objects.filter(pk=int(number)).values_list("created_by_id", flat=True).first()
    return f"person:{maker}" if maker is not None else key


def version_move(version: DatasetVersion, old: VersionStatus, new: VersionStatus, **fields: Any) -> DatasetVersion:
    """Move a version's status by conditional UPDATE; raises `Conflict` where somebody else was first."""
    if new not in TRANSITIONS[old]:
        raise Conflict(_("A version can't go from %(old)s to %(new)s.") % {"old": old.label, "new": new.label})
    moved = DatasetVersion.objects.filter(pk=version.pk, status=old).update(status=new, **fields)
    if not moved:
        raise Conflict(
            _("Version %(number)s is no longer %(old)s: somebody else was first.")
            % {"number": version.number, "old": old.label},
            code="moved",
        )
    version.refresh_from_db()
    return version


def _audit(actor: Actor, action: str, version: DatasetVersion, old: str, **after: Any) -> None:
    audit_record(
        actor=actor,
        action=action,
        obj=version,
        team_id=version.dataset.team_id,
        label=version.ref,
        before={"status": old},
        after={"status": version.status, **after},
    )


def _expect(version: DatasetVersion, *statuses: VersionStatus) -> VersionStatus:
    status = VersionStatus(version.status)
    if status not in statuses:
        names = ", ".join(str(item.label) for item in statuses)
        raise Conflict(
            _("Version %(number)s is %(status)s; this needs: %(names)s.")
            % {"number": version.number, "status": status.label, "names": names},
            code="wrong_status",
        )
    return status


def _copy_entries(source: DatasetVersion, target: DatasetVersion) -> None:
    rows = VersionEntry.objects.filter(version=source).order_by("id")
    batch: list[VersionEntry] = []
    for row in rows.values("item_id", "revision_id", "split", "tiers", "facets").iterator(chunk_size=_CHUNK):
        batch.append(VersionEntry(version=target, **row))
        if len(batch) == _CHUNK:
            VersionEntry.objects.bulk_create(batch)
            batch.clear()
    VersionEntry.objects.bulk_create(batch)


@transaction.atomic
def draft_get_or_create(*, actor: Actor, dataset: Dataset) -> DatasetVersion:
    """Return the dataset's open version, else begin a new draft from the newest frozen one's entries."""
    policy.require(actor, DatasetAction.EDIT, dataset)
    Dataset.objects.select_for_update().get(pk=dataset.pk)
    versions = DatasetVersion.objects.filter(dataset=dataset).select_related("dataset__team")
    present = versions.filter(status__in=_OPEN).first()
    if present is not None:
        return present
    newest = versions.order_by("-number").first()
    parent = versions.filter(status=VersionStatus.FROZEN).order_by("-number").first() or newest
    try:
        with transaction.atomic():
            draft = DatasetVersion.objects.create(
                dataset=dataset, number=newest.number + 1 if newest else 1, parent=parent
            )
    except IntegrityError:
        raise Conflict(_("Somebody else has just begun the next version."), code="moved") from None
    if parent is not None:
        _copy_entries(parent, draft)
    audit_record(
        actor=actor,
        action="version.begin",
        obj=draft,
        team_id=dataset.team_id,
        label=draft.ref,
        after={"from": parent.number if parent else None},
    )
    return draft


@transaction.atomic
def version_submit(*, actor: Actor, version: DatasetVersion, note: str = "") -> DatasetVersion:
    """Hand a draft in for review: it can no longer be edited until a steward freezes or reopens it."""
    policy.require(actor, DatasetAction.EDIT, version)
    version = lock_version(version)
    _expect(version, VersionStatus.DRAFT)
    version = version_move(
        version,
        VersionStatus.DRAFT,
        VersionStatus.IN_REVIEW,
        submitted_by_key=actor.key,
        note=note.strip() or version.note,
    )
    _audit(actor, "version.submit", version, VersionStatus.DRAFT)
    return version


@transaction.atomic
def version_reopen(*, actor: Actor, version: DatasetVersion, reason: str = "") -> DatasetVersion:
    """Give a version in review back for editing."""
    policy.require(actor, DatasetAction.EDIT, version)
    version = lock_version(version)
    _expect(version, VersionStatus.IN_REVIEW)
    version = version_move(version, VersionStatus.IN_REVIEW, VersionStatus.DRAFT, submitted_by_key="")
    _audit(actor, "version.reopen", version, VersionStatus.IN_REVIEW, reason=reason)
    return version


def _require_checks(version: DatasetVersion, note: str) -> list[health.Check]:
    """Raise `Invalid` where a check forbids freezing, or where one that must be explained has no note."""
    checks = health.check_version(version)
    bad = [check for check in checks if check.severity is health.Severity.BLOCK]
    if bad:
        errors = [FieldError("", check.code, check.message) for check in bad]
        raise Invalid(_("The version can't be frozen yet."), code="checks_failed", errors=errors)
    unexplained = [check for check in checks if check.severity is health.Severity.EXPLAIN]
    if unexplained and not note.strip():
        why = _("Say in the note why this is left as it is.")
        errors = [FieldError("/note", check.code, f"{check.message} {why}") for check in unexplained]
        raise Invalid(why, code="note_required", errors=errors)
    return checks


def _freeze(actor: Actor, version: DatasetVersion, old: VersionStatus, note: str, action: str) -> DatasetVersion:
    """Check, hash, protect and freeze the locked version."""
    checks = _require_checks(version, note)
    now = timezone.now()
    digest = content_hash(version)
    frozen_items = VersionEntry.objects.filter(version=version, split=Split.FROZEN).values("item_id")
    Item.objects.filter(pk__in=frozen_items, protected_at=None).update(protected_at=now)
    version = version_move(
        version,
        old,
        VersionStatus.FROZEN,
        content_sha256=digest,
        manifest=version_manifest(version, checks),
        note=note,
        frozen_by_label=actor.label[:200],
        frozen_at=now,
    )
    _audit(actor, action, version, old, content_sha256=digest, note=note, counts=version.manifest["by_split"])
    return version


def _require_other_person(actor: Actor, version: DatasetVersion) -> None:
    if person_behind(actor.key) == person_behind(version.submitted_by_key):
        raise Forbidden(_("A second steward must approve: you submitted this version yourself."), code="four_eyes")


@transaction.atomic
def version_freeze(*, actor: Actor, version: DatasetVersion, note: str) -> DatasetVersion:
    """Freeze a version for good. Where the team asks for four eyes, the first steward's call only puts it in review.

    Raises `Invalid` with the checks that fail, `Conflict` where the version has moved on, `Forbidden` below steward.
    """
    policy.require(actor, DatasetAction.FREEZE, version)
    version = lock_version(version)
    old = _expect(version, VersionStatus.DRAFT, VersionStatus.IN_REVIEW)
    note = note.strip() or version.note
    if not version.dataset.team.four_eyes:
        return _freeze(actor, version, old, note, "version.freeze")
    if old is VersionStatus.IN_REVIEW:
        raise Conflict(_("The version waits for the approval of a second steward."), code="awaits_approval")
    _require_checks(version, note)
    version = version_move(version, old, VersionStatus.IN_REVIEW, submitted_by_key=actor.key, note=note)
    _audit(actor, "version.submit", version, old, note=note)
    return version


@transaction.atomic
def version_approve(*, actor: Actor, version: DatasetVersion, note: str = "") -> DatasetVersion:
    """Freeze a version in review. Never by the person who submitted it (nor by a token of theirs)."""
    policy.require(actor, DatasetAction.FREEZE, version)
    version = lock_version(version)
    old = _expect(version, VersionStatus.IN_REVIEW)
    _require_other_person(actor, version)
    return _freeze(actor, version, old, note.strip() or version.note, "version.approve")


@transaction.atomic
def version_retire(*, actor: Actor, version: DatasetVersion, reason: str = "") -> DatasetVersion:
    """Retire a frozen version: no new runs on it. Its items stay protected."""
    policy.require(actor, DatasetAction.RETIRE, version)
    version = lock_version(version)
    _expect(version, VersionStatus.FROZEN)
    version = version_move(version, VersionStatus.FROZEN, VersionStatus.RETIRED, retired_at=timezone.now())
    _audit(actor, "version.retire", version, VersionStatus.FROZEN, reason=reason)
    return version
