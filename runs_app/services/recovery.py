"""Finding lost work: dead workers' leases, messages that never arrived, runs that nobody ended."""

from __future__ import annotations

from django.utils import timezone

from runs_app.models import Run, ScoreBatch
from runs_app.services.leases import REQUEUE_AFTER, leases_of_the_dead
from runs_app.services.work import run_finish_enqueue, score_batch_enqueue
from runs_app.states import BatchStatus, RunStatus

#: Batches enqueued again in one go; the rest wait for the next one.
MAX_AT_ONCE = 500


def leases_release() -> list[int]:
    """Free the batches of workers that ran on this machine and are gone, and enqueue them. Return their ids."""
    freed = []
    for batch in leases_of_the_dead():
        changed = ScoreBatch.objects.filter(pk=batch.pk, status=BatchStatus.CLAIMED, worker=batch.worker).update(
            status=BatchStatus.WAITING, worker="", lease_until=timezone.now() + REQUEUE_AFTER
        )
        if changed:
            freed.append(batch.pk)
            score_batch_enqueue(batch.pk)
    return freed


def _enqueue_due(*, whatever_waits: bool) -> int:
    now = timezone.now()
    batches = ScoreBatch.objects.filter(run__status=RunStatus.SCORING).exclude(status=BatchStatus.DONE)
    waiting = batches.filter(status=BatchStatus.WAITING)
    due = waiting if whatever_waits else waiting.filter(lease_until__lt=now)
    ids = list(due.order_by("id").values_list("id", flat=True)[:MAX_AT_ONCE])
    ScoreBatch.objects.filter(pk__in=ids, status=BatchStatus.WAITING).update(lease_until=now + REQUEUE_AFTER)
    expired = batches.filter(status=BatchStatus.CLAIMED, lease_until__lt=now)
    ids += list(expired.order_by("id").values_list("id", flat=True)[:MAX_AT_ONCE])
    for batch_id in ids:
        score_batch_enqueue(batch_id)
    return len(ids)


def _finish_due() -> int:
    """Enqueue the end of each run whose batches are all done: its last worker may have died before it could ask."""
    scoring = Run.objects.filter(status=RunStatus.SCORING)
    done = scoring.exclude(batches__in=ScoreBatch.objects.exclude(status=BatchStatus.DONE))
    ids = list(done.values_list("id", flat=True)[:MAX_AT_ONCE])
    for run_id in ids:
        run_finish_enqueue(run_id)
    return len(ids)


def work_reap() -> dict[str, int]:
    """Take up what was lost; called every few seconds by the scheduler. A message too many does no harm."""
    return {
        "released": len(leases_release()),
        "enqueued": _enqueue_due(whatever_waits=False),
        "finishing": _finish_due(),
    }


def work_recover() -> dict[str, int]:
    """Take up all that waits, at a worker's start: the messages of a killed worker come back only after minutes."""
    return {
        "released": len(leases_release()),
        "enqueued": _enqueue_due(whatever_waits=True),
        "finishing": _finish_due(),
    }
