"""Who works on a batch: leases with a worker's name, claimed and renewed by conditional UPDATE.

A worker's name is `host:pid:start`, with the process's start time, so that a dead worker on this machine is known at
once and a new process with the same pid is not taken for it.
"""

from __future__ import annotations

import os
import socket
from datetime import timedelta
from pathlib import Path

from django.db.models import F, Q
from django.utils import timezone

from runs_app.models import ScoreBatch
from runs_app.states import BatchStatus, RunStatus

LEASE = timedelta(seconds=60)
#: A lease is renewed once this much of it has gone.
RENEW_AFTER = timedelta(seconds=15)
#: A waiting batch whose message may be lost is enqueued again after this time.
REQUEUE_AFTER = timedelta(seconds=120)


def _start_of(pid: int) -> str:
    """Return the process's start time in clock ticks since boot (Linux), `live` elsewhere, or "" where it is dead."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return ""
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return ""
        except PermissionError:
            return "live"
        return "live"
    except OSError:
        return "live"
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] == "Z" else fields[19]


def worker_name() -> str:
    """Return this process's name in leases."""
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{_start_of(pid)}"


def is_dead(worker: str) -> bool:
    """Return whether the named worker ran on this machine and is gone; False where that can't be known."""
    host, _sep, rest = worker.rpartition(":")[0].rpartition(":")
    started = worker.rpartition(":")[2]
    if host != socket.gethostname() or not rest.isdigit():
        return False
    return _start_of(int(rest)) != started


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
