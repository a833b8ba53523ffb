"""Corpora: documents whose text never changes, and snapshots."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core_app.errors import Conflict, Forbidden, Invalid
from datasets_app.models import DocumentVersion
from datasets_app.selectors import corpus_by_ref, snapshot_by_ref
from datasets_app.services import corpus_create, documents_import, snapshot_create
from tests.conftest import Cast
from tests.datasets_app.factories import DOCUMENT, make_corpus


def changed(**fields: Any) -> dict[str, Any]:
    versions = [dict(version) for version in DOCUMENT["versions"]]
    versions[0].update(fields)
    return {**DOCUMENT, "versions": versions}


def test_documents_are_added_and_added_again_without_change(cast: Cast) -> None:
    corpus = make_corpus(cast)
    report = documents_import(actor=cast.actor("editor"), corpus=corpus, rows=[(1, DOCUMENT)])
    assert (report.unchanged, report.documents_created, report.versions_created) == (1, 0, 0)


def test_a_stored_text_never_changes_and_its_validity_may(cast: Cast) -> None:
    corpus = make_corpus(cast)
    with pytest.raises(Invalid) as caught:
        documents_import(actor=cast.actor("editor"), corpus=corpus, rows=[(1, changed(text="Other."))])
    assert [(e.line, e.pointer, e.code) for e in caught.value.errors] == [(1, "/versions/0/text", "text_changed")]
    rows = [(1, changed(withdrawn_at="2025-06-01T00:00:00Z"))]
    assert documents_import(actor=cast.actor("editor"), corpus=corpus, rows=rows).versions_updated == 1
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE datasets_app_documentversion SET text = 'x'")


ONE = {"version_id": "1", "text": "x"}
EARLIER, LATER = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


@pytest.mark.parametrize(
    ("row", "pointer"),
    [
        ({"title": "x", "versions": DOCUMENT["versions"]}, "/doc_id"),
        ({"doc_id": "a", "versions": []}, "/versions"),
        ({"doc_id": "a", "version": []}, "/version"),
        ({"doc_id": "a", "versions": [{"version_id": "1"}]}, "/versions/0/text"),
        ({"doc_id": "a", "versions": [{**ONE, "valid_from": "soon"}]}, "/versions/0/valid_from"),
        ({"doc_id": "a", "versions": [{**ONE, "valid_from": LATER, "valid_to": EARLIER}]}, "/versions/0/valid_to"),
        ({"doc_id": "a", "versions": [ONE, {**ONE, "text": "y"}]}, "/versions/1/version_id"),
        ({"doc_id": "a", "audience": "all", "versions": [ONE]}, "/audience"),
        ([], ""),
    ],
)  # fmt: skip
def test_a_wrong_document_is_refused_at_its_place(cast: Cast, row: Any, pointer: str) -> None:
    corpus = corpus_create(actor=cast.actor("editor"), team=cast.team, slug="kb", name="KB")
    report = documents_import(actor=cast.actor("editor"), corpus=corpus, rows=[(7, row)], dry_run=True)
    assert (7, pointer) in [(error.line, error.pointer) for error in report.refused]
    assert not DocumentVersion.objects.exists()


def test_a_snapshot_holds_what_was_valid_then(cast: Cast) -> None:
    corpus = make_corpus(cast)
    editor = cast.actor("editor")
    before = snapshot_create(actor=editor, corpus=corpus, name="2025", as_of=datetime(2025, 6, 1, tzinfo=UTC))
    after = snapshot_create(actor=editor, corpus=corpus, name="2026", as_of=datetime(2026, 6, 1, tzinfo=UTC))
    assert before.content_sha256 != after.content_sha256
    valid = DocumentVersion.objects.valid_at(before.as_of).values_list("version_id", flat=True)
    assert list(valid) == ["1"]
    assert snapshot_by_ref(cast.actor("viewer"), "support/kb@2026") == after
    with pytest.raises(Conflict):
        snapshot_create(actor=editor, corpus=corpus, name="2026", as_of=after.as_of)


def test_a_viewer_reads_corpora_and_changes_none(cast: Cast) -> None:
    corpus = make_corpus(cast)
    assert corpus_by_ref(cast.actor("viewer"), corpus.public_id) == corpus
    with pytest.raises(Forbidden):
        documents_import(actor=cast.actor("viewer"), corpus=corpus, rows=[(1, DOCUMENT)])
    with pytest.raises(Conflict):
        corpus_create(actor=cast.actor("editor"), team=cast.team, slug="kb", name="Again")
    with pytest.raises(Invalid):
        corpus_create(actor=cast.actor("editor"), team=cast.team, slug="K B", name="Wrong")
