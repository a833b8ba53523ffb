"""Background work of this app: thin, by id, safe to run twice and in any order."""

from celery import shared_task
from celery.signals import worker_ready
from django.db import DatabaseError

from runs_app.services.aggregates import run_finish
from runs_app.services.failures import run_finish_failed
from runs_app.services.recovery import work_reap, work_recover
from runs_app.services.scoring import batch_score


@shared_task(ignore_result=True)
def score_batch(batch_id: int) -> None:
    """Score one batch, unless it is done or somebody else holds it."""
    batch_score(batch_id=batch_id)


@shared_task(ignore_result=True)
def finish_run(run_id: int) -> None:
    """Aggregate and complete a run whose batches are done."""
    try:
        run_finish(run_id=run_id)
    except DatabaseError:
        # The reaper finds the run again.
        raise
    except Exception as error:
        run_finish_failed(run_id=run_id, error=error)


@shared_task(ignore_result=True, expires=30)
def reap() -> None:
    """Take up lost work."""
    work_reap()


@shared_task(ignore_result=True)
def recover() -> None:
    """Take up the work of workers that died, when a worker has started."""
    work_recover()


@worker_ready.connect
def recover_at_start(**_kwargs: object) -> None:
    """Enqueue the recovery, so that it runs inside a worker process and not in its parent."""
    recover.apply_async(retry=False)
