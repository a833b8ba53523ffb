"""Reading evaluation sets: by reference, by split, and only what the actor may see."""

from __future__ import annotations

from typing import Any

from django.db.models import F, Q, QuerySet
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import NotFound
from datasets_app.imports.native import native_of
from datasets_app.models import Corpus, Dataset, DatasetVersion, ExposureEntry, Snapshot, VersionEntry
from datasets_app.policies import DatasetAction, policy
from datasets_app.states import ExposureState, Split, VersionStatus


def _by_ref(ref: str) -> dict[str, str]:
    team, slash, slug = ref.partition("/")
    return {"team__slug": team, "slug": slug} if slash else {"public_id": ref}


def dataset_by_ref(actor: Actor, ref: str) -> Dataset:
    """Return the dataset with this public id or `team/slug`; raises `NotFound` or `Forbidden`."""
    return policy.get_visible(actor, Dataset.objects.select_related("team", "corpus"), **_by_ref(ref))


def version_by_ref(actor: Actor, ref: str) -> DatasetVersion:
    """Return a version by public id, `team/slug@3`, `@latest` (newest frozen) or `@draft` (the open one)."""
    versions = DatasetVersion.objects.select_related("dataset__team", "dataset__corpus", "parent")
    name, at, which = ref.partition("@")
    if not at:
        return policy.get_visible(actor, versions, public_id=ref)
    dataset = dataset_by_ref(actor, name)
    versions = versions.filter(dataset=dataset)
    if which == "latest":
        versions = versions.filter(status=VersionStatus.FROZEN).order_by("-number")
    elif which == "draft":
        versions = versions.filter(status__in=[VersionStatus.DRAFT, VersionStatus.IN_REVIEW])
    elif which.isdecimal() and len(which) < 9:
        versions = versions.filter(number=int(which))
    else:
        versions = versions.none()
    version = versions.first()
    if version is None:
        raise NotFound(_("The dataset has no version “%(which)s”.") % {"which": which[:40]})
    return version


def corpus_by_ref(actor: Actor, ref: str) -> Corpus:
    """Return the corpus with this public id or `team/slug`."""
    return policy.get_visible(actor, Corpus.objects.select_related("team"), **_by_ref(ref))


def snapshot_by_ref(actor: Actor, ref: str) -> Snapshot:
    """Return the snapshot `team/corpus@name`."""
    name, at, label = ref.partition("@")
    if not at:
        raise NotFound(_("There is no such snapshot; name it as team/corpus@name."))
    corpus = corpus_by_ref(actor, name)
    snapshot = Snapshot.objects.select_related("corpus__team").filter(corpus=corpus, name=label).first()
    if snapshot is None:
        raise NotFound(_("The corpus has no snapshot of that name."))
    return snapshot


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


def exposure_state(version: DatasetVersion, split: str) -> ExposureState:
    """Return how used the split is: by this version or by an earlier one, from which its items came."""
    if version.status == VersionStatus.RETIRED:
        return ExposureState.RETIRED
    used = ExposureEntry.objects.filter(
        version__dataset_id=version.dataset_id, version__number__lte=version.number, split=split
    )
    return ExposureState.IN_USE if split == Split.DEV or used.exists() else ExposureState.UNSEEN
