"""Evaluation sets in the admin: searchable, and read-only wherever history must stay.

The admin implies no right to read a frozen split. What carries an item's text is left out for items that the person may
not read, so superusers see what `read` lets them see.
"""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from datasets_app.models import (
    Corpus,
    Dataset,
    DatasetVersion,
    Document,
    DocumentVersion,
    ExposureBudget,
    ExposureEntry,
    ExposureExtension,
    Grant,
    Item,
    ItemRevision,
    Snapshot,
    VersionEntry,
)
from datasets_app.policies import policy


class RecordAdmin(admin.ModelAdmin):
    """Rows that pages and services write: the admin shows them and changes nothing."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)


@admin.register(Dataset)
class DatasetAdmin(RecordAdmin):
    list_display = ["name", "team", "slug", "language", "corpus", "created_at"]
    list_filter = ["team", "language"]
    search_fields = ["name", "slug", "public_id"]
    list_select_related = ["team", "corpus"]


@admin.register(DatasetVersion)
class DatasetVersionAdmin(RecordAdmin):
    list_display = ["dataset", "number", "status", "content_sha256", "frozen_by_label", "frozen_at"]
    list_filter = ["status", "dataset__team"]
    search_fields = ["dataset__name", "dataset__slug", "public_id", "content_sha256"]
    list_select_related = ["dataset"]


@admin.register(Item)
class ItemAdmin(RecordAdmin):
    list_display = ["public_id", "dataset", "protected_at", "released_at", "created_at"]
    list_filter = ["dataset__team", ("protected_at", admin.EmptyFieldListFilter)]
    search_fields = ["public_id", "external_id", "dataset__slug"]
    list_select_related = ["dataset"]
    fields = ["public_id", "dataset", "protected_at", "released_at", "created_at"]


def _is_test_item(revision: ItemRevision) -> bool:
    """Return whether the revision belongs to a protected item, or stands in a test split anywhere."""
    return revision.item.is_protected or revision.entries.filter(split="frozen").exists()


@admin.register(ItemRevision)
class ItemRevisionAdmin(RecordAdmin):
    """Searched by ids and hashes alone: a search through the text would answer guesses about frozen items."""

    list_display = ["item_id_shown", "dataset", "number", "language", "source", "answerable", "content_sha256"]
    list_filter = ["language", "source", "answerable"]
    search_fields = ["item__public_id", "content_sha256"]
    list_select_related = ["item__dataset"]

    def get_fields(self, request: HttpRequest, obj: ItemRevision | None = None) -> list[str]:
        shown = ["item_id_shown", "dataset", "number", "language", "source", "content_sha256"]
        shown += ["created_by_label", "reviewed_by_label", "created_at"]
        if obj is None:
            return shown
        may_read = policy.may_read_protected(request.actor, obj.item.dataset)  # type: ignore[attr-defined]
        return [*shown, "nonce", "question", "content"] if may_read or not _is_test_item(obj) else [*shown, "withheld"]

    @admin.display(description=_("item"))
    def item_id_shown(self, obj: ItemRevision) -> str:
        return obj.item.public_id

    @admin.display(description=_("dataset"))
    def dataset(self, obj: ItemRevision) -> str:
        return str(obj.item.dataset)

    @admin.display(description=_("content"))
    def withheld(self, obj: ItemRevision) -> str:
        return str(_("Withheld: this item belongs to a test split, and reading it needs the level “read”."))


@admin.register(VersionEntry)
class VersionEntryAdmin(RecordAdmin):
    list_display = ["id", "version", "item_id_shown", "split"]
    list_filter = ["split", "version__dataset__team"]
    search_fields = ["item__public_id", "version__public_id"]
    list_select_related = ["version__dataset", "item"]
    fields = ["version", "item_id_shown", "split"]

    @admin.display(description=_("item"))
    def item_id_shown(self, obj: VersionEntry) -> str:
        return obj.item.public_id


@admin.register(Grant)
class GrantAdmin(RecordAdmin):
    list_display = ["dataset", "holder_label", "level", "granted_by_label", "expires_at", "revoked_at"]
    list_filter = ["level", "dataset__team"]
    search_fields = ["dataset__slug", "user__username", "token__name", "team__slug", "reason"]
    list_select_related = ["dataset", "user", "token", "team"]


@admin.register(ExposureEntry)
class ExposureEntryAdmin(RecordAdmin):
    list_display = ["at", "version", "use", "actor_label", "system_ref", "run_ref", "items"]
    list_filter = ["use", "version__dataset__team"]
    search_fields = ["actor_label", "run_ref", "system_ref", "version__public_id"]
    list_select_related = ["version__dataset"]


@admin.register(ExposureBudget)
class ExposureBudgetAdmin(RecordAdmin):
    list_display = ["version", "runs_per_period", "period_days", "runs_lifetime", "rotate_on", "updated_at"]
    list_filter = ["version__dataset__team"]
    search_fields = ["version__public_id", "version__dataset__slug"]
    list_select_related = ["version__dataset"]


@admin.register(ExposureExtension)
class ExposureExtensionAdmin(RecordAdmin):
    list_display = ["at", "version", "runs", "actor_label", "reason"]
    list_filter = ["version__dataset__team"]
    search_fields = ["actor_label", "reason", "version__public_id"]
    list_select_related = ["version__dataset"]


@admin.register(Corpus)
class CorpusAdmin(RecordAdmin):
    list_display = ["name", "team", "slug", "created_at"]
    list_filter = ["team"]
    search_fields = ["name", "slug", "public_id"]
    list_select_related = ["team"]


@admin.register(Document)
class DocumentAdmin(RecordAdmin):
    list_display = ["doc_id", "title", "corpus", "language"]
    list_filter = ["corpus", "language"]
    search_fields = ["doc_id", "title"]
    list_select_related = ["corpus"]


@admin.register(DocumentVersion)
class DocumentVersionAdmin(RecordAdmin):
    list_display = ["document", "version_id", "length", "valid_from", "valid_to", "withdrawn_at"]
    list_filter = ["document__corpus"]
    search_fields = ["document__doc_id", "document__title", "version_id", "text_sha256"]
    list_select_related = ["document"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[DocumentVersion]:
        return super().get_queryset(request).defer("text")


@admin.register(Snapshot)
class SnapshotAdmin(RecordAdmin):
    list_display = ["corpus", "name", "as_of", "content_sha256"]
    list_filter = ["corpus__team"]
    search_fields = ["name", "corpus__slug"]
    list_select_related = ["corpus"]
