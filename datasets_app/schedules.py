"""What beat runs for this app."""

from celery.schedules import crontab

SCHEDULE = {
    "exposure-remind": {"task": "datasets_app.tasks.remind_of_exposure", "schedule": crontab(hour="5", minute="23")},
}
