"""Items of a draft: importing many, editing, approving or removing one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from django.db import transaction
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import DomainError, FieldError, Forbidden, Invalid, NotFound
from core_app.services import audit_record
from datasets_app.freezing import revision_hash
from datasets_app.imports.native import native_of
from datasets_app.imports.plan import CHUNK, Plan, PlannedRow, RowError, plan_import, plan_stream
from datasets_app.models import Dataset, DatasetVersion, Item, ItemRevision, VersionEntry
from datasets_app.models.datasets import new_nonce
from datasets_app.policies import DatasetAction, policy
from datasets_app.services.base import lock_draft
from datasets_app.services.versions import draft_get_or_create
from datasets_app.states import Split

MAX_REPORTED = 1000


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item that a re-import changes, and the fields that differ (empty where the actor may not read the item)."""

    line: int
    external_id: str
    fields: list[str]


@dataclass(slots=True)
class ImportReport:
    """What an import did, or with `dry_run` would do. `refused` and `changes` hold the first 1000."""

    dry_run: bool
    version: str = ""
    accepted: int = 0
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused_rows: int = 0
    refused: list[RowError] = field(default_factory=list)
    changes: list[ItemChange] = field(default_factory=list)
    by_split: dict[str, int] = field(default_factory=dict)
    by_type: dict[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {
            "dry_run": self.dry_run,
            "version": self.version,
            "accepted": self.accepted,
            "created": self.created,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "refused_rows": self.refused_rows,
            "refused": [
                {name: getattr(row, name) for name in ("line", "external_id", "pointer", "code", "detail")}
                for row in self.refused
            ],
            "changes": [
                {"line": row.line, "external_id": row.external_id, "fields": row.fields} for row in self.changes
            ],
            "by_split": self.by_split,
            "by_type": self.by_type,
        }


class ImportRefused(Invalid):
    """Rows were refused and the import was to be whole: nothing is written. `report` tells the rest."""

    code = "rows_refused"

    def __init__(self, report: ImportReport) -> None:
        errors = [FieldError(row.pointer, row.code, row.detail, line=row.line) for row in report.refused]
        detail = _("%(count)s rows are refused; nothing is imported.") % {"count": report.refused_rows}
        super().__init__(detail, errors=errors, refused_rows=report.refused_rows)
        self.report = report


def _count(report: ImportReport, plan: Plan, *, may_read: bool) -> None:
    """Add a chunk's rows and refusals to the report."""
    report.accepted += len(plan.rows)
    report.refused_rows += plan.refused_lines
    report.refused += plan.errors[: MAX_REPORTED - len(report.refused)]
    for row in plan.rows:
        report.by_split[row.split] = report.by_split.get(row.split, 0) + 1
        for kind in row.item.content.get("types", ()):
            report.by_type[kind] = report.by_type.get(kind, 0) + 1
        if row.is_new:
            report.created += 1
        elif not row.changes:
            report.unchanged += 1
        else:
            report.updated += 1
            if len(report.changes) < MAX_REPORTED:
                hidden = row.standing is not None and row.standing.protected and not may_read
                fields = [] if hidden else row.changed_fields()
                report.changes.append(ItemChange(row.line, row.item.external_id, fields))


def _new_revision(row: PlannedRow, item_id: int, actor: Actor, *, reviewed: bool) -> ItemRevision:
    content = row.item.content
    nonce = row.item.nonce or new_nonce()
    return ItemRevision(
        item_id=item_id,
        number=(row.standing.last_number if row.standing else 0) + 1,
        question=content["question"],
        content=content,
        nonce=nonce,
        content_sha256=revision_hash(content, nonce),
        language=content.get("language", ""),
        answerable=content["answerable"],
        cluster=content.get("cluster", ""),
        source=content.get("source", ""),
        created_by_label=actor.label[:200],
        reviewed_by_label=actor.label[:200] if reviewed else row.reviewed_by,
    )


def _write(version: DatasetVersion, rows: list[PlannedRow], actor: Actor, *, reviewed: bool = False) -> None:
    """Write the planned rows: new items, then revisions, then entries, each in bulk."""
    rows = [row for row in rows if row.changes or reviewed]
    fresh = [row for row in rows if row.standing is None]
    made = Item.objects.bulk_create(
        [Item(dataset_id=version.dataset_id, external_id=row.item.external_id) for row in fresh], batch_size=CHUNK
    )
    item_ids = {row.line: item.pk for row, item in zip(fresh, made, strict=True)}
    item_ids |= {row.line: row.standing.item_id for row in rows if row.standing is not None}
    changed = [row for row in rows if row.new_content or reviewed]
    revisions = ItemRevision.objects.bulk_create(
        [_new_revision(row, item_ids[row.line], actor, reviewed=reviewed) for row in changed], batch_size=CHUNK
    )
    revision_ids = {row.line: revision.pk for row, revision in zip(changed, revisions, strict=True)}
    entries = [
        VersionEntry(
            version=version,
            item_id=item_ids[row.line],
            revision_id=revision_ids.get(row.line) or row.present_revision_id,
            split=row.split,
            tiers=row.item.tiers,
            facets=row.facets,
        )
        for row in rows
    ]
    VersionEntry.objects.bulk_create(
        [entry for entry, row in zip(entries, rows, strict=True) if row.is_new], batch_size=CHUNK
    )
    VersionEntry.objects.bulk_create(
        [entry for entry, row in zip(entries, rows, strict=True) if not row.is_new],
        batch_size=CHUNK,
        update_conflicts=True,
        unique_fields=["version", "item"],
        update_fields=["revision", "split", "tiers", "facets"],
    )


def _refuse(report: ImportReport) -> DomainError:
    """Return the error for a whole import that may not be: 403 where a right is what is missing, else 422."""
    missing = [row for row in report.refused if row.code == "needs_steward"]
    if not missing:
        return ImportRefused(report)
    errors = [FieldError(row.pointer, row.code, row.detail, line=row.line) for row in missing]
    return Forbidden(
        _("Only a steward may add, change or move items of the frozen test split. Nothing is imported."),
        code="needs_steward",
        errors=errors,
    )


@transaction.atomic
def items_import(
    *,
    actor: Actor,
    version: DatasetVersion,
    rows: Iterable[tuple[int, Any]],
    default_split: str | None = None,
    on_error: Literal["abort", "skip"] = "abort",
    dry_run: bool = False,
) -> ImportReport:
    """Import native items into a draft: `rows` are (line number, decoded JSON).

    Items are matched by `external_id`: a new one is created, a known one gets a new revision where its content differs.
    `abort` writes nothing where any row is refused (raises `ImportRefused`, or `Forbidden` where rows of the test split
    need a steward); `skip` writes the good rows. `dry_run` writes nothing and raises neither.
    """
    policy.require(actor, DatasetAction.EDIT, version)
    if default_split is not None and default_split not in Split.values:
        fault = FieldError("/split", "unknown_value", _("The split is “dev” or “frozen”."))
        raise Invalid(_("Some fields are not valid."), errors=[fault])
    version = lock_draft(version)
    may_read = policy.may_read_protected(actor, version.dataset)
    report = ImportReport(dry_run=dry_run, version=version.ref)
    for plan in plan_stream(
        version=version,
        rows=rows,
        default_split=default_split,
        may_edit_tests=policy.can(actor, DatasetAction.EDIT_TEST_ITEMS, version),
        may_read_protected=may_read,
    ):
        _count(report, plan, may_read=may_read)
        if not dry_run and (on_error == "skip" or not report.refused_rows):
            _write(version, plan.rows, actor)
    report.refused.sort(key=lambda error: error.line)
    if dry_run:
        return report
    if report.refused_rows and on_error != "skip":
        raise _refuse(report)
    audit_record(
        actor=actor,
        action="items.import",
        obj=version,
        team_id=version.dataset.team_id,
        label=version.ref,
        after={
            "created": report.created,
            "updated": report.updated,
            "unchanged": report.unchanged,
            "refused": report.refused_rows,
            "by_split": report.by_split,
        },
    )
    return report


@transaction.atomic
def dataset_import(
    *,
    actor: Actor,
    dataset: Dataset,
    rows: Iterable[tuple[int, Any]],
    default_split: str | None = None,
    on_error: Literal["abort", "skip"] = "abort",
    dry_run: bool = False,
) -> ImportReport:
    """Import into the dataset's draft, which is begun where there is none; a dry run leaves no draft behind."""
    version = draft_get_or_create(actor=actor, dataset=dataset)
    report = items_import(
        actor=actor,
        version=version,
        rows=rows,
        default_split=default_split,
        on_error=on_error,
        dry_run=dry_run,
    )
    if dry_run:
        transaction.set_rollback(True)
    return report


def _entry_for_edit(actor: Actor, version: DatasetVersion, item: Item) -> tuple[DatasetVersion, VersionEntry]:
    policy.require(actor, DatasetAction.EDIT, version)
    version = lock_draft(version)
    entry = VersionEntry.objects.filter(version=version, item=item).select_related("item", "revision").first()
    if entry is None:
        raise NotFound(_("The version has no such item."))
    if entry.split == Split.FROZEN or entry.item.is_protected:
        policy.require(actor, DatasetAction.EDIT_TEST_ITEMS, version)
    return version, entry


def _audit_item(actor: Actor, action: str, version: DatasetVersion, entry: VersionEntry, after: dict[str, Any]) -> None:
    """Record an act on one item; a test item is named by its opaque id alone."""
    item = entry.item
    is_test = item.is_protected or entry.split == Split.FROZEN
    audit_record(
        actor=actor,
        action=action,
        obj=item,
        team_id=version.dataset.team_id,
        label=f"{version.ref} {item.public_id if is_test else item.external_id}",
        after={"version": version.ref, **after},
    )


def _revise(actor: Actor, version: DatasetVersion, entry: VersionEntry, native: Any, action: str) -> VersionEntry:
    if isinstance(native, Mapping) and native.get("external_id", entry.item.external_id) != entry.item.external_id:
        fault = FieldError("/external_id", "fixed", _("An item keeps its external_id."))
        raise Invalid(_("Some fields are not valid."), errors=[fault])
    if isinstance(native, Mapping):
        native = {**native, "external_id": entry.item.external_id}
        native.pop("nonce", None)
    plan = plan_import(
        version=version,
        rows=[(1, native)],
        default_split=None,
        may_edit_tests=policy.can(actor, DatasetAction.EDIT_TEST_ITEMS, version),
        may_read_protected=policy.may_read_protected(actor, version.dataset),
    )
    if plan.errors:
        errors = [FieldError(row.pointer, row.code, row.detail) for row in plan.errors]
        raise Invalid(_("Some fields are not valid."), errors=errors)
    row = plan.rows[0]
    hidden = entry.item.is_protected and not policy.may_read_protected(actor, version.dataset)
    fields = [] if hidden else row.changed_fields()
    _write(version, [row], actor, reviewed=actor.is_person and (action == "item.approve" or not row.same_question))
    _audit_item(actor, action, version, entry, {"fields": fields, "split": row.split})
    return VersionEntry.objects.select_related("item", "revision").get(pk=entry.pk)


@transaction.atomic
def item_edit(*, actor: Actor, version: DatasetVersion, item: Item, native: Mapping[str, Any]) -> VersionEntry:
    """Replace an item of a draft by the given native item; a person's new wording of the question is reviewed.

    Raises `Invalid` naming the fields, `Conflict` unless the version is a draft, `Forbidden` on a test item for anybody
    below steward.
    """
    version, entry = _entry_for_edit(actor, version, item)
    return _revise(actor, version, entry, native, "item.edit")


@transaction.atomic
def item_approve(*, actor: Actor, version: DatasetVersion, item: Item) -> VersionEntry:
    """Approve an item's wording as it stands (needed before freezing for questions that a language model wrote)."""
    version, entry = _entry_for_edit(actor, version, item)
    if not actor.is_person:
        raise Forbidden(_("Only a person can approve a question."))
    if not policy.may_read_item(actor, version, entry.item, entry.split):
        raise Forbidden(_("You can't approve what you may not read."), code="level_required")
    native = native_of(entry.item.external_id, entry.revision.content, entry.split, entry.tiers)
    return _revise(actor, version, entry, native, "item.approve")


@transaction.atomic
def item_remove(*, actor: Actor, version: DatasetVersion, item: Item) -> None:
    """Take an item out of a draft. Its revisions stay, and so does its protection."""
    version, entry = _entry_for_edit(actor, version, item)
    perturbed = VersionEntry.objects.filter(version=version, revision__content__perturbs__external_id=item.external_id)
    names = sorted(perturbed.exclude(item=item).values_list("item__external_id", flat=True)[:5])
    if names:
        raise Invalid(
            _("Other items of this version are perturbations of this one. Remove or change them first."),
            code="is_original",
        )
    _audit_item(actor, "item.remove", version, entry, {"split": entry.split})
    entry.delete()
