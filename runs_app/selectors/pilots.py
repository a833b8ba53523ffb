"""Runs as pilots: what a completed run tells about the items of a split, for planning (datasets know no runs)."""

from __future__ import annotations

from core_app.actors import Actor
from datasets_app.models import DatasetVersion
from datasets_app.selectors import Pilot
from runs_app.models import MetricRecord, Run
from runs_app.policies import policy
from runs_app.selectors.comparisons import runs_for_reading
from runs_app.selectors.item_scores import item_scores, item_table, output_table, run_metrics
from runs_app.selectors.runs import PRIMARY, closed_reason, redaction_of
from runs_app.states import RunStatus
from scoring.errors import ScoringError
from scoring.stats.clusters import by_cluster
from scoring.stats.power import intra_cluster_correlation

#: Runs that are looked at, the newest first.
MAX_LOOKED_AT = 5


def pilot_of(actor: Actor, version: DatasetVersion, split: str) -> Pilot | None:
    """Return the newest completed run over the whole split with the primary figure whose results the actor may see.

    Without `read` on a frozen split both figures are rounded, and a run whose figures are closed, or that scored fewer
    items than the disclosure limit, is none.
    """
    runs = policy.visible_to(actor, runs_for_reading()).filter(
        dataset_version=version, split=split, tier="", status=RunStatus.COMPLETED
    )
    for run in runs.order_by("-pk")[:MAX_LOOKED_AT]:
        redaction = redaction_of(actor, run)
        if redaction.active and closed_reason(actor, run):
            continue
        metric = next((record for record in run_metrics(run) if record.name == PRIMARY), None)
        found = None if metric is None else _figures(run, metric)
        if found is None or redaction.small(found[2]):
            continue
        rate, icc, n = found
        shown = redaction.number(rate)
        return Pilot(run.public_id, rate if shown is None else shown, redaction.number(icc), n)
    return None


def _figures(run: Run, metric: MetricRecord) -> tuple[float, float | None, int] | None:
    """Return the mean over the scored items, their intra-cluster correlation and their number."""
    items = item_table(run)
    scores = item_scores(run, metric, output_table(run, items))
    values = {item: score.value for item, score in sorted(scores.items()) if score.value is not None}
    if len(values) < 2:
        return None
    grouped = by_cluster(list(values.values()), [items.clusters[item] for item in values], "pilot")
    try:
        icc = intra_cluster_correlation(grouped, sum(value * value for value in values.values()))
    except ScoringError:
        icc = None
    return grouped.mean, icc, len(values)
