"""Evaluation sets: datasets with their versions and items, access to frozen splits, corpora."""

from datasets_app.models.access import ExposureEntry, Grant
from datasets_app.models.corpora import Corpus, Document, DocumentVersion, Snapshot
from datasets_app.models.datasets import Dataset, DatasetVersion, Item, ItemRevision, VersionEntry
from datasets_app.models.exposure import ExposureBudget, ExposureExtension

__all__ = [
    "Corpus",
    "Dataset",
    "DatasetVersion",
    "Document",
    "DocumentVersion",
    "ExposureBudget",
    "ExposureEntry",
    "ExposureExtension",
    "Grant",
    "Item",
    "ItemRevision",
    "Snapshot",
    "VersionEntry",
]
