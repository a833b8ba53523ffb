"""Versions as pages and REST show them: counts, checks, exposure, differences; lists of datasets with counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, F, QuerySet

from core_app.actors import Actor
from datasets_app import health
from datasets_app.freezing import GROUPINGS, facet_counts
from datasets_app.models import Corpus, Dataset, DatasetVersion, ItemRevision, VersionEntry
from datasets_app.policies import DatasetAction, policy
from datasets_app.selectors.entries import readable_entries
from datasets_app.states import Split, VersionStatus
from teams_app.models import Team


def version_counts(version: DatasetVersion) -> dict[str, Any]:
    """Return {split: {"items": n, "type": {value: n}, "tier": …}}: a frozen version's as stored when it was frozen."""
    if not version.is_open and version.manifest:
        sizes, counts = version.manifest["by_split"], version.manifest["counts"]
    else:
        found = facet_counts(version)
        sizes = {split: groups[""][""] for split, groups in found.items()}
        counts = {split: {name: dict(groups[name]) for name in GROUPINGS} for split, groups in found.items()}
    return {
        split: {"items": sizes.get(split, 0), **counts.get(split, {name: {} for name in GROUPINGS})}
        for split in Split.values
    }


def sees_tests(actor: Actor, version: DatasetVersion) -> bool:
    """Return whether the actor may learn how test items relate to others (a steward who writes them, or `read`)."""
    return policy.can(actor, DatasetAction.EDIT_TEST_ITEMS, version) or policy.may_read_protected(
        actor, version.dataset
    )


def version_checks(actor: Actor, version: DatasetVersion) -> list[dict[str, Any]]:
    """Return the checks that the actor may see: `code, severity, title, message, mend, count, entries`.

    `entries` are up to 50 entries behind a check, readable ones only. What compares dev with the test split is left out
    for those who may not see test items: its count alone would confirm a guess.
    """
    if not version.is_open:
        return [
            {
                "code": row["code"],
                "severity": row["severity"],
                "title": str(health.TITLES.get(row["code"], row["code"])),
                "message": row.get("message", ""),
                "mend": "",
                "count": row["count"],
                "entries": [],
            }
            for row in version.manifest.get("checks", [])
        ]
    checks = health.check_version(version)
    if not sees_tests(actor, version):
        checks = [check for check in checks if not check.across]
    shown = {entry_id for check in checks for entry_id in check.entry_ids[:50]}
    readable = readable_entries(actor, version).filter(pk__in=shown).select_related("item")
    entries = {entry.pk: entry for entry in readable}
    return [
        {
            "code": check.code,
            "severity": check.severity.value,
            "title": check.title,
            "message": check.message,
            "mend": check.mend,
            "count": check.count,
            "entries": [entries[pk] for pk in check.entry_ids[:50] if pk in entries],
        }
        for check in checks
    ]


@dataclass(slots=True)
class DatasetRow:
    """A dataset in a list: its newest version, its newest frozen one, and the sizes of the newest one's splits."""

    dataset: Dataset
    newest: DatasetVersion | None = None
    latest_frozen: DatasetVersion | None = None
    versions: int = 0
    sizes: dict[str, int] = field(default_factory=dict)


def datasets_of(actor: Actor, team: Team | None = None) -> QuerySet[Dataset]:
    """Return the datasets that the actor may see, by team and name."""
    datasets = policy.visible_to(actor, Dataset.objects.select_related("team", "corpus__team"))
    return datasets.filter(team=team) if team is not None else datasets


def dataset_rows(datasets: Iterable[Dataset]) -> list[DatasetRow]:
    """Return the rows of a list, in two queries whatever its length."""
    rows = {dataset.pk: DatasetRow(dataset) for dataset in datasets}
    for version in DatasetVersion.objects.filter(dataset_id__in=list(rows)).order_by("-number"):
        row = rows[version.dataset_id]
        row.versions += 1
        row.newest = row.newest or version
        if version.status == VersionStatus.FROZEN:
            row.latest_frozen = row.latest_frozen or version
    newest = {row.newest.pk: row for row in rows.values() if row.newest is not None}
    counts = VersionEntry.objects.filter(version_id__in=list(newest)).order_by().values("version_id", "split")
    for count in counts.annotate(n=Count("id")):
        newest[count["version_id"]].sizes[count["split"]] = count["n"]
    return list(rows.values())


def corpora_of(actor: Actor, team: Team | None = None) -> QuerySet[Corpus]:
    """Return the corpora that the actor may see, with counts of documents and snapshots."""
    corpora = policy.visible_to(actor, Corpus.objects.select_related("team"))
    corpora = corpora.annotate(
        document_count=Count("documents", distinct=True), snapshot_count=Count("snapshots", distinct=True)
    )
    return corpora.filter(team=team) if team is not None else corpora


@dataclass(frozen=True, slots=True)
class Difference:
    """One item that differs between two versions. Of an item that the actor may not read: its id and hashes alone."""

    change: str
    item_id: str
    external_id: str = ""
    before_sha256: str = ""
    after_sha256: str = ""
    fields: tuple[str, ...] = ()


def _placements(version: DatasetVersion) -> dict[int, tuple[str, str, str, tuple[str, ...], str, int]]:
    rows = VersionEntry.objects.filter(version=version).annotate(opaque=F("item__public_id")).order_by()
    names = ("item_id", "opaque", "item__external_id", "split", "tiers", "revision__content_sha256", "revision_id")
    return {
        item_id: (opaque, external_id, split, tuple(tiers), digest, revision_id)
        for item_id, opaque, external_id, split, tiers, digest, revision_id in rows.values_list(*names)
    }


def version_diff(actor: Actor, old: DatasetVersion, new: DatasetVersion) -> list[Difference]:
    """Return what was added, removed and changed from `old` to `new`, by external id."""
    before, after = _placements(old), _placements(new)
    readable = set(readable_entries(actor, old).values_list("item_id", flat=True)) & set(before)
    readable_new = set(readable_entries(actor, new).values_list("item_id", flat=True))
    common = [item_id for item_id in before if item_id in after and before[item_id][2:5] != after[item_id][2:5]]
    shown = [item_id for item_id in common if item_id in readable and item_id in readable_new]
    revisions = {before[item_id][5] for item_id in shown} | {after[item_id][5] for item_id in shown}
    contents: dict[int, dict[str, Any]] = {}
    listed = sorted(revisions)
    for start in range(0, len(listed), 500):
        part = ItemRevision.objects.filter(pk__in=listed[start : start + 500])
        contents |= dict(part.values_list("pk", "content"))
    rows = []
    for item_id in common:
        a, b = before[item_id], after[item_id]
        fields: list[str] = []
        visible = item_id in readable and item_id in readable_new
        if visible:
            x, y = contents[a[5]], contents[b[5]]
            fields = sorted(key for key in {*x, *y} if x.get(key) != y.get(key))
            fields += [name for name, index in (("split", 2), ("tiers", 3)) if a[index] != b[index]]
        rows.append(Difference("changed", a[0], a[1] if visible else "", a[4], b[4], tuple(fields)))
    for item_id in after.keys() - before.keys():
        b = after[item_id]
        rows.append(Difference("added", b[0], b[1] if item_id in readable_new else "", "", b[4]))
    for item_id in before.keys() - after.keys():
        a = before[item_id]
        rows.append(Difference("removed", a[0], a[1] if item_id in readable else "", a[4], ""))
    return sorted(rows, key=lambda row: (row.external_id == "", row.external_id, row.item_id))
