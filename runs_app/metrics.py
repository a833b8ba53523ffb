"""What Prometheus reads of this app at the moment of asking: runs by status, and slices that wait to be scored."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count
from prometheus_client.core import GaugeMetricFamily, Metric

from runs_app.models import Run, ScoreBatch
from runs_app.states import BatchStatus, RunStatus


def run_metrics() -> Iterator[Metric]:
    """Yield `evalplatform_runs` by status, zeros included, and `evalplatform_score_batches` that are not done."""
    runs = GaugeMetricFamily("evalplatform_runs", "Runs by status.", labels=["status"])
    counted = dict(Run.objects.order_by().values_list("status").annotate(n=Count("pk")))
    for status in RunStatus.values:
        runs.add_metric([status], counted.get(status, 0))
    batches = GaugeMetricFamily("evalplatform_score_batches", "Batches to be scored, by status.", labels=["status"])
    open_batches = ScoreBatch.objects.exclude(status=BatchStatus.DONE).order_by()
    waiting = dict(open_batches.values_list("status").annotate(n=Count("pk")))
    for status in BatchStatus.values:
        if status != BatchStatus.DONE:
            batches.add_metric([status], waiting.get(status, 0))
    yield runs
    yield batches
