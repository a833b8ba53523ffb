"""The hash chain over audit events: what a link's hash covers, and walking the chain.

Link n is `sha256(canonical JSON of {previous, sequence, event})`, where `event` holds every column of the event and
`previous` is the hash of link n - 1 (64 zeros before the first). Changing, removing or reordering an event or a link
breaks the chain at that link. Cutting off its tail does not show in the chain itself: compare a signed head.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.crypto import salted_hmac

from core_app.canonical import canonical_json, sha256_hex
from core_app.models import AuditEvent, AuditSeal

GENESIS = "0" * 64
_SALT = "core_app.chain.head"
_BATCH = 2000


def event_record(event: AuditEvent) -> dict[str, Any]:
    """Return every column of the event as JSON; times in UTC to the microsecond."""
    record = {}
    for field in AuditEvent._meta.concrete_fields:
        value = getattr(event, field.attname)
        record[field.attname] = value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value
    return record


def link_hash(previous: str, sequence: int, event: AuditEvent) -> str:
    """Return the hash of one link."""
    return sha256_hex({"previous": previous, "sequence": sequence, "event": event_record(event)})


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """The first link that does not hold. `kind` is changed, missing, reordered or gap."""

    sequence: int
    event_id: int
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class ChainReport:
    """What a walk found; `head` is the last good link's hash."""

    sealed: int
    unsealed: int
    head: str
    broken: BrokenLink | None


def _links() -> Iterator[tuple[AuditSeal, AuditEvent | None]]:
    batch: list[AuditSeal] = []
    for seal in AuditSeal.objects.order_by("sequence").iterator(chunk_size=_BATCH):
        batch.append(seal)
        if len(batch) == _BATCH:
            yield from _with_events(batch)
            batch = []
    yield from _with_events(batch)


def _with_events(seals: list[AuditSeal]) -> Iterator[tuple[AuditSeal, AuditEvent | None]]:
    events = AuditEvent.objects.in_bulk([seal.event_id for seal in seals])
    for seal in seals:
        yield seal, events.get(seal.event_id)


def _fault(seal: AuditSeal, event: AuditEvent | None, sequence: int, previous: str) -> BrokenLink | None:
    """Return what is wrong with the link that should be number `sequence` after `previous`."""
    if seal.sequence != sequence:
        detail = f"link {sequence} is missing: the next one there is {seal.sequence}"
        return BrokenLink(sequence, seal.event_id, "gap", detail)
    if seal.previous_hash != previous:
        detail = f"link {sequence} does not follow the one before it: links were reordered or rewritten"
        return BrokenLink(sequence, seal.event_id, "reordered", detail)
    if event is None:
        return BrokenLink(sequence, seal.event_id, "missing", f"event {seal.event_id} of link {sequence} is missing")
    if link_hash(previous, sequence, event) != seal.hash:
        detail = f"event {seal.event_id} of link {sequence} was changed, or is not the one that was sealed there"
        return BrokenLink(sequence, seal.event_id, "changed", detail)
    return None


def chain_walk() -> ChainReport:
    """Walk the whole chain and stop at the first link that does not hold."""
    previous, sequence, broken = GENESIS, 0, None
    for seal, event in _links():
        broken = _fault(seal, event, sequence + 1, previous)
        if broken is not None:
            break
        sequence, previous = seal.sequence, seal.hash
    return ChainReport(sealed=sequence, unsealed=unsealed_events().count(), head=previous, broken=broken)


def unsealed_events() -> Any:
    """Return the events that no link covers yet, oldest first."""
    return AuditEvent.objects.exclude(pk__in=AuditSeal.objects.values("event_id")).order_by("pk")


def _signature(head: Mapping[str, Any]) -> str:
    body = canonical_json({key: value for key, value in head.items() if key != "signature"})
    return salted_hmac(_SALT, body, algorithm="sha256").hexdigest()


def head_export(at: datetime) -> dict[str, Any]:
    """Return the chain's last link, signed with a key derived from SECRET_KEY; keep it away from this database."""
    seal = AuditSeal.objects.order_by("-sequence").first()
    head: dict[str, Any] = {
        "sequence": seal.sequence if seal else 0,
        "hash": seal.hash if seal else GENESIS,
        "exported_at": at.astimezone(UTC).isoformat(),
    }
    return {**head, "signature": _signature(head)}


def head_fault(head: Mapping[str, Any]) -> str:
    """Return what an exported head says against the present chain, "" where it is still part of it."""
    given = str(head.get("signature", ""))
    if not hmac.compare_digest(given.encode(), _signature(head).encode()):
        return "the head's signature is not ours: the file was changed, or SECRET_KEY has been"
    if head["sequence"] == 0:
        return ""
    seal = AuditSeal.objects.filter(sequence=head["sequence"]).first()
    if seal is None:
        return f"the chain's tail was cut off: link {head['sequence']} was there when the head was exported"
    if seal.hash != head["hash"]:
        return f"link {head['sequence']} is not the one that was exported: the chain was rewritten"
    return ""
