"""Background work of this app: thin and safe to run twice."""

from celery import shared_task

from datasets_app.services.exposure import exposure_remind


@shared_task(ignore_result=True)
def remind_of_exposure() -> None:
    """Write down which frozen splits are due to rotate or near their budget."""
    exposure_remind()
