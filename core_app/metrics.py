"""Prometheus metrics: requests and tasks by count and time, queue lengths, and what apps register themselves."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator

import redis
from django.conf import settings
from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector

from core_app.broker import broker_client

log = logging.getLogger(__name__)

REQUESTS = Counter("evalplatform_requests_total", "Answered requests.", ["view", "method", "status"])
REQUEST_SECONDS = Histogram(
    "evalplatform_request_seconds",
    "Time to answer, in seconds.",
    ["view", "method"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
)
TASKS = Counter("evalplatform_tasks_total", "Finished tasks.", ["task", "state"])
TASK_SECONDS = Histogram(
    "evalplatform_task_seconds",
    "Time that a task took, in seconds.",
    ["task"],
    buckets=(0.05, 0.25, 1, 5, 15, 60, 300, 900),
)

Source = Callable[[], Iterable[Metric]]
_sources: list[Source] = []


def register_source(source: Source) -> None:
    """Add figures that are read when somebody scrapes, for example runs by status; called in `AppConfig.ready()`."""
    if source not in _sources:
        _sources.append(source)


def observe_request(view: str, method: str, status: int, seconds: float) -> None:
    REQUESTS.labels(view, method, str(status)).inc()
    REQUEST_SECONDS.labels(view, method).observe(seconds)


def observe_task(task: str, state: str, seconds: float) -> None:
    TASKS.labels(task, state).inc()
    TASK_SECONDS.labels(task).observe(seconds)


def queue_names() -> list[str]:
    """Return the queues of the settings: the default one and those that tasks are routed to."""
    routed = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    return sorted({settings.CELERY_TASK_DEFAULT_QUEUE, *routed})


def _queue_lengths() -> Iterator[Metric]:
    up = GaugeMetricFamily("evalplatform_broker_up", "Whether the broker answers.")
    lengths = GaugeMetricFamily("evalplatform_queue_length", "Tasks that wait.", labels=["queue"])
    try:
        client = broker_client()
        for name in queue_names():
            lengths.add_metric([name], client.llen(name))
        up.add_metric([], 1)
    except redis.RedisError:
        up.add_metric([], 0)
    yield up
    yield lengths


class _OnScrape:
    """A collector over what is read at the moment of asking; one source that fails doesn't hide the others."""

    def collect(self) -> Iterator[Metric]:
        for source in (_queue_lengths, *_sources):
            try:
                yield from list(source())
            except Exception:
                log.exception("a source of metrics fails")


def exposition() -> bytes:
    """Return all metrics in Prometheus' text form, over all web processes where PROMETHEUS_MULTIPROC_DIR is set."""
    fresh = CollectorRegistry()
    fresh.register(_OnScrape())  # type: ignore[arg-type]
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        MultiProcessCollector(fresh)
        return generate_latest(fresh)
    return generate_latest(REGISTRY) + generate_latest(fresh)
