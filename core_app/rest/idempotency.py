"""`Idempotency-Key` on any POST: the same key and body replays the first answer, another body is 409.

A record is reserved before the call runs and completed with the answer; it belongs to one actor. The body is hashed
while the call reads it, so that a streamed import is never held in memory. An answer that changed something (2xx, 3xx)
is kept for 24 hours. A refusal changed nothing: its key is free again, so that a corrected body may follow. A call that
is still running answers 409 with Retry-After. A reservation whose process died is taken over: at once where it ran on
this machine, else after 15 minutes.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.request import Request

from core_app.actors import Actor
from core_app.canonical import canonical_json
from core_app.errors import Conflict, Malformed
from core_app.models import IdempotencyRecord
from core_app.processes import is_dead, process_name

HEADER = "Idempotency-Key"
KEEP = timedelta(hours=24)
TAKE_OVER_AFTER = timedelta(minutes=15)
RETRY_AFTER_SECONDS = 2
_KEY = re.compile(r"^[\x21-\x7e]{1,200}$")
_KEPT_HEADERS = ("Content-Type", "Location", "Content-Disposition", "ETag", "Retry-After")
_CHUNK = 64 * 1024


class InFlight(Conflict):
    """The first call with this key has not answered yet."""

    code = "idempotency_in_flight"
    retry_after = RETRY_AFTER_SECONDS


class _HashingStream:
    """The body's stream, hashed as it is read."""

    def __init__(self, stream: Any, digest: Any) -> None:
        self._stream = stream
        self._digest = digest

    def read(self, *size: int) -> bytes:
        data: bytes = self._stream.read(*size)
        self._digest.update(data)
        return data

    def readline(self, *size: int) -> bytes:
        data: bytes = self._stream.readline(*size)
        self._digest.update(data)
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _seed(actor: Actor, request: Request) -> Any:
    """Return a hash begun with what else makes a call the same: method, address, and the actor's present rights."""
    rights = {
        "roles": {str(team): role.value for team, role in actor.roles.items()},
        "scopes": sorted(actor.scopes),
        "admin": actor.is_platform_admin,
        "url": request.get_full_path(),
        "type": request.content_type or "",
    }
    return hashlib.sha256(canonical_json(rights).encode())


class Reservation:
    """The hold of one running call on its key."""

    def __init__(self, record: IdempotencyRecord, digest: Any, http: Any) -> None:
        self.record = record
        self._digest = digest
        self._http = http

    def release(self) -> None:
        """Free the key: nothing was done."""
        IdempotencyRecord.objects.filter(pk=self.record.pk, status=None).delete()

    def complete(self, response: HttpResponse, secret_fields: Collection[str] = ()) -> None:
        """Keep the answer, or free the key where nothing was done or the answer is a stream.

        `secret_fields` are shown in the first answer alone: what is kept holds null in their place.
        """
        if response.status_code >= 400 or response.streaming:
            self.release()
            return
        if not _drain(self._http):
            self.release()
            return
        IdempotencyRecord.objects.filter(pk=self.record.pk, status=None).update(
            status=response.status_code,
            headers={name: response[name] for name in _KEPT_HEADERS if name in response},
            body=_without(response, secret_fields),
            body_sha256=self._digest.hexdigest(),
        )


def _without(response: HttpResponse, secret_fields: Collection[str]) -> bytes:
    if not secret_fields:
        return response.content
    data = {name: None if name in secret_fields else value for name, value in json.loads(response.content).items()}
    return json.dumps(data, ensure_ascii=False).encode()


def _drain(http: Any) -> bool:
    """Read what the call left of the body; return False where it is larger than any call takes."""
    left = settings.IMPORT_MAX_BODY_BYTES
    try:
        while left > 0:
            chunk = http.read(_CHUNK)
            if not chunk:
                return True
            left -= len(chunk)
    except (OSError, ValueError):
        # Django closes the stream of a body that it has read itself; then nothing is left.
        return True
    return False


def _hash_while_read(http: Any, digest: Any) -> None:
    if http._read_started:
        digest.update(http.body)
    else:
        http._stream = _HashingStream(http._stream, digest)


def begin(request: Request, actor: Actor) -> Reservation | HttpResponse | None:
    """Return None without a key, the first answer for a repeated call, else the reservation of a new one.

    Raises `Malformed` for a key that is none, `Conflict` (`idempotency_mismatch`) for another body under a used key,
    `InFlight` while the first call runs.
    """
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not _KEY.match(key):
        raise Malformed(
            _("Idempotency-Key is 1 to 200 printable ASCII characters without spaces."), code="idempotency_key_invalid"
        )
    http = request._request
    digest = _seed(actor, request)
    with transaction.atomic():
        record, is_new = IdempotencyRecord.objects.get_or_create(
            actor_key=actor.key,
            key=key,
            defaults={"method_path": f"POST {request.path}"[:400], "body_sha256": "", "holder": process_name()},
        )
        if not is_new and _may_take_over(record):
            is_new = True
    _hash_while_read(http, digest)
    if is_new:
        return Reservation(record, digest, http)
    if record.status is None:
        raise InFlight(_("A call with this Idempotency-Key is still running. Ask again in a moment."))
    if not _drain(http) or digest.hexdigest() != record.body_sha256:
        raise Conflict(
            _("This Idempotency-Key was used for another request. Use a new key for a new request."),
            code="idempotency_mismatch",
        )
    return _replay(record)


def _may_take_over(record: IdempotencyRecord) -> bool:
    """Move a record that has had its day, or whose process died, to this call; only one call gets it."""
    now = timezone.now()
    is_old = record.created_at < now - KEEP
    is_lost = record.status is None and (record.created_at < now - TAKE_OVER_AFTER or is_dead(record.holder))
    if not (is_old or is_lost):
        return False
    taken = IdempotencyRecord.objects.filter(pk=record.pk, created_at=record.created_at).update(
        created_at=now, status=None, body=None, headers={}, body_sha256="", holder=process_name()
    )
    return bool(taken)


def _replay(record: IdempotencyRecord) -> HttpResponse:
    headers = {**record.headers, "Idempotency-Replayed": "true"}
    return HttpResponse(bytes(record.body or b""), status=record.status, headers=headers)
