"""The home page's panel of runs: the newest ones, and each system's task success over runs that can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core_app.actors import Actor
from runs_app.models import Run
from runs_app.policies import RunAction, policy
from runs_app.selectors.disclosure import Figure
from runs_app.selectors.runs import primary_figures, runs_visible
from runs_app.states import RunStatus
from teams_app.models import Team

NEWEST = 6
#: How many systems, how many points of each, and how far back runs are looked through for them.
SYSTEMS = 8
POINTS = 20
LOOKED_THROUGH = 400


@dataclass(frozen=True, slots=True)
class Trend:
    """One system's task success over its completed runs on one split, the oldest first; a hidden value is a gap."""

    newest: Run
    figure: Figure | None
    values: list[float | None]
    labels: list[str]


def _series(actor: Actor, team: Team) -> list[list[int]]:
    """Return the ids of each system's newest runs that were on the same items by the same suite, the newest first.

    A system's series is the one that its newest completed run belongs to.
    """
    rows = (
        runs_visible(actor, team=team, status=RunStatus.COMPLETED)
        .select_related(None)
        .values_list(
            "system_version__system_id", "dataset_version_id", "split", "tier", "repeats", "suite_version_id", "pk"
        )[:LOOKED_THROUGH]
    )
    wanted: dict[int, tuple[Any, ...]] = {}
    found: dict[int, list[int]] = {}
    for system, *place, run in rows:
        if wanted.setdefault(system, tuple(place)) == tuple(place):
            found.setdefault(system, []).append(run)
    return [runs[:POINTS] for runs in list(found.values())[:SYSTEMS]]


def home_panel(actor: Actor, team: Team) -> dict[str, Any] | None:
    """Return the context of `_home_runs.html`: `rows` of (run, figure or None), `trends`; None without the right."""
    if not policy.can(actor, RunAction.VIEW, team):
        return None
    newest = list(runs_visible(actor, team=team)[:NEWEST])
    series = _series(actor, team)
    by_id = {run.pk: run for run in newest}
    missing = {run for runs in series for run in runs} - by_id.keys()
    if missing:
        by_id |= runs_visible(actor, team=team).in_bulk(missing)
    figures = primary_figures(actor, by_id.values())
    trends = []
    for ids in series:
        points = [figures.get(run) for run in reversed(ids)]
        trends.append(
            Trend(
                newest=by_id[ids[0]],
                figure=points[-1],
                values=[None if figure is None else figure.value for figure in points],
                labels=list(dict.fromkeys(by_id[run].system_version.label for run in reversed(ids))),
            )
        )
    return {"team": team, "rows": [(run, figures.get(run.pk)) for run in newest], "trends": trends}
