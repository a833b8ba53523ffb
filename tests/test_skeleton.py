import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from core_app.models import AuditEvent


@pytest.mark.django_db
def test_an_audit_event_cannot_be_changed_even_by_raw_sql() -> None:
    event = AuditEvent.objects.create(
        actor_kind="system", actor_label="system", action="x", object_type="t", object_id="1", at=timezone.now()
    )
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE core_app_auditevent SET actor_label = 'somebody' WHERE id = %s", [event.pk])
    event.refresh_from_db()
    assert event.actor_label == "system"


def test_outsiders_are_not_insiders(cast) -> None:
    assert cast.actor("outsider").role_in(cast.team.pk) is None
    assert cast.actor("owner").role_in(cast.team.pk) == "owner"
