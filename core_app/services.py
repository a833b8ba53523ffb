"""Writing the audit trail."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from core_app.actors import Actor
from core_app.context import address_var, request_id_var
from core_app.models import AuditEvent


def audit_record(
    *,
    actor: Actor,
    action: str,
    obj: models.Model,
    team_id: int | None,
    label: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> AuditEvent:
    """Append one event; call it last inside the service's transaction.

    `before` and `after` are small JSON objects without secrets and without the text of frozen items.
    """
    return AuditEvent.objects.create(
        actor_kind=actor.kind.value,
        actor_id=actor.id,
        actor_label=actor.label[:200],
        team_id=team_id,
        action=action,
        object_type=obj._meta.label_lower,
        object_id=str(getattr(obj, "public_id", None) or obj.pk),
        object_label=(label or str(obj))[:300],
        before=before,
        after=after,
        request_id=actor.request_id or request_id_var.get(),
        address=actor.address or address_var.get(),
        at=timezone.now(),
    )
