"""The tasks of this app by name, so that services can enqueue what is defined above them."""

from celery import current_app

from core_app.queue import enqueue


def _send(name: str, key: int, countdown: float | None = None) -> None:
    full = f"runs_app.tasks.{name}"
    if full not in current_app.tasks:
        # A web process has not loaded the task modules; Celery does so in workers alone.
        current_app.loader.import_default_modules()
    enqueue(current_app.tasks[full], key, countdown=countdown)


def score_batch_enqueue(batch_id: int, countdown: float | None = None) -> None:
    """Have a worker score one batch, after the commit."""
    _send("score_batch", batch_id, countdown)


def run_finish_enqueue(run_id: int) -> None:
    """Have a worker aggregate and complete a run, after the commit."""
    _send("finish_run", run_id)
