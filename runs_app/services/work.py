"""The tasks of this app by name, so that services can enqueue what is defined above them."""

from celery import current_app

from core_app.queue import enqueue


def _send(name: str, key: int, countdown: float | None = None) -> None:
    enqueue(current_app.signature(f"runs_app.tasks.{name}"), key, countdown=countdown)


def score_batch_enqueue(batch_id: int, countdown: float | None = None) -> None:
    """Have a worker score one batch, after the commit."""
    _send("score_batch", batch_id, countdown)


def run_finish_enqueue(run_id: int) -> None:
    """Have a worker aggregate and complete a run, after the commit."""
    _send("finish_run", run_id)
