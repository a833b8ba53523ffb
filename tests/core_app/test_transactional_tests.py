"""The suite's own footing: transactional tests, guards, sockets."""

from __future__ import annotations

import socket

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from pytest_socket import SocketConnectBlockedError

from core_app.models import AuditEvent


def make_event(label: str = "somebody") -> AuditEvent:
    return AuditEvent.objects.create(
        actor_kind="system", actor_label=label, action="x", object_type="t", object_id="1", at=timezone.now()
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", [1, 2])
def test_a_transactional_test_starts_empty_and_the_guards_still_stand(attempt: int) -> None:
    assert AuditEvent.objects.count() == 0, f"attempt {attempt} sees rows of the one before"
    event = make_event()
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM core_app_auditevent WHERE id = %s", [event.pk])


@pytest.mark.skipif(connection.vendor != "postgresql", reason="TRUNCATE is PostgreSQL's")
@pytest.mark.django_db(transaction=True)
def test_truncating_the_audit_trail_is_refused() -> None:
    make_event()
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("TRUNCATE core_app_auditevent")


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_sockets_to_other_hosts_are_refused() -> None:
    with socket.socket() as probe, pytest.raises(SocketConnectBlockedError):
        probe.connect(("192.0.2.1", 80))
