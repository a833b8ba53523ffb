"""Finding datasets, versions, corpora and snapshots by id or readable reference."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import NotFound
from datasets_app.models import Corpus, Dataset, DatasetVersion, Snapshot
from datasets_app.policies import policy
from datasets_app.states import VersionStatus


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
