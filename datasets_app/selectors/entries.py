"""Entries of a version: by split and filters, and only what the actor may see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import FieldError, Invalid
from datasets_app.imports.native import native_of
from datasets_app.models import DatasetVersion, VersionEntry
from datasets_app.policies import DatasetAction, policy
from datasets_app.states import Level, Split

#: Filter name → the prefix under which entries keep the value in their facets.
FACETS = {"type": "type", "tier": "tier", "tag": "tag", "language": "lang", "source": "source"}


def entries_of(version: DatasetVersion, split: str, tier: str = "") -> QuerySet[VersionEntry]:
    """Return the split's entries in a fixed order, with item and revision; the caller asks who may see them."""
    entries = VersionEntry.objects.filter(version=version, split=split)
    if tier:
        entries = entries.filter(facets__contains=f"|tier:{tier}|")
    return entries.select_related("item", "revision").order_by("id")


def native_item(entry: VersionEntry) -> dict[str, Any]:
    """Return the native item (docs/datasets.md), with external id, split and tiers."""
    return native_of(entry.item.external_id, entry.revision.content, entry.split, entry.tiers)


def readable_entries(actor: Actor, version: DatasetVersion) -> QuerySet[VersionEntry]:
    """Return the entries whose text the actor may see (`policy.may_read_item` as a filter)."""
    entries = VersionEntry.objects.filter(version=version)
    dataset = version.dataset
    if not policy.can(actor, DatasetAction.VIEW, dataset):
        return entries.none()
    if policy.may_read_protected(actor, dataset):
        return entries
    entries = entries.filter(Q(item__protected_at=None) | Q(item__released_at__isnull=False))
    if version.is_open and policy.can(actor, DatasetAction.EDIT_TEST_ITEMS, dataset):
        return entries
    return entries.filter(split=Split.DEV)


def question_entries(version: DatasetVersion, split: str) -> QuerySet[VersionEntry]:
    """Return the split's entries ordered by their random opaque ids, which tell nothing of how they were written."""
    return entries_of(version, split).annotate(opaque=F("item__public_id")).order_by("opaque")


def is_exposure(actor: Actor, version: DatasetVersion, split: str) -> bool:
    """Return whether the actor's reading of the split is an exposure: it may show items that are frozen, or were.

    A steward without `read` sees only test items of a draft that were never frozen: that is writing, not exposure.
    """
    if split != Split.FROZEN or not policy.may_read_protected(actor, version.dataset):
        return False
    protected = VersionEntry.objects.filter(version=version, split=split, item__protected_at__isnull=False)
    return not version.is_open or protected.filter(item__released_at=None).exists()


def require_split_readable(actor: Actor, version: DatasetVersion, split: str) -> None:
    """Raise `Forbidden` where the actor may see no item of the split.

    A frozen test split needs `read`; in a draft a steward sees the test items that were never frozen.
    """
    policy.require(actor, DatasetAction.VIEW, version)
    if split not in Split.values:
        detail = _("The split is “dev” or “frozen”.")
        raise Invalid(detail, errors=[FieldError("/split", "unknown_value", detail)])
    if split == Split.DEV:
        return
    if version.is_open and policy.can(actor, DatasetAction.EDIT_TEST_ITEMS, version):
        return
    policy.require_level(actor, version.dataset, Level.READ)


def filtered(entries: QuerySet[VersionEntry], filters: Mapping[str, str]) -> QuerySet[VersionEntry]:
    """Narrow entries by `split`, by any of FACETS and by `q`, a part of the question or the external id."""
    if filters.get("split"):
        entries = entries.filter(split=filters["split"])
    for name, prefix in FACETS.items():
        if filters.get(name):
            entries = entries.filter(facets__contains=f"|{prefix}:{filters[name]}|")
    text = filters.get("q", "").strip()
    if text:
        entries = entries.filter(Q(revision__question__icontains=text) | Q(item__external_id__icontains=text))
    return entries


def readable_split(
    actor: Actor, version: DatasetVersion, split: str, filters: Mapping[str, str]
) -> QuerySet[VersionEntry]:
    """Return the split's entries that the actor may see, filtered; raises `Forbidden` where there can be none."""
    require_split_readable(actor, version, split)
    entries = readable_entries(actor, version).select_related("item", "revision")
    return filtered(entries, {**filters, "split": split}).order_by("id")
