"""The chain over the audit trail: sealing, and each way of tampering that a walk must name."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from core_app import services
from core_app.chain import chain_walk, head_export, head_fault
from core_app.guards import GUARDS
from core_app.models import AuditCheck, AuditEvent, AuditSeal
from core_app.services import audit_check_run, audit_seal_pending
from core_app.tasks import audit_check, audit_seal
from tests.conftest import Cast

pytestmark = pytest.mark.django_db


def make_events(count: int, **more: Any) -> list[AuditEvent]:
    return [
        AuditEvent.objects.create(
            actor_kind="person",
            actor_id=number,
            actor_label="王维",
            team_id=1,
            action="dataset.freeze",
            object_type="t",
            object_id=str(number),
            before={"number": 0.5, "text": "知识库"},
            after={"b": [1, None, True], "a": {"x": 1e20}},
            at=timezone.now() + timedelta(microseconds=number),
            **more,
        )
        for number in range(count)
    ]


@pytest.fixture
def no_guards() -> None:
    """The triggers are dropped, as somebody with the run of the database could do."""
    with connection.cursor() as cursor:
        for guard in GUARDS:
            for statement in guard.drop_sql(connection.vendor):
                if statement.startswith("DROP TRIGGER"):
                    cursor.execute(statement)


def run(sql: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def test_events_are_sealed_in_order_once() -> None:
    events = make_events(5)
    assert audit_seal_pending() == 5
    assert audit_seal_pending() == 0
    assert list(AuditSeal.objects.values_list("sequence", "event_id")) == [
        (number, event.pk) for number, event in enumerate(events, start=1)
    ]
    report = chain_walk()
    assert (report.sealed, report.unsealed, report.broken) == (5, 0, None)
    assert report.head == AuditSeal.objects.get(sequence=5).hash


def test_an_event_that_committed_late_is_sealed_after_its_successors() -> None:
    first, late, third = make_events(3)
    values = AuditEvent.objects.values().get(pk=late.pk)
    # A transaction that still runs: its row is not there yet for the sealer.
    with connection.cursor() as cursor:
        for guard in GUARDS:
            for statement in guard.drop_sql(connection.vendor):
                if statement.startswith("DROP TRIGGER"):
                    cursor.execute(statement)
        cursor.execute("DELETE FROM core_app_auditevent WHERE id = %s", [late.pk])
    audit_seal_pending()
    AuditEvent.objects.create(**values)
    assert audit_seal_pending() == 1
    assert list(AuditSeal.objects.values_list("event_id", flat=True)) == [first.pk, third.pk, late.pk]
    assert chain_walk().broken is None


def test_an_event_older_than_the_window_is_found_by_the_hourly_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    events = make_events(8)
    monkeypatch.setattr(services, "_LATE_WINDOW", 3)
    # As the database gives it back: PostgreSQL writes some numbers of JSON in another form.
    newest = AuditEvent.objects.get(pk=events[-1].pk)
    AuditSeal.objects.create(
        sequence=1,
        event_id=newest.pk,
        previous_hash="0" * 64,
        hash=services.link_hash("0" * 64, 1, newest),
        sealed_at=timezone.now(),
    )
    assert audit_seal_pending() == 2
    assert audit_seal_pending(everything=True) == 5
    assert chain_walk().broken is None


def test_a_long_backlog_is_sealed_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(services, "_SEAL_BATCH", 4)
    make_events(10)
    assert audit_seal_pending() == 10
    assert chain_walk().sealed == 10


def test_the_tasks_seal_and_check() -> None:
    make_events(3)
    audit_seal.delay()
    audit_check.delay()
    check = AuditCheck.objects.get()
    assert (check.sealed, check.unsealed, check.is_whole) == (3, 0, True)


@pytest.mark.parametrize(
    "change",
    [
        "actor_label = 'somebody else'",
        "action = 'dataset.view'",
        "team_id = 2",
        "address = '192.0.2.1'",
        "request_id = 'x'",
        "object_label = 'other'",
        "actor_id = 99",
    ],
)
def test_a_changed_event_is_named(no_guards: None, change: str) -> None:
    events = make_events(4)
    audit_seal_pending()
    run(f"UPDATE core_app_auditevent SET {change} WHERE id = %s", events[2].pk)
    broken = chain_walk().broken
    assert broken is not None
    assert (broken.sequence, broken.event_id, broken.kind) == (3, events[2].pk, "changed")


def test_a_changed_before_or_time_is_named(no_guards: None) -> None:
    events = make_events(2)
    audit_seal_pending()
    run("UPDATE core_app_auditevent SET before = %s WHERE id = %s", json.dumps({"number": 0.25}), events[0].pk)
    broken = chain_walk().broken
    assert broken is not None
    assert broken.sequence == 1


def test_a_removed_event_is_named(no_guards: None) -> None:
    events = make_events(4)
    audit_seal_pending()
    run("DELETE FROM core_app_auditevent WHERE id = %s", events[1].pk)
    broken = chain_walk().broken
    assert broken is not None
    assert (broken.sequence, broken.event_id, broken.kind) == (2, events[1].pk, "missing")


def test_a_removed_link_is_named(no_guards: None) -> None:
    make_events(4)
    audit_seal_pending()
    run("DELETE FROM core_app_auditseal WHERE sequence = 2")
    broken = chain_walk().broken
    assert broken is not None
    assert (broken.sequence, broken.kind) == (2, "gap")


def test_events_that_changed_places_are_named(no_guards: None) -> None:
    first, second, *_rest = make_events(4)
    audit_seal_pending()
    for sequence, event_id in ((2, -1), (1, second.pk), (2, first.pk)):
        run("UPDATE core_app_auditseal SET event_id = %s WHERE sequence = %s", event_id, sequence)
    broken = chain_walk().broken
    assert broken is not None
    assert broken.sequence == 1


def test_a_link_rewritten_with_a_good_hash_breaks_the_next_one(no_guards: None) -> None:
    events = make_events(4)
    audit_seal_pending()
    run("UPDATE core_app_auditevent SET actor_label = 'x' WHERE id = %s", events[1].pk)
    seal = AuditSeal.objects.get(sequence=2)
    forged = services.link_hash(seal.previous_hash, 2, AuditEvent.objects.get(pk=events[1].pk))
    run("UPDATE core_app_auditseal SET hash = %s WHERE sequence = 2", forged)
    broken = chain_walk().broken
    assert broken is not None
    assert (broken.sequence, broken.kind) == (3, "reordered")


def test_a_cut_off_tail_shows_against_an_exported_head(no_guards: None, tmp_path: Path) -> None:
    make_events(4)
    audit_seal_pending()
    file = tmp_path / "head.json"
    call_command("audit_verify", export_head=str(file), stdout=StringIO())
    call_command("audit_verify", check_head=str(file), stdout=StringIO())
    run("DELETE FROM core_app_auditseal WHERE sequence = 4")
    assert chain_walk().broken is None
    with pytest.raises(CommandError, match="tail was cut off: link 4"):
        call_command("audit_verify", check_head=str(file), stdout=StringIO())


def test_a_printed_head_stands_alone_on_the_output(tmp_path: Path) -> None:
    make_events(2)
    audit_seal_pending()
    printed, said = StringIO(), StringIO()
    call_command("audit_verify", export_head="-", stdout=printed, stderr=said)
    file = tmp_path / "head.json"
    file.write_text(printed.getvalue())
    call_command("audit_verify", check_head=str(file), stdout=StringIO())
    assert "ok: 2 events sealed" in said.getvalue()


def test_a_rewritten_chain_shows_against_an_exported_head(no_guards: None) -> None:
    events = make_events(3)
    audit_seal_pending()
    head = head_export(timezone.now())
    run("DELETE FROM core_app_auditseal")
    run("UPDATE core_app_auditevent SET actor_label = 'x' WHERE id = %s", events[0].pk)
    audit_seal_pending()
    assert chain_walk().broken is None
    assert "rewritten" in head_fault(head)


def test_a_head_that_was_changed_is_not_believed() -> None:
    make_events(3)
    audit_seal_pending()
    head = head_export(timezone.now())
    assert head_fault(head) == ""
    assert "signature" in head_fault({**head, "sequence": 2})
    assert "signature" in head_fault({key: value for key, value in head.items() if key != "signature"})


def test_the_command_counts_what_waits_and_exits_with_1_where_broken(no_guards: None) -> None:
    events = make_events(3)
    audit_seal_pending()
    make_events(2)
    out = StringIO()
    call_command("audit_verify", stdout=out)
    assert "3 events sealed, 2 waiting" in out.getvalue()
    run("UPDATE core_app_auditevent SET action = 'x' WHERE id = %s", events[0].pk)
    with pytest.raises(CommandError, match=r"broken at link 1 \(changed\)") as caught:
        call_command("audit_verify", stdout=StringIO())
    assert caught.value.returncode == 1


def test_a_check_keeps_what_it_found(no_guards: None) -> None:
    events = make_events(2)
    audit_seal_pending()
    run("UPDATE core_app_auditevent SET action = 'x' WHERE id = %s", events[1].pk)
    check = audit_check_run()
    assert (check.broken_sequence, check.is_whole) == (2, False)
    assert "was changed" in check.reason


def test_seals_are_not_changed_by_raw_sql() -> None:
    from django.db import IntegrityError, transaction

    make_events(1)
    audit_seal_pending()
    for statement in ("UPDATE core_app_auditseal SET hash = 'x'", "DELETE FROM core_app_auditseal"):
        with pytest.raises(IntegrityError), transaction.atomic():
            run(statement)


def test_the_trail_is_linked_even_with_odd_text(cast: Cast) -> None:
    make_events(1, object_label="\u2028\U0001f600 \"quoted\" 'and' %s \\u0041")
    audit_seal_pending()
    assert chain_walk().broken is None
