"""Reading the audit trail."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _

from core_app.errors import FieldError, Invalid
from core_app.models import AuditCheck, AuditEvent, AuditSeal

#: The filters that the page, the REST call and the export share.
AUDIT_FILTERS = ("action", "actor", "object", "since", "until")


def _time_of(name: str, text: str) -> datetime:
    """Return a point in time from ISO 8601; a date alone is its beginning, for `until` its end. Raises `Invalid`."""
    try:
        moment = parse_datetime(text)
        if moment is None or len(text) == len("2026-01-01"):
            day = parse_date(text)
            moment = datetime(day.year, day.month, day.day) if day else None
            if moment is not None and name == "until":
                moment += timedelta(days=1) - timedelta(microseconds=1)
        if moment is not None:
            moment = (moment if timezone.is_aware(moment) else timezone.make_aware(moment)).astimezone(UTC)
    except (ValueError, OverflowError):
        # The first and the last day of the calendar have no moment in every zone.
        moment = None
    if moment is None:
        detail = _("Write a time as 2026-01-31 or 2026-01-31T12:00:00Z.")
        raise Invalid(detail, errors=[FieldError(f"/{name}", "invalid_time", detail)])
    return moment


def audit_events_filter(events: QuerySet[AuditEvent], filters: Mapping[str, str]) -> QuerySet[AuditEvent]:
    """Return the events that match: `action` by its beginning, `actor` by key (`person:3`) or part of the name,
    `object` by id or part of its name, `since` and `until` as ISO times. Raises `Invalid` for a bad time."""
    if action := filters.get("action", "").strip():
        events = events.filter(action__startswith=action)
    if actor := filters.get("actor", "").strip():
        kind, _colon, number = actor.partition(":")
        if number.isascii() and number.isdigit() and len(number) < 19:
            events = events.filter(actor_kind=kind, actor_id=int(number))
        else:
            events = events.filter(actor_label__icontains=actor)
    if thing := filters.get("object", "").strip():
        events = events.filter(Q(object_id=thing) | Q(object_label__icontains=thing))
    if since := filters.get("since", "").strip():
        events = events.filter(at__gte=_time_of("since", since))
    if until := filters.get("until", "").strip():
        events = events.filter(at__lte=_time_of("until", until))
    return events


def audit_event_dict(event: AuditEvent) -> dict[str, Any]:
    """Return one event as the REST API and the exports show it."""
    return {
        "id": str(event.pk),
        "at": event.at,
        "actor": {
            "kind": event.actor_kind,
            "id": None if event.actor_id is None else str(event.actor_id),
            "label": event.actor_label,
        },
        "action": event.action,
        "object": {"type": event.object_type, "id": event.object_id, "label": event.object_label},
        "before": event.before,
        "after": event.after,
        "request_id": event.request_id,
        "address": event.address,
    }


def audit_chain_state() -> dict[str, Any]:
    """Return the last check of the chain and the last link, for the audit page."""
    return {
        "check": AuditCheck.objects.first(),
        "last_seal": AuditSeal.objects.order_by("-sequence").first(),
    }


def audit_seals_of(events: list[AuditEvent]) -> dict[int, AuditSeal]:
    """Return event id → its link in the chain, for those that have one."""
    seals = AuditSeal.objects.filter(event_id__in=[event.pk for event in events])
    return {seal.event_id: seal for seal in seals}
