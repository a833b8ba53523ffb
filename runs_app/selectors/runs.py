"""Reading runs: lists with their primary figure, progress, figures as a reader may see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from core_app.actors import Actor
from datasets_app import policies as dataset_policies
from datasets_app.states import Level
from runs_app.models import Aggregate, Output, Run
from runs_app.policies import policy
from runs_app.selectors.comparisons import runs_for_reading
from runs_app.selectors.disclosure import Figure, figure_of, figures_shown
from runs_app.selectors.redaction import Redaction, is_twin, redaction_for
from runs_app.states import BatchStatus, RunStatus
from teams_app.models import Team

PRIMARY = "answers.task_success"


def run_in(actor: Actor, team: Team, public_id: str) -> Run:
    """Return a run of this team that the actor may view; raises `NotFound` or `Forbidden`."""
    return policy.get_visible(actor, runs_for_reading().filter(team=team), public_id=public_id)


def run_status(run: Run) -> str:
    """Return the run's status as it is in the database now."""
    return Run.objects.values_list("status", flat=True).get(pk=run.pk)


def runs_visible(
    actor: Actor,
    *,
    team: Team | None = None,
    status: str = "",
    split: str = "",
    system: str = "",
    dataset: str = "",
) -> QuerySet[Run]:
    """Return the runs that the actor may view, newest first, without their manifests.

    `system` and `dataset` are readable references (`support/assistant`) or opaque ids.
    """
    rows = policy.visible_to(actor, runs_for_reading()).defer("manifest").order_by("-pk")
    if team is not None:
        rows = rows.filter(team=team)
    if status:
        rows = rows.filter(status=status)
    if split:
        rows = rows.filter(split=split)
    for ref, path in ((system, "system_version__system"), (dataset, "dataset_version__dataset")):
        if "/" in ref:
            team_slug, slug = ref.split("/", 1)
            rows = rows.filter(**{f"{path}__team__slug": team_slug, f"{path}__slug": slug})
        elif ref:
            rows = rows.filter(**{f"{path}__public_id": ref})
    return rows


def closed_reason(actor: Actor, run: Run) -> str:
    """Return why the actor sees no figure of the run at all, or ""."""
    if run.is_frozen_split and not dataset_policies.policy.has_level(
        actor, run.dataset_version.dataset, Level.AGGREGATE
    ):
        return "level_required"
    return "too_few_changes" if is_twin(run) else ""


def figures_of(actor: Actor, run: Run, *, groups: Iterable[str] | None = None) -> list[Figure]:
    """Return the completed run's figures as the actor may see them, in the suite's order, external metrics last."""
    if run.status != RunStatus.COMPLETED:
        return []
    order = {identity: place for place, identity in enumerate(run.suite_version.metrics)}
    rows = Aggregate.objects.filter(run=run).select_related("metric").order_by("group", "group_value")
    figures = [figure_of(row) for row in rows]
    figures.sort(key=lambda figure: (order.get(figure.metric, len(order)), figure.metric))
    shown = figures_shown(figures, redaction_of(actor, run), closed_reason(actor, run))
    wanted = None if groups is None else set(groups)
    return [figure for figure in shown if wanted is None or figure.group in wanted]


def redaction_of(actor: Actor, run: Run) -> Redaction:
    """Return what is hidden from the actor in the run's figures."""
    if closed_reason(actor, run) == "level_required":
        return Redaction(limit=run.dataset_version.dataset.disclosure_limit)
    return redaction_for(actor, run)


def primary_figures(actor: Actor, runs: Iterable[Run]) -> dict[int, Figure]:
    """Return run id → the primary figure over all items, for a page of runs in a fixed number of queries."""
    by_id = {run.pk: run for run in runs if run.status == RunStatus.COMPLETED}
    rows = Aggregate.objects.filter(run__in=list(by_id), metric__name=PRIMARY, group="all").select_related("metric")
    rules: dict[tuple[int, bool], tuple[Redaction, bool]] = {}
    found = {}
    for row in rows:
        run = by_id[row.run_id]
        key = (run.dataset_version.dataset_id, run.is_frozen_split)
        if key not in rules:
            # The level belongs to the dataset: asked once for all of its runs on the page.
            rules[key] = redaction_of(actor, run), closed_reason(actor, run) == "level_required"
        redaction, closed = rules[key]
        reason = "level_required" if closed else "too_few_changes" if is_twin(run) else ""
        found[run.pk] = figures_shown([figure_of(row)], redaction, reason)[0]
    return found


def progress_of(run: Run) -> dict[str, Any]:
    """Return `{done, total, by_state, eta_s, phase}`: outputs received while it collects, then outputs scored.

    On a frozen split no count by state is given before the run is completed.
    """
    phase = "collecting" if run.status in {RunStatus.CREATED, RunStatus.COLLECTING} else "scoring"
    if phase == "collecting":
        done = Output.objects.filter(run=run).count()
        since: datetime | None = run.created_at
    else:
        batches = run.batches.filter(status=BatchStatus.DONE).aggregate(done=Sum("size"), n=Count("id"))
        done, since = batches["done"] or 0, run.collected_at
    by_state: dict[str, int] = {}
    if not run.is_frozen_split:
        rows = Output.objects.filter(run=run).order_by().values_list("outcome").annotate(n=Count("id"))
        by_state = dict(Counter(dict(rows)))
    eta = None
    if (
        run.status in {RunStatus.COLLECTING, RunStatus.SCORING}
        and since is not None
        and 0 < done < run.expected_outputs
    ):
        elapsed = (timezone.now() - since).total_seconds()
        eta = round(elapsed / done * (run.expected_outputs - done), 1)
    return {"phase": phase, "done": done, "total": run.expected_outputs, "by_state": by_state, "eta_s": eta}


def outcomes_of(actor: Actor, run: Run) -> dict[str, int | None]:
    """Return the completed run's outputs by outcome, a count under the limit as None."""
    if run.status != RunStatus.COMPLETED:
        return {}
    rows = Output.objects.filter(run=run).order_by().values_list("outcome").annotate(n=Count("id"))
    redaction = redaction_of(actor, run)
    if redaction.active and closed_reason(actor, run):
        return {}
    counts = redaction.counts(dict(rows))
    blank = [state for state, count in counts.items() if count is None]
    if len(blank) == 1:
        # The total is known, so one blank alone could be worked out: the next smallest goes with it.
        rest = sorted((count, state) for state, count in counts.items() if count is not None)
        if rest:
            counts[rest[0][1]] = None
    return counts


def scores_hash_of(actor: Actor, run: Run) -> str | None:
    """Return the sha256 over the run's scores, None before the end and for those who may not read its items."""
    return (run.scores_sha256 or None) if policy.may_read_items(actor, run) else None


def warnings_of(actor: Actor, run: Run) -> list[dict[str, Any]]:
    """Return the run's warnings, a count under the limit as None."""
    redaction = redaction_of(actor, run)
    return [{**warning, "n": redaction.count(warning["n"])} if "n" in warning else warning for warning in run.warnings]
