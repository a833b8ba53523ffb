"""Large reads as NDJSON, row by row, and answers held until long work is done."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.http import StreamingHttpResponse
from django.utils.translation import gettext as _
from rest_framework.request import Request

from core_app.errors import FieldError, Invalid
from core_app.rest.renderers import JSONRenderer, NDJSONRenderer

MAX_WAIT_SECONDS = 60.0
#: Each held answer keeps a thread of the web process: of the least that is run with (four), one stays free for others.
MOST_HELD = 3
_held = threading.BoundedSemaphore(MOST_HELD)
#: First pause between two looks; it doubles up to a second.
_FIRST_PAUSE_SECONDS = 0.05


def wants_ndjson(request: Request) -> bool:
    """Return whether the client asked for `application/x-ndjson` (and the view offers it)."""
    return isinstance(getattr(request, "accepted_renderer", None), NDJSONRenderer)


def ndjson_lines(rows: Iterable[Any]) -> Iterator[bytes]:
    """Yield each row as one line of JSON."""
    renderer = JSONRenderer()
    for row in rows:
        yield renderer.render(row) + b"\n"


def ndjson_stream(rows: Iterable[Any]) -> StreamingHttpResponse:
    """Return a streamed NDJSON answer; `rows` is read while it is sent, so give it an iterator over the database."""
    return StreamingHttpResponse(ndjson_lines(rows), content_type=NDJSONRenderer.media_type)


def wait_seconds(request: Request) -> float:
    """Return `?wait=` in seconds, at most 60, 0 where absent; raises `Invalid` where it is no number."""
    raw = request.query_params.get("wait", "")
    if raw == "":
        return 0.0
    try:
        seconds = float(raw)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise Invalid(
            _("“wait” is a number of seconds from 0 to 60."),
            errors=[FieldError("/wait", "invalid", _("“wait” is a number of seconds from 0 to 60."))],
        )
    return min(seconds, MAX_WAIT_SECONDS)


def hold_until(predicate: Callable[[], bool], request: Request) -> bool:
    """Look at `predicate` until it is true or `?wait=` seconds have passed; return what it said last.

    At most `MOST_HELD` answers are held at once in one process; a further caller is answered at once and asks again.

    `predicate` reads the database afresh each time and must not stand inside a transaction, which would show it the
    same rows for ever and block writers.
    """
    deadline = time.monotonic() + wait_seconds(request)
    if predicate():
        return True
    if deadline <= time.monotonic() or not _held.acquire(blocking=False):
        return False
    try:
        return _look_until(predicate, deadline)
    finally:
        _held.release()


def _look_until(predicate: Callable[[], bool], deadline: float) -> bool:
    pause = _FIRST_PAUSE_SECONDS
    while (left := deadline - time.monotonic()) > 0:
        time.sleep(min(pause, left))
        if predicate():
            return True
        pause = min(pause * 2, 1.0)
    return False
