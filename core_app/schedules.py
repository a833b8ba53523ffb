"""What beat runs and how often. Each app has a `schedules` module with `SCHEDULE`; settings merge them all."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from celery.schedules import crontab

SCHEDULE: dict[str, dict[str, Any]] = {
    "audit-seal": {"task": "core_app.tasks.audit_seal", "schedule": 5.0},
    "audit-seal-all": {
        "task": "core_app.tasks.audit_seal",
        "schedule": crontab(minute="17"),
        "kwargs": {"everything": True},
    },
    "audit-check": {"task": "core_app.tasks.audit_check", "schedule": crontab(minute="41")},
    "idempotency-sweep": {"task": "core_app.tasks.idempotency_sweep", "schedule": crontab(minute="7")},
}


def collect(apps: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the schedules of all apps that have a `schedules` module (read while settings load: no models there)."""
    merged: dict[str, dict[str, Any]] = {}
    for app in apps:
        if app.endswith("_app") and find_spec(f"{app}.schedules") is not None:
            merged.update(import_module(f"{app}.schedules").SCHEDULE)
    return merged
