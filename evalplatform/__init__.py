"""Wiring only: settings, URLs, the Celery application. No behaviour of the product lives here."""

from evalplatform.celery import app as celery_app

__all__ = ["celery_app"]
