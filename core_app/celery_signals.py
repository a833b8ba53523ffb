"""Tasks carry the request id of whoever asked for them into their logs and audit events, and are counted."""

from __future__ import annotations

import logging
import time
from contextvars import Token
from typing import Any

from celery.signals import before_task_publish, setup_logging, task_failure, task_postrun, task_prerun
from django.conf import settings

from core_app import metrics
from core_app.context import actor_var, request_id_var
from core_app.logging import configure

log = logging.getLogger("core_app.tasks")
#: Per running task: what to put back afterwards (an eager task runs inside a request), and when it began.
_running: dict[str, tuple[Token[str], float]] = {}


@setup_logging.connect
def _use_our_logging(**_more: Any) -> None:
    configure(settings.LOGGING)


@before_task_publish.connect
def _send_request_id(headers: dict[str, Any] | None = None, **_more: Any) -> None:
    if headers is not None and request_id_var.get():
        headers.setdefault("request_id", request_id_var.get())


def request_id_of(task: Any) -> str:
    """Return the request id that came with the task's message, or the task's own id."""
    request = task.request
    given = getattr(request, "request_id", None) or (getattr(request, "headers", None) or {}).get("request_id")
    return str(given or request.id or "")[:64]


@task_prerun.connect
def _begin(task_id: str = "", task: Any = None, **_more: Any) -> None:
    _running[task_id] = (request_id_var.set(request_id_of(task)), time.monotonic())


@task_postrun.connect
def _end(task_id: str = "", task: Any = None, state: str | None = None, **_more: Any) -> None:
    begun = _running.pop(task_id, None)
    if begun is None:
        return
    token, started = begun
    seconds = time.monotonic() - started
    metrics.observe_task(task.name, state or "UNKNOWN", seconds)
    log.info("task", extra={"task": task.name, "state": state, "ms": round(seconds * 1000)})
    request_id_var.reset(token)
    if not request_id_var.get():
        actor_var.set("")


@task_failure.connect
def _failed(sender: Any = None, exception: BaseException | None = None, **_more: Any) -> None:
    log.error("task failed", extra={"task": getattr(sender, "name", ""), "error": type(exception).__name__})
