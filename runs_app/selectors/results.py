"""A completed run's figures laid out for reading: by stage, by family, by group, with what they point at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from core_app.actors import Actor
from datasets_app.states import QuestionType, Tier
from runs_app.models import Output, Run
from runs_app.selectors.diagnosing import findings_of, thresholds_of
from runs_app.selectors.disclosure import Figure
from runs_app.selectors.noise import figure_notes
from runs_app.selectors.runs import PRIMARY, closed_reason, figures_of, outcomes_of, redaction_of
from runs_app.selectors.unscored import is_unscored
from runs_app.states import Outcome, RunStatus
from scoring.identity import MetricIdentity

_LEFT_OUT = re.compile(r"stage=.*|v\d+")
STAGE_ORDER = ("coarse", "retrieved", "reranked", "prompt", "")
GROUP_NAMES = {
    "type": gettext_lazy("Question type"),
    "tier": gettext_lazy("Tier"),
    "language": gettext_lazy("Language"),
    "tag": gettext_lazy("Tag"),
}
_VALUE_NAMES = {"type": dict(QuestionType.choices), "tier": dict(Tier.choices)}


@dataclass(slots=True)
class Results:
    """One run's page of figures. `retrieval` has one row a metric and one cell (or None) a stage.

    `unscored` are the figures without a scored item; they are in no other table.
    """

    primary: Figure | None = None
    closed: str = ""
    stages: list[str] = field(default_factory=list)
    retrieval: list[tuple[str, list[Figure | None]]] = field(default_factory=list)
    families: list[tuple[str, list[Figure]]] = field(default_factory=list)
    #: Sentence about a judge's noise → the metrics that it is about.
    noise: list[tuple[str, list[str]]] = field(default_factory=list)
    unscored: list[Figure] = field(default_factory=list)
    groups: list[tuple[Any, list[tuple[Any, Figure]]]] = field(default_factory=list)
    group_metric: str = ""
    metrics: list[str] = field(default_factory=list)
    findings: list[dict[str, Any]] = field(default_factory=list)
    outcomes: dict[str, int | None] = field(default_factory=dict)
    matrix: list[dict[str, Any]] = field(default_factory=list)


def group_value_name(group: str, value: str) -> Any:
    """Return what a group is called: a question type or tier in the reader's language, else its value."""
    return _VALUE_NAMES.get(group, {}).get(value, value)


def short_name(identity: str) -> str:
    """Return an identity without family, stage and version: `ndcg@10 gain=linear`."""
    kept = [part for part in identity.split() if not _LEFT_OUT.fullmatch(part)]
    return " ".join(kept).partition(".")[2]


def _retrieval(
    figures: Sequence[Figure], stages: Sequence[str]
) -> tuple[list[str], list[tuple[str, list[Figure | None]]]]:
    found = [figure for figure in figures if figure.family == "retrieval"]
    order = {stage: place for place, stage in enumerate([*stages, *(one for one in STAGE_ORDER if one not in stages)])}
    shown = sorted({figure.stage for figure in found}, key=lambda stage: (order.get(stage, len(order)), stage))
    rows: dict[str, dict[str, Figure]] = {}
    for figure in found:
        rows.setdefault(short_name(figure.metric), {})[figure.stage] = figure
    return shown, [(name, [cells.get(stage) for stage in shown]) for name, cells in sorted(rows.items())]


def _groups(figures: Iterable[Figure], identity: str) -> list[tuple[Any, list[tuple[Any, Figure]]]]:
    found = [figure for figure in figures if figure.metric == identity]
    macro = [figure for figure in found if figure.group == "macro"]
    groups = []
    for group, name in GROUP_NAMES.items():
        rows = [figure for figure in found if figure.group == group]
        if rows:
            named: list[tuple[Any, Figure]] = [(group_value_name(group, row.group_value), row) for row in rows]
            if group == "type":
                named += [(_("Mean of the types"), row) for row in macro]
            groups.append((name, named))
    return groups


def _findings(run: Run, wholes: Sequence[Figure]) -> list[dict[str, Any]]:
    limits = thresholds_of(run)
    values = {
        MetricIdentity.parse(figure.metric): figure.value
        for figure in wholes
        if figure.value is not None and (figure.n_scored or 0) >= limits.least_items
    }
    return findings_of(values, limits)


def _matrix(actor: Actor, run: Run) -> list[dict[str, Any]]:
    """Return answerable × outcome counts; none at all where a cell is under the limit, for it could be worked out."""
    rows = Output.objects.filter(run=run).order_by().values_list("entry__revision__answerable", "outcome")
    counts = {(answerable, outcome): n for answerable, outcome, n in rows.annotate(n=Count("id"))}
    redaction = redaction_of(actor, run)
    if redaction.active and (closed_reason(actor, run) or any(redaction.small(n) for n in counts.values())):
        return []
    return [
        {
            "label": label,
            "cells": [counts.get((answerable, outcome.value), 0) for outcome in Outcome],
            "total": sum(n for (kind, _outcome), n in counts.items() if kind is answerable),
        }
        for answerable, label in ((True, _("Answerable")), (False, _("Not answerable")))
    ]


def results_of(actor: Actor, run: Run, *, group_metric: str = "") -> Results:
    """Return what the run's page shows, as the actor may see it; empty before the run is completed."""
    if run.status != RunStatus.COMPLETED:
        return Results()
    figures = figures_of(actor, run)
    wholes = [figure for figure in figures if figure.group == "all"]
    results = Results(
        primary=next((figure for figure in wholes if figure.name == PRIMARY), None),
        closed=closed_reason(actor, run) if any(figure.hidden for figure in figures) else "",
        metrics=[figure.metric for figure in wholes],
        outcomes=outcomes_of(actor, run),
    )
    results.unscored = [figure for figure in wholes if is_unscored(figure)]
    scored = [figure for figure in wholes if not is_unscored(figure)]
    results.stages, results.retrieval = _retrieval(scored, run.suite_version.settings.get("stages") or ())
    for family in dict.fromkeys(figure.family for figure in scored):
        if family != "retrieval":
            results.families.append((family, [figure for figure in scored if figure.family == family]))
    for identity, note in figure_notes(actor, run, scored).items():
        found = next((metrics for text, metrics in results.noise if text == note), None)
        if found is None:
            results.noise.append((note, [identity]))
        else:
            found.append(identity)
    default = results.primary.metric if results.primary else next(iter(results.metrics), "")
    results.group_metric = group_metric if group_metric in results.metrics else default
    results.groups = _groups(figures, results.group_metric)
    results.findings = _findings(run, wholes)
    results.matrix = _matrix(actor, run)
    return results
