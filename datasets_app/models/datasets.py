"""Datasets, versions, items and their revisions.

A version is a set of entries; an entry places one immutable item revision in a split and in tiers. Freezing hashes the
sorted entries; from then on triggers refuse any change of the version, its entries and their revisions.
"""

import secrets

from django.db import models
from django.utils.translation import gettext_lazy as _

from core_app.ids import new_id
from datasets_app.models.corpora import Corpus
from datasets_app.states import Split, VersionStatus
from teams_app.models import Team, slug_validator


def new_item_id() -> str:
    return new_id("item")


def new_nonce() -> str:
    """Return 128 random bits as 32 hex digits."""
    return secrets.token_hex(16)


def new_dataset_id() -> str:
    return new_id("ds")


class Dataset(models.Model):
    """An evaluation set through its versions."""

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_dataset_id)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="datasets", verbose_name=_("team"))
    slug = models.CharField(_("short name"), max_length=50, validators=[slug_validator])
    name = models.CharField(_("name"), max_length=200)
    language = models.CharField(_("main language"), max_length=16, blank=True)
    description = models.TextField(_("description"), blank=True)
    corpus = models.ForeignKey(
        Corpus, on_delete=models.PROTECT, null=True, blank=True, related_name="datasets", verbose_name=_("corpus")
    )
    #: Smallest group whose aggregate is shown on a frozen split (governance: the disclosure limit k).
    disclosure_limit = models.PositiveSmallIntegerField(_("disclosure limit"), default=5)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("dataset")
        verbose_name_plural = _("datasets")
        ordering = ["team_id", "slug"]
        constraints = [
            models.UniqueConstraint(fields=["team", "slug"], name="datasets_dataset_slug_once"),
            models.CheckConstraint(condition=models.Q(disclosure_limit__gte=2), name="datasets_dataset_limit"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def ref(self) -> str:
        return f"{self.team.slug}/{self.slug}"


def new_datasetversion_id() -> str:
    return new_id("dsv")


class DatasetVersion(models.Model):
    """One version; numbers count from 1. At most one draft or version in review at a time."""

    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_datasetversion_id)
    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="versions", verbose_name=_("dataset"))
    number = models.PositiveIntegerField(_("number"))
    status = models.CharField(_("status"), max_length=16, choices=VersionStatus.choices, default=VersionStatus.DRAFT)
    parent = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, related_name="children", verbose_name=_("begun from")
    )
    note = models.TextField(_("note"), blank=True)
    content_sha256 = models.CharField(_("sha256"), max_length=64, blank=True)
    #: Counts by split, tier, type and language as they were at freezing, and the groupings that may be used.
    manifest = models.JSONField(_("manifest"), default=dict)
    submitted_by_key = models.CharField(_("submitted by"), max_length=80, blank=True)
    frozen_by_label = models.CharField(_("frozen by"), max_length=200, blank=True)
    frozen_at = models.DateTimeField(_("frozen"), null=True)
    retired_at = models.DateTimeField(_("retired"), null=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("dataset version")
        verbose_name_plural = _("dataset versions")
        ordering = ["dataset_id", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["dataset", "number"], name="datasets_version_number_once"),
            models.UniqueConstraint(
                fields=["dataset"],
                condition=models.Q(status__in=[VersionStatus.DRAFT, VersionStatus.IN_REVIEW]),
                name="datasets_version_one_open",
            ),
            models.CheckConstraint(condition=models.Q(status__in=VersionStatus.values), name="datasets_version_status"),
        ]

    def __str__(self) -> str:
        return f"{self.dataset.name} @{self.number}"

    @property
    def ref(self) -> str:
        return f"{self.dataset.ref}@{self.number}"

    @property
    def is_open(self) -> bool:
        return self.status in {VersionStatus.DRAFT, VersionStatus.IN_REVIEW}


class Item(models.Model):
    """A question through its revisions. `protected_at`: once frozen in a test split; released only by a steward."""

    dataset = models.ForeignKey(Dataset, on_delete=models.PROTECT, related_name="items", verbose_name=_("dataset"))
    external_id = models.CharField(_("external id"), max_length=200)
    public_id = models.CharField(_("id"), max_length=40, unique=True, default=new_item_id)
    protected_at = models.DateTimeField(_("protected since"), null=True)
    released_at = models.DateTimeField(_("released"), null=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("item")
        verbose_name_plural = _("items")
        ordering = ["dataset_id", "external_id"]
        constraints = [models.UniqueConstraint(fields=["dataset", "external_id"], name="datasets_item_once")]

    def __str__(self) -> str:
        return self.external_id

    @property
    def is_protected(self) -> bool:
        return self.protected_at is not None and self.released_at is None


class ItemRevision(models.Model):
    """One wording of an item with its gold: never changed once written (triggers).

    `content` is the native item without `external_id`, `split` and `tiers`; the other columns repeat what is filtered
    by. `content_sha256` is taken over canonical JSON of content and nonce.
    """

    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="revisions", verbose_name=_("item"))
    number = models.PositiveIntegerField(_("number"))
    question = models.TextField(_("question"))
    content = models.JSONField(_("content"))
    nonce = models.CharField(_("nonce"), max_length=32, default=new_nonce)
    content_sha256 = models.CharField(_("sha256"), max_length=64)
    language = models.CharField(_("language"), max_length=16, blank=True)
    answerable = models.BooleanField(_("answerable"), default=True)
    cluster = models.CharField(_("cluster"), max_length=200, blank=True)
    source = models.CharField(_("source"), max_length=20, blank=True)
    created_by_label = models.CharField(_("written by"), max_length=200)
    #: The person who wrote or approved this wording here. A language model's question needs one before freezing.
    reviewed_by_label = models.CharField(_("reviewed by"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("written"), auto_now_add=True)

    class Meta:
        verbose_name = _("item revision")
        verbose_name_plural = _("item revisions")
        ordering = ["item_id", "-number"]
        constraints = [models.UniqueConstraint(fields=["item", "number"], name="datasets_revision_once")]

    def __str__(self) -> str:
        return f"{self.item.external_id} r{self.number}"


class VersionEntry(models.Model):
    """Places a revision in a version: its split and tiers. `facets` serves filters: `|type:fact|tier:smoke|tag:x|`."""

    version = models.ForeignKey(
        DatasetVersion, on_delete=models.CASCADE, related_name="entries", verbose_name=_("version")
    )
    item = models.ForeignKey(Item, on_delete=models.PROTECT, related_name="entries", verbose_name=_("item"))
    revision = models.ForeignKey(
        ItemRevision, on_delete=models.PROTECT, related_name="entries", verbose_name=_("revision")
    )
    split = models.CharField(_("split"), max_length=16, choices=Split.choices)
    tiers = models.JSONField(_("tiers"), default=list)
    facets = models.TextField(_("facets"), blank=True)

    class Meta:
        verbose_name = _("entry")
        verbose_name_plural = _("entries")
        ordering = ["version_id", "id"]
        constraints = [
            models.UniqueConstraint(fields=["version", "item"], name="datasets_entry_once"),
            models.CheckConstraint(condition=models.Q(split__in=Split.values), name="datasets_entry_split"),
        ]
        indexes = [models.Index(fields=["version", "split", "id"], name="datasets_entry_by_split")]

    def __str__(self) -> str:
        return f"{self.item.external_id} ({self.split})"
