"""Importing items: whole or not at all, by external id, never into what is protected."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core_app.errors import Conflict, Forbidden, NotFound
from core_app.models import AuditEvent
from datasets_app.models import Item, ItemRevision, VersionEntry
from datasets_app.services import ImportRefused, dataset_import, draft_get_or_create, item_edit, items_import
from datasets_app.states import Level
from tests.conftest import Cast
from tests.datasets_app.factories import (
    fill,
    grant,
    make_corpus,
    make_dataset,
    make_draft,
    make_frozen,
    native,
    natives,
    numbered,
)  # fmt: skip


def test_an_import_creates_items_revisions_and_entries(cast: Cast) -> None:
    draft = make_draft(cast)
    report = items_import(actor=cast.actor("editor"), version=draft, rows=numbered(natives(3)))
    assert (report.created, report.updated, report.unchanged, report.refused_rows) == (3, 0, 0, 0)
    entry = VersionEntry.objects.get(version=draft, item__external_id="q-0001")
    assert entry.facets == "|type:unanswerable|tier:regression|lang:en|"
    assert entry.revision.number == 1
    event = AuditEvent.objects.get(action="items.import")
    assert event.after["created"] == 3
    assert "article" not in str(event.after)


def test_a_new_item_without_a_split_goes_to_the_given_one_and_a_known_one_stays(cast: Cast) -> None:
    draft = make_draft(cast)
    rows = [{**native(1), "split": "dev"}]
    fill(cast, draft, rows)
    again = [{key: value for key, value in native(number).items() if key != "split"} for number in (1, 2)]
    items_import(actor=cast.actor("steward"), version=draft, rows=numbered(again), default_split="frozen")
    splits = dict(VersionEntry.objects.filter(version=draft).values_list("item__external_id", "split"))
    assert splits == {"q-0001": "dev", "q-0002": "frozen"}


def test_a_re_import_updates_by_external_id_and_says_which_fields_changed(cast: Cast) -> None:
    draft = make_draft(cast)
    fill(cast, draft, natives(3))
    rows = natives(3)
    rows[1]["reference"] = "other"
    rows[2]["tiers"] = ["smoke"]
    report = items_import(actor=cast.actor("editor"), version=draft, rows=numbered(rows))
    assert (report.created, report.updated, report.unchanged) == (0, 2, 1)
    assert [(change.external_id, change.fields) for change in report.changes] == [
        ("q-0002", ["reference"]),
        ("q-0003", ["tiers"]),
    ]
    assert ItemRevision.objects.filter(item__external_id="q-0002").count() == 2
    assert ItemRevision.objects.filter(item__external_id="q-0003").count() == 1


def test_one_refused_row_stops_the_whole_import_and_nothing_is_written(cast: Cast) -> None:
    draft = make_draft(cast)
    with pytest.raises(ImportRefused) as caught:
        items_import(actor=cast.actor("editor"), version=draft, rows=numbered([native(1), {"external_id": "x"}]))
    assert [(error.line, error.pointer) for error in caught.value.errors] == [(2, "/question")]
    assert Item.objects.count() == VersionEntry.objects.count() == 0
    assert not AuditEvent.objects.filter(action="items.import").exists()


def test_skip_writes_the_good_rows_and_reports_the_refused_ones(cast: Cast) -> None:
    draft = make_draft(cast)
    rows = numbered([native(1), {"external_id": "x"}, native(2)])
    report = items_import(actor=cast.actor("editor"), version=draft, rows=rows, on_error="skip")
    assert (report.created, report.refused_rows) == (2, 1)
    assert Item.objects.count() == 2


def test_a_dry_run_changes_nothing_and_leaves_no_draft_behind(cast: Cast) -> None:
    version = make_frozen(cast)
    rows = numbered([native(500)])
    report = dataset_import(actor=cast.actor("editor"), dataset=version.dataset, rows=rows, dry_run=True)
    assert (report.created, report.dry_run) == (1, True)
    assert version.dataset.versions.count() == 1
    assert not Item.objects.filter(external_id="q-0500").exists()


def test_the_second_of_two_rows_with_one_external_id_is_refused(cast: Cast) -> None:
    draft = make_draft(cast)
    rows = numbered([native(1), native(2), native(1, question="other?")])
    report = items_import(actor=cast.actor("editor"), version=draft, rows=rows, dry_run=True)
    assert [(error.line, error.code) for error in report.refused] == [(3, "duplicate")]


def test_a_perturbation_needs_its_original_and_falls_with_it(cast: Cast) -> None:
    draft = make_draft(cast)
    fill(cast, draft, [native(1)])
    rows = numbered([
        native(2, perturbs={"external_id": "q-0001", "kind": "typo"}),
        native(3, perturbs={"external_id": "nowhere"}),
        native(4, perturbs={"external_id": "q-0003"}),
        native(5, perturbs={"external_id": "q-0006"}),
        native(6),
    ])  # fmt: skip
    report = items_import(actor=cast.actor("editor"), version=draft, rows=rows, dry_run=True)
    assert [(error.line, error.pointer) for error in report.refused] == [
        (2, "/perturbs/external_id"),
        (3, "/perturbs/external_id"),
    ]


@pytest.mark.parametrize(
    ("span", "place", "code"),
    [
        ({"doc_id": "nope", "start": 0, "end": 5}, "doc_id", "unknown_document"),
        ({"doc_id": "d1", "version_id": "9", "start": 0, "end": 5}, "version_id", "unknown_version"),
        ({"doc_id": "d1", "version_id": "1", "start": 0, "end": 5000}, "end", "beyond_text"),
    ],
)
def test_evidence_that_the_corpus_does_not_hold_is_refused_at_its_place(
    cast: Cast, span: dict, place: str, code: str
) -> None:
    draft = make_draft(cast, make_dataset(cast, corpus=make_corpus(cast)))
    rows = numbered([native(1, evidence=[[["c-1"], [{"doc_id": "d1", "start": 0, "end": 4}, span]]])])
    report = items_import(actor=cast.actor("editor"), version=draft, rows=rows, dry_run=True)
    assert [(error.pointer, error.code) for error in report.refused] == [(f"/evidence/0/1/1/{place}", code)]


def test_an_editor_cannot_touch_test_items_and_a_steward_can(cast: Cast) -> None:
    draft = make_draft(cast)
    rows = numbered([native(1, split="frozen")])
    with pytest.raises(Forbidden) as caught:
        items_import(actor=cast.actor("editor"), version=draft, rows=rows)
    assert caught.value.errors[0].code == "needs_steward"
    assert items_import(actor=cast.actor("steward"), version=draft, rows=rows).created == 1
    with pytest.raises(Forbidden):
        items_import(actor=cast.actor("editor"), version=draft, rows=numbered([native(1, split="dev")]))


def test_a_protected_item_never_moves_to_dev_not_even_by_a_steward(cast: Cast) -> None:
    version = make_frozen(cast)
    draft = draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset)
    moved = numbered([native(1001, split="dev", question="Other words?")])
    report = items_import(actor=cast.actor("steward"), version=draft, rows=moved, dry_run=True)
    assert [error.code for error in report.refused] == ["protected"]
    draft.entries.filter(item__external_id="q-1001").delete()
    report = items_import(actor=cast.actor("steward"), version=draft, rows=moved, dry_run=True)
    assert [error.code for error in report.refused] == ["protected"]


def test_a_re_import_tells_which_fields_of_a_protected_item_changed_only_to_its_readers(cast: Cast) -> None:
    version = make_frozen(cast)
    draft = draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset)
    rows = numbered([native(1001, split="frozen", types=["unanswerable"], reference="changed")])
    steward = cast.actor("steward")
    assert items_import(actor=steward, version=draft, rows=rows, dry_run=True).changes[0].fields == []
    grant(cast, version.dataset, "steward", Level.READ)
    assert "reference" in items_import(actor=steward, version=draft, rows=rows, dry_run=True).changes[0].fields


def test_only_a_draft_takes_items(cast: Cast) -> None:
    version = make_frozen(cast)
    with pytest.raises(Conflict):
        items_import(actor=cast.actor("steward"), version=version, rows=numbered([native(9)]))
    entry = version.entries.select_related("item").first()
    assert entry is not None
    with pytest.raises(Conflict):
        item_edit(actor=cast.actor("steward"), version=version, item=entry.item, native=native(1))


@pytest.mark.parametrize("name", ["viewer", "annotator", "bare_token"])
def test_nobody_below_editor_imports(cast: Cast, name: str) -> None:
    draft = make_draft(cast)
    with pytest.raises(Forbidden):
        items_import(actor=cast.actor(name), version=draft, rows=numbered([native(1)]))


def test_an_outsider_learns_nothing_of_the_dataset(cast: Cast) -> None:
    draft = make_draft(cast)
    with pytest.raises(NotFound):
        items_import(actor=cast.actor("outsider"), version=draft, rows=numbered([native(1)]))


def test_the_number_of_queries_grows_by_chunks_and_not_by_rows(cast: Cast) -> None:
    draft = make_draft(cast)
    rows = numbered(natives(400))
    with CaptureQueriesContext(
        connection,
    ) as first:
        items_import(actor=cast.actor("editor"), version=draft, rows=rows)
    assert len(first) < 40
    with CaptureQueriesContext(connection) as second:
        items_import(actor=cast.actor("editor"), version=draft, rows=rows)
    assert len(second) < 25
