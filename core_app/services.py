"""Writing the audit trail, sealing it, checking it; forgetting old idempotent answers."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from core_app.actors import Actor
from core_app.chain import GENESIS, chain_walk, link_hash, unsealed_events
from core_app.context import address_var, request_id_var
from core_app.locks import transaction_lock
from core_app.models import AuditCheck, AuditEvent, AuditSeal, IdempotencyRecord

#: How far behind the newest sealed event the quick sealer looks for events whose transaction committed late.
_LATE_WINDOW = 10_000
_SEAL_BATCH = 1_000
_CHECKS_KEPT = timedelta(days=90)


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


def audit_seal_pending(*, everything: bool = False) -> int:
    """Link the events that are not in the chain yet, in the order of their ids; return how many.

    One sealer at a time. The quick way looks at the events after the newest sealed one and a window before it;
    `everything` looks at the whole trail, for transactions that stayed open longer than the window.
    """
    sealed = 0
    while True:
        batch = _seal_batch(everything=everything)
        sealed += batch
        if batch < _SEAL_BATCH:
            return sealed


@transaction.atomic
def _seal_batch(*, everything: bool) -> int:
    transaction_lock("audit-seal")
    last = AuditSeal.objects.order_by("-sequence").first()
    previous, sequence = (last.hash, last.sequence) if last else (GENESIS, 0)
    pending = unsealed_events()
    newest = AuditSeal.objects.aggregate(newest=models.Max("event_id"))["newest"] or 0
    if not everything and newest > _LATE_WINDOW:
        floor = newest - _LATE_WINDOW
        known = AuditSeal.objects.filter(event_id__gt=floor).values("event_id")
        pending = AuditEvent.objects.filter(pk__gt=floor).exclude(pk__in=known).order_by("pk")
    now = timezone.now()
    seals = []
    for event in pending[:_SEAL_BATCH]:
        sequence += 1
        digest = link_hash(previous, sequence, event)
        seals.append(
            AuditSeal(sequence=sequence, event_id=event.pk, previous_hash=previous, hash=digest, sealed_at=now)
        )
        previous = digest
    AuditSeal.objects.bulk_create(seals)
    return len(seals)


def audit_check_run() -> AuditCheck:
    """Walk the whole chain and keep what was found, for the audit page; old findings are dropped."""
    report = chain_walk()
    now = timezone.now()
    AuditCheck.objects.filter(at__lt=now - _CHECKS_KEPT).delete()
    return AuditCheck.objects.create(
        at=now,
        sealed=report.sealed,
        unsealed=report.unsealed,
        head=report.head,
        broken_sequence=report.broken.sequence if report.broken else None,
        reason=report.broken.detail[:200] if report.broken else "",
    )


def idempotency_forget(*, older_than: timedelta = timedelta(hours=24)) -> int:
    """Delete the answers kept for repeated POSTs that are older than `older_than`; return how many."""
    deleted, _by_model = IdempotencyRecord.objects.filter(created_at__lt=timezone.now() - older_than).delete()
    return deleted
