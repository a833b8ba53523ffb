"""Who works on a batch: leases with a worker's name, claimed and renewed by conditional UPDATE.

A worker is named as core_app.processes does, so that one that died on this machine is known at once.
"""

from __future__ import annotations

from datetime import timedelta

from django.db.models import F, Q
from django.utils import timezone

from core_app.processes import is_dead
from runs_app.models import ScoreBatch
from runs_app.states import BatchStatus, RunStatus

LEASE = timedelta(seconds=60)
#: A lease is renewed once this much of it has gone.
RENEW_AFTER = timedelta(seconds=15)
#: A waiting batch whose message may be lost is enqueued again after this time.
REQUEUE_AFTER = timedelta(seconds=120)


def batch_claim(batch_id: int, worker: str) -> ScoreBatch | None:
    """Take the batch for `worker`, or return None: done, leased by another, or its run is no longer scoring."""
    now = timezone.now()
    free = Q(status=BatchStatus.WAITING) | Q(status=BatchStatus.CLAIMED, lease_until__lt=now)
    claimed = ScoreBatch.objects.filter(free, pk=batch_id, run__status=RunStatus.SCORING).update(
        status=BatchStatus.CLAIMED, worker=worker, lease_until=now + LEASE, attempts=F("attempts") + 1
    )
    if not claimed:
        return None
    return ScoreBatch.objects.select_related(
        "run__dataset_version__dataset__team", "run__suite_version", "run__snapshot"
    ).get(pk=batch_id)


def lease_renew(batch: ScoreBatch) -> bool:
    """Renew the lease where it is due; return False where another worker has taken the batch."""
    now = timezone.now()
    if batch.lease_until is not None and batch.lease_until - now > LEASE - RENEW_AFTER:
        return True
    batch.lease_until = now + LEASE
    return bool(
        ScoreBatch.objects.filter(pk=batch.pk, status=BatchStatus.CLAIMED, worker=batch.worker).update(
            lease_until=batch.lease_until
        )
    )


def leases_of_the_dead() -> list[ScoreBatch]:
    """Return the claimed batches whose worker ran on this machine and is gone."""
    claimed = ScoreBatch.objects.filter(status=BatchStatus.CLAIMED, run__status=RunStatus.SCORING)
    return [batch for batch in claimed.select_related("run") if is_dead(batch.worker)]
