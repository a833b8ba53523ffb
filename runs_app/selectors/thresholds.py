"""The answer thresholds of a system."""

from __future__ import annotations

from django.db.models import QuerySet

from runs_app.models import AnswerThreshold, System


def thresholds_of(system: System) -> QuerySet[AnswerThreshold]:
    """Return the system's thresholds with their dev runs, the one in force first."""
    return AnswerThreshold.objects.filter(system=system).select_related("run").order_by("-id")
