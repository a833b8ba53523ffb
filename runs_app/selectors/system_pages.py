"""What the pages of systems and suites show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Max, QuerySet

from core_app.actors import Actor
from runs_app.models import AnswerThreshold, Suite, System, SystemVersion
from runs_app.policies import policy
from runs_app.selectors.runs import primary_figures, runs_visible
from runs_app.selectors.thresholds import thresholds_of
from teams_app.models import Team

RUNS_SHOWN = 5
THRESHOLDS_SHOWN = 50


def systems_with_counts(actor: Actor, team: Team) -> QuerySet[System]:
    """Return the team's systems with `n_versions`, `n_runs`, `last_run_at`."""
    rows = policy.visible_to(actor, System.objects.filter(team=team).select_related("team"))
    return rows.annotate(
        n_versions=Count("versions", distinct=True),
        n_runs=Count("versions__runs", distinct=True),
        last_run_at=Max("versions__runs__created_at"),
    ).order_by("slug")


def system_versions(actor: Actor, system: System, versions: Sequence[SystemVersion]) -> list[dict[str, Any]]:
    """Return each version with its newest runs and their primary figures, in a fixed number of queries."""
    runs = list(runs_visible(actor, team=system.team).filter(system_version__in=versions)[:500])
    by_version: dict[int, list[Any]] = {}
    for run in runs:
        by_version.setdefault(run.system_version_id, []).append(run)
    shown = [run for found in by_version.values() for run in found[:RUNS_SHOWN]]
    figures = primary_figures(actor, shown)
    return [
        {
            "version": version,
            "runs": [(run, figures.get(run.pk)) for run in by_version.get(version.pk, [])[:RUNS_SHOWN]],
            "n_runs": len(by_version.get(version.pk, [])),
        }
        for version in versions
    ]


def threshold_history(system: System) -> list[AnswerThreshold]:
    """Return the system's newest thresholds, the one in force first."""
    return list(thresholds_of(system)[:THRESHOLDS_SHOWN])


def suites_with_counts(actor: Actor, team: Team) -> QuerySet[Suite]:
    """Return the team's suites with `newest` (number of the newest version) and `n_runs`."""
    rows = policy.visible_to(actor, Suite.objects.filter(team=team).select_related("team"))
    return rows.annotate(newest=Max("versions__number"), n_runs=Count("versions__runs", distinct=True)).order_by("slug")
