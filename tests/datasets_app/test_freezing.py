"""Freezing: checks, hash, protection, four eyes; and what the database refuses afterwards."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from core_app.errors import Conflict, Forbidden, Invalid
from core_app.models import AuditEvent
from core_app.triggers import Guard
from datasets_app.freezing import content_hash, hash_entries, revision_hash
from datasets_app.models import DatasetVersion, Item
from datasets_app.selectors import native_item
from datasets_app.services import (
    draft_get_or_create,
    item_approve,
    item_edit,
    item_remove,
    items_import,
    version_approve,
    version_freeze,
    version_reopen,
    version_retire,
    version_submit,
)  # fmt: skip
from teams_app.selectors import actor_for_token
from tests.conftest import Cast, make_token
from tests.datasets_app.factories import fill, make_draft, make_frozen, native, natives, numbered


def filled(cast: Cast, rows: list | None = None) -> DatasetVersion:
    draft = make_draft(cast)
    fill(cast, draft, rows if rows is not None else natives(4) + natives(6, split="frozen", start=1001))
    return draft


def codes(error: Invalid) -> set[str]:
    return {fault.code for fault in error.errors}


def test_freezing_stores_hash_and_counts_and_protects_the_test_items(cast: Cast) -> None:
    version = version_freeze(actor=cast.actor("steward"), version=filled(cast), note="first")
    assert version.status == "frozen"
    assert version.content_sha256 == content_hash(version)
    assert version.manifest["by_split"] == {"dev": 4, "frozen": 6}
    assert version.manifest["counts"]["dev"]["type"] == {
        "fact": 1,
        "false_premise": 1,
        "multi_hop": 1,
        "unanswerable": 1,
    }
    protected = set(Item.objects.exclude(protected_at=None).values_list("external_id", flat=True))
    assert protected == {f"q-{number}" for number in range(1001, 1007)}
    event = AuditEvent.objects.get(action="version.freeze")
    assert event.after["content_sha256"] == version.content_sha256


def test_the_hash_can_be_computed_by_anybody_from_the_items(cast: Cast) -> None:
    version = make_frozen(cast)
    rows = []
    for entry in version.entries.select_related("item", "revision"):
        item = native_item(entry)
        external_id, split, tiers = item.pop("external_id"), item.pop("split"), item.pop("tiers")
        rows.append((external_id, split, tiers, revision_hash(item, entry.revision.nonce)))
    assert hash_entries(reversed(rows)) == version.content_sha256


def test_verify_version_recomputes_and_says_so(cast: Cast, capsys: pytest.CaptureFixture[str]) -> None:
    version = make_frozen(cast)
    call_command("verify_version", version.ref)
    assert version.content_sha256 in capsys.readouterr().out


def test_only_stewards_freeze(cast: Cast) -> None:
    draft = filled(cast)
    for name in ("viewer", "annotator", "editor", "bare_token"):
        with pytest.raises(Forbidden):
            version_freeze(actor=cast.actor(name), version=draft, note="x")


def test_an_empty_version_is_not_frozen(cast: Cast) -> None:
    with pytest.raises(Invalid) as caught:
        version_freeze(actor=cast.actor("steward"), version=make_draft(cast), note="x")
    assert codes(caught.value) == {"empty"}


def test_one_question_in_both_splits_is_refused_whatever_its_case_width_and_punctuation(cast: Cast) -> None:
    rows = [*natives(3), *natives(4, split="frozen", start=1001), native(7, question="ＷＨＡＴ does it weigh"),
            native(1010, split="frozen", question="What does it  weigh?")]  # fmt: skip
    draft = filled(cast, rows)
    with pytest.raises(Invalid) as caught:
        version_freeze(actor=cast.actor("steward"), version=draft, note="x")
    assert codes(caught.value) == {"duplicates_across"}


def test_the_same_words_after_another_turn_are_another_question(cast: Cast) -> None:
    turn = [{"role": "user", "content": "Tell me of the red one."}]
    rows = [*natives(3), *natives(4, split="frozen", start=1001), native(7, question="And its weight?"),
            native(1010, split="frozen", question="And its weight?", history=turn)]  # fmt: skip
    assert version_freeze(actor=cast.actor("steward"), version=filled(cast, rows), note="x").status == "frozen"


def test_missing_required_types_are_left_only_with_a_reason(cast: Cast) -> None:
    draft = filled(cast, [native(1), native(2, split="frozen")])
    with pytest.raises(Invalid) as caught:
        version_freeze(actor=cast.actor("steward"), version=draft, note=" ")
    assert caught.value.code == "note_required"
    assert version_freeze(actor=cast.actor("steward"), version=draft, note="Only facts are asked here.").note


def test_a_language_models_question_is_frozen_only_after_a_person_approved_it(cast: Cast) -> None:
    draft = filled(cast, [*natives(4), *natives(4, split="frozen", start=1001), native(9, source="llm_generated")])
    with pytest.raises(Invalid) as caught:
        version_freeze(actor=cast.actor("steward"), version=draft, note="x")
    assert codes(caught.value) == {"unreviewed"}
    item = Item.objects.get(external_id="q-0009")
    with pytest.raises(Forbidden):
        item_approve(actor=cast.actor("token"), version=draft, item=item)
    entry = item_approve(actor=cast.actor("editor"), version=draft, item=item)
    assert entry.revision.reviewed_by_label == "editor"
    assert version_freeze(actor=cast.actor("steward"), version=draft, note="x").status == "frozen"


def test_a_person_rewriting_the_question_reviews_it_and_changing_tags_does_not(cast: Cast) -> None:
    draft = make_draft(cast)
    fill(cast, draft, [native(9, source="llm_generated")])
    item = Item.objects.get(external_id="q-0009")
    tagged = native(9, source="llm_generated", tags=["x"])
    assert (
        item_edit(actor=cast.actor("editor"), version=draft, item=item, native=tagged).revision.reviewed_by_label == ""
    )
    rewritten = {**tagged, "question": "Rewritten?"}
    entry = item_edit(actor=cast.actor("editor"), version=draft, item=item, native=rewritten)
    assert entry.revision.reviewed_by_label == "editor"
    entry = item_edit(actor=cast.actor("editor"), version=draft, item=item, native={**rewritten, "tags": ["y"]})
    assert entry.revision.reviewed_by_label == "editor"


def test_an_item_that_was_open_in_dev_is_not_frozen_into_the_test(cast: Cast) -> None:
    version = make_frozen(cast)
    draft = draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset)
    items_import(actor=cast.actor("steward"), version=draft, rows=numbered([native(1, split="frozen")]))
    with pytest.raises(Invalid) as caught:
        version_freeze(actor=cast.actor("steward"), version=draft, note="x")
    assert codes(caught.value) == {"was_dev"}


def test_four_eyes_need_two_persons(cast: Cast) -> None:
    cast.team.four_eyes = True
    cast.team.save()
    version = version_freeze(actor=cast.actor("steward"), version=filled(cast), note="first")
    assert version.status == "in_review"
    for name in ("steward", "editor"):
        with pytest.raises(Forbidden):
            version_approve(actor=cast.actor(name), version=version)
    own_token, _secret = make_token(cast.team, cast.people["steward"], name="own")
    with pytest.raises(Forbidden):
        version_approve(actor=actor_for_token(own_token), version=version)
    with pytest.raises(Conflict):
        version_freeze(actor=cast.actor("second_steward"), version=version, note="x")
    assert version_approve(actor=cast.actor("second_steward"), version=version).status == "frozen"


def test_a_version_in_review_cannot_be_edited_until_it_is_reopened(cast: Cast) -> None:
    version = version_submit(actor=cast.actor("editor"), version=filled(cast))
    with pytest.raises(Conflict):
        items_import(actor=cast.actor("steward"), version=version, rows=numbered([native(50)]))
    version = version_reopen(actor=cast.actor("editor"), version=version)
    assert items_import(actor=cast.actor("steward"), version=version, rows=numbered([native(50)])).created == 1


def test_a_frozen_version_is_frozen_once_and_retired_once(cast: Cast) -> None:
    version = make_frozen(cast)
    with pytest.raises(Conflict):
        version_freeze(actor=cast.actor("steward"), version=version, note="x")
    assert version_retire(actor=cast.actor("steward"), version=version).status == "retired"
    with pytest.raises(Conflict):
        version_retire(actor=cast.actor("steward"), version=version)


def test_the_next_draft_starts_from_the_frozen_entries_and_is_begun_once(cast: Cast) -> None:
    version = make_frozen(cast)
    draft = draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset)
    assert draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset) == draft
    assert (draft.number, draft.parent) == (2, version)
    assert content_hash(draft) == version.content_sha256


def test_an_original_is_not_removed_from_under_its_perturbation(cast: Cast) -> None:
    draft = make_draft(cast)
    fill(cast, draft, [native(1), native(2, perturbs={"external_id": "q-0001", "kind": "typo"})])
    items = {item.external_id: item for item in Item.objects.all()}
    with pytest.raises(Invalid):
        item_remove(actor=cast.actor("editor"), version=draft, item=items["q-0001"])
    item_remove(actor=cast.actor("editor"), version=draft, item=items["q-0002"])
    item_remove(actor=cast.actor("editor"), version=draft, item=items["q-0001"])
    assert draft.entries.count() == 0


RAW = [
    "UPDATE datasets_app_versionentry SET split = 'dev' WHERE version_id = {version}",
    "DELETE FROM datasets_app_versionentry WHERE version_id = {version}",
    "INSERT INTO datasets_app_versionentry (version_id, item_id, revision_id, split, tiers, facets) "
    "VALUES ({version}, {free_item}, {revision}, 'dev', '[]', '')",
    "UPDATE datasets_app_versionentry SET version_id = {version} WHERE version_id = {draft}",
    "UPDATE datasets_app_itemrevision SET question = 'x' WHERE id = {revision}",
    "DELETE FROM datasets_app_itemrevision WHERE id = {revision}",
    "UPDATE datasets_app_datasetversion SET note = 'x' WHERE id = {version}",
    "UPDATE datasets_app_datasetversion SET status = 'draft' WHERE id = {version}",
    "UPDATE datasets_app_datasetversion SET status = 'retired', manifest = '{{}}' WHERE id = {version}",
    "UPDATE datasets_app_datasetversion SET status = 'retired', frozen_at = NULL WHERE id = {version}",
    "UPDATE datasets_app_datasetversion SET content_sha256 = '' WHERE id = {version}",
    "DELETE FROM datasets_app_datasetversion WHERE id = {version}",
]
_ENTRY = "id, version_id, item_id, revision_id, tiers, facets"
_REVISION = (
    "id, number, content, nonce, content_sha256, language, answerable, cluster, source, created_by_label, "
    "reviewed_by_label, created_at, item_id"
)
ON_SQLITE = [
    f"INSERT OR REPLACE INTO datasets_app_versionentry (split, {_ENTRY}) "
    f"SELECT 'dev', {_ENTRY} FROM datasets_app_versionentry WHERE version_id = {{version}}",
    f"INSERT OR REPLACE INTO datasets_app_itemrevision (question, {_REVISION}) "
    f"SELECT 'x', {_REVISION} FROM datasets_app_itemrevision WHERE id = {{revision}}",
    "UPDATE OR REPLACE datasets_app_versionentry SET split = 'dev' WHERE version_id = {version}",
]
ON_POSTGRESQL = [
    "TRUNCATE datasets_app_versionentry CASCADE",
    "TRUNCATE datasets_app_itemrevision CASCADE",
    "TRUNCATE datasets_app_datasetversion CASCADE",
]


@pytest.mark.parametrize("statement", [*RAW, *ON_SQLITE, *ON_POSTGRESQL])
def test_raw_sql_cannot_change_what_is_frozen(cast: Cast, statement: str) -> None:
    special = ON_SQLITE if connection.vendor == "postgresql" else ON_POSTGRESQL
    if statement in special:
        pytest.skip("this statement belongs to the other database")
    version = make_frozen(cast)
    draft = draft_get_or_create(actor=cast.actor("editor"), dataset=version.dataset)
    fill(cast, draft, [native(60)])
    free = Item.objects.get(external_id="q-0060")
    entry = version.entries.filter(split="frozen").first()
    assert entry is not None
    names = {"version": version.pk, "draft": draft.pk, "revision": entry.revision_id, "free_item": free.pk}
    if connection.vendor == "postgresql":
        # A foreign key still to be checked would refuse a TRUNCATE before the guard is asked.
        connection.check_constraints()
    refusal = pytest.raises(IntegrityError, match="never changed")
    with refusal, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.format(**names))
    version.refresh_from_db()
    assert version.status == "frozen"
    assert content_hash(version) == version.content_sha256


def test_every_guard_of_every_app_stands_after_migrating(db: None) -> None:
    from importlib import import_module

    guards: list[Guard] = []
    for app in ("core_app", "datasets_app", "runs_app"):
        guards += import_module(f"{app}.guards").GUARDS
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        else:
            cursor.execute("SELECT tgname FROM pg_trigger WHERE NOT tgisinternal")
        present = {name for (name,) in cursor.fetchall()}
    wanted = {name for guard in guards for name in guard.trigger_names(connection.vendor)}
    assert len(guards) > 6
    assert wanted <= present
