"""Enqueue a Celery task after the commit, carrying the request id, so that a rolled-back write queues nothing."""

from typing import Any

from celery import Task
from django.db import transaction

from core_app.context import request_id_var


def enqueue(task: Task, *args: Any, countdown: float | None = None, priority: int | None = None) -> None:
    """Send `task` with plain ids as arguments once the present transaction has committed.

    A broker that can't be reached is no reason to fail the request: the work is in our own tables, and the reaper
    takes it up (`runs_app.tasks.reap`).
    """
    options: dict[str, Any] = {"headers": {"request_id": request_id_var.get()}}
    if countdown is not None:
        options["countdown"] = countdown
    if priority is not None:
        options["priority"] = priority
    transaction.on_commit(lambda: task.apply_async(args=args, retry=False, **options), robust=True)
