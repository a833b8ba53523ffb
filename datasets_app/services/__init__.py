"""Every write of this app. Each is atomic and ends with one audit event."""

from datasets_app.services.access import export_record, exposure_record, grant_create, grant_revoke
from datasets_app.services.corpora import (
    DocumentReport,
    corpus_create,
    documents_import,
    snapshot_create,
)
from datasets_app.services.datasets import dataset_create, dataset_update
from datasets_app.services.exposure import exposure_budget_set, exposure_charge, exposure_extend, exposure_remind
from datasets_app.services.items import (
    ImportRefused,
    ImportReport,
    ItemChange,
    dataset_import,
    item_approve,
    item_edit,
    item_remove,
    items_import,
)
from datasets_app.services.versions import (
    draft_get_or_create,
    version_approve,
    version_freeze,
    version_reopen,
    version_retire,
    version_submit,
)

__all__ = [
    "DocumentReport",
    "ImportRefused",
    "ImportReport",
    "ItemChange",
    "corpus_create",
    "dataset_create",
    "dataset_import",
    "dataset_update",
    "documents_import",
    "draft_get_or_create",
    "export_record",
    "exposure_budget_set",
    "exposure_charge",
    "exposure_extend",
    "exposure_record",
    "exposure_remind",
    "grant_create",
    "grant_revoke",
    "item_approve",
    "item_edit",
    "item_remove",
    "items_import",
    "snapshot_create",
    "version_approve",
    "version_freeze",
    "version_reopen",
    "version_retire",
    "version_submit",
]
