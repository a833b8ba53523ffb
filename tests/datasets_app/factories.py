"""Evaluation sets for tests, made by the services themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from core_app.actors import Actor
from datasets_app.models import Corpus, Dataset, DatasetVersion, Grant
from datasets_app.services import (
    corpus_create,
    dataset_create,
    documents_import,
    draft_get_or_create,
    grant_create,
    items_import,
    version_freeze,
)
from datasets_app.states import Level
from tests.conftest import Cast

DOCUMENT = {
    "doc_id": "d1",
    "title": "Returns",
    "language": "en",
    "audience": [],
    "versions": [
        {"version_id": "1", "valid_from": "2025-01-01T00:00:00Z", "valid_to": "2026-01-01T00:00:00Z",
         "text": "Goods can be returned within 14 days of delivery."},
        {"version_id": "2", "valid_from": "2026-01-01T00:00:00Z",
         "text": "Goods can be returned within 30 days of delivery."},
    ],
}  # fmt: skip


def native(number: int, **fields: Any) -> dict[str, Any]:
    """Return a small valid native item."""
    return {
        "external_id": f"q-{number:04d}",
        "question": f"What does article {number} weigh?",
        "split": "dev",
        "tiers": ["regression"],
        "types": ["fact"],
        "language": "en",
        "reference": f"{number} kg",
        "relevance": {f"chunk-{number}": 1},
        **fields,
    }


def natives(count: int, *, split: str = "dev", start: int = 1, **fields: Any) -> list[dict[str, Any]]:
    """Return `count` items over all types, with unanswerable and false-premise ones among them."""
    rows = []
    kinds = ["fact", "unanswerable", "false_premise", "multi_hop"]
    for index in range(start, start + count):
        rows.append(native(index, split=split, types=[kinds[index % len(kinds)]], **fields))
    return rows


def numbered(rows: Iterable[Mapping[str, Any]]) -> list[tuple[int, Mapping[str, Any]]]:
    return list(enumerate(rows, start=1))


def make_corpus(cast: Cast, slug: str = "kb") -> Corpus:
    corpus = corpus_create(actor=cast.actor("editor"), team=cast.team, slug=slug, name="Knowledge base")
    documents_import(actor=cast.actor("editor"), corpus=corpus, rows=[(1, DOCUMENT)])
    return corpus


def make_dataset(cast: Cast, slug: str = "kb-qa", *, corpus: Corpus | None = None) -> Dataset:
    return dataset_create(actor=cast.actor("editor"), team=cast.team, slug=slug, name="KB questions", corpus=corpus)


def make_draft(cast: Cast, dataset: Dataset | None = None) -> DatasetVersion:
    return draft_get_or_create(actor=cast.actor("editor"), dataset=dataset or make_dataset(cast))


def fill(cast: Cast, version: DatasetVersion, rows: Iterable[Mapping[str, Any]], *, actor: Actor | None = None) -> None:
    items_import(actor=actor or cast.actor("steward"), version=version, rows=numbered(rows))


def make_frozen(cast: Cast, *, dev: int = 4, frozen: int = 8, dataset: Dataset | None = None) -> DatasetVersion:
    """Return a frozen version with that many items in each split."""
    version = make_draft(cast, dataset)
    fill(cast, version, natives(dev) + natives(frozen, split="frozen", start=1001))
    return version_freeze(actor=cast.actor("steward"), version=version, note="first")


def grant(cast: Cast, dataset: Dataset, name: str, level: Level, *, by: str = "second_steward") -> Grant:
    """Give somebody of the cast a level on the dataset's frozen splits."""
    holder = cast.token if name == "token" else cast.people[name]
    return grant_create(
        actor=cast.actor(by),
        dataset=dataset,
        holder=holder,
        level=level,
        reason="for the test",
        expires_at=timezone.now() + timedelta(days=1),
    )
