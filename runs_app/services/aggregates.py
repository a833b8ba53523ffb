"""From a run's scores to its figures: by group, with intervals and states, and a hash over all scores."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from core_app.actors import SYSTEM
from core_app.locks import transaction_lock
from core_app.services import audit_record
from datasets_app.models import VersionEntry
from runs_app.models import Aggregate, MetricRecord, Output, Run, Score
from runs_app.selectors.item_scores import ItemTable, item_table, run_metrics
from runs_app.services.bulk import rows_write, to_json
from runs_app.services.nearness import NearRuns
from runs_app.services.runs import run_move
from runs_app.states import BatchStatus, RunStatus
from scoring.aggregate import Aggregate as PureAggregate
from scoring.aggregate import aggregate_scores, item_scores, macro_mean
from scoring.identity import MetricIdentity
from scoring.types import Score as PureScore
from scoring.types import State

logger = logging.getLogger(__name__)

#: The most tags that get figures of their own, the most frequent first.
MAX_TAGS = 50
_FIELDS = (
    "run", "metric", "group", "group_value", "value", "low", "high", "interval_method", "n_scored", "n_total",
    "n_clusters", "states",
)  # fmt: skip
_NONE = {state.value: PureScore(state) for state in State if state is not State.SCORED}
_GAPS = """
    INSERT INTO runs_app_score (run_id, output_id, metric_id, judge_repeat, state, value, detail)
    SELECT o.run_id, o.id, %s, 1,
           CASE WHEN o.outcome IN ('failed', 'missing') THEN 'target_failed' ELSE 'not_applicable' END, NULL, NULL
    FROM runs_app_output AS o
    WHERE o.run_id = %s
      AND NOT EXISTS (SELECT 1 FROM runs_app_score AS s WHERE s.output_id = o.id AND s.metric_id = %s)
    ON CONFLICT DO NOTHING
"""


def external_gaps_fill(run: Run) -> None:
    """Give each output without a pushed external score a state, so that a figure over half of the items says so."""
    metrics = MetricRecord.objects.filter(origin="external", pk__in=_metric_ids(run)).values_list("id", flat=True)
    with connection.cursor() as cursor:
        for metric in metrics:
            cursor.execute(_GAPS, [metric, run.pk, metric])


def _metric_ids(run: Run) -> list[int]:
    return list(Score.objects.filter(run=run).order_by().values_list("metric_id", flat=True).distinct())


def groups_of(run: Run, table: ItemTable) -> dict[tuple[str, str], list[str]]:
    """Return (grouping, value) → external ids: all, type, tier, language, and the most frequent tags.

    On a frozen split only the groupings that the version registered when it was frozen.
    """
    groups: dict[tuple[str, str], list[str]] = {("all", ""): table.items, **table.groups}
    tags: dict[str, list[str]] = {}
    facets = VersionEntry.objects.filter(pk__in=Output.objects.filter(run=run).order_by().values("entry_id"))
    for pk, text in facets.order_by().values_list("pk", "facets"):
        for part in text.strip("|").split("|"):
            if part.startswith("tag:"):
                tags.setdefault(part[4:], []).append(table.entry_ids[pk])
    for tag in sorted(tags, key=lambda name: (-len(tags[name]), name))[:MAX_TAGS]:
        groups["tag", tag] = sorted(tags[tag])
    registered = run.dataset_version.manifest.get("groupings")
    if run.is_frozen_split and registered is not None:
        groups = {key: ids for key, ids in groups.items() if key[0] == "all" or key[0] in registered}
    return groups


def _scores_of(run: Run, metric: MetricRecord, outputs: dict[int, tuple[str, int]]) -> list[tuple[str, int, int, Any]]:
    """Return (external id, repeat, judge repeat, score) sorted, so that the hash does not depend on the database."""
    made: dict[float, PureScore] = {}
    rows = []
    found = Score.objects.filter(run=run, metric=metric).order_by()
    for output_id, judge_repeat, state, value in found.values_list(
        "output_id", "judge_repeat", "state", "value"
    ).iterator(chunk_size=5000):
        if value is None:
            score = _NONE[state]
        else:
            score = made.get(value) or made.setdefault(value, PureScore(State.SCORED, value))
        rows.append((*outputs[output_id], judge_repeat, score))
    rows.sort(key=lambda row: row[:3])
    return rows


def _figures(
    run: Run, metric: MetricRecord, rows: Sequence[tuple[str, int, int, Any]], table: ItemTable, groups: Any
) -> Iterator[tuple[Any, ...]]:
    identity = MetricIdentity.parse(metric.identity)
    merged = item_scores([row[3] for row in rows], [row[0] for row in rows])
    by_type: dict[str, PureAggregate] = {}
    whole: PureAggregate | None = None
    for (group, name), items in groups.items():
        present = [item for item in items if item in merged]
        if not present:
            continue
        figure = aggregate_scores(
            identity,
            [merged[item] for item in present],
            [table.clusters[item] for item in present],
            present,
            seed=run.manifest_sha256,
        )
        if group == "all":
            whole = figure
        elif group == "type":
            by_type[name] = figure
        yield _row(run, metric, group, name, figure)
    macro = macro_mean(by_type)
    if macro is not None and whole is not None:
        yield (
            run.pk, metric.pk, "macro", "type", macro, None, None, "", whole.n_scored, whole.n_total,
            whole.n_clusters, to_json(whole.states),
        )  # fmt: skip


def _row(run: Run, metric: MetricRecord, group: str, name: str, figure: PureAggregate) -> tuple[Any, ...]:
    return (
        run.pk,
        metric.pk,
        group,
        name[:120],
        figure.value,
        figure.low,
        figure.high,
        figure.interval_method[:40],
        figure.n_scored,
        figure.n_total,
        figure.n_clusters,
        to_json(figure.states),
    )


def aggregates_compute(run: Run) -> tuple[list[tuple[Any, ...]], str]:
    """Return the aggregate rows (in the order of the table's columns) and the sha256 over the run's sorted scores.

    One metric at a time, so that memory grows with the items and not with the scores. The hash is taken over one line a
    score: metric identity, external id, repeat, judge repeat, and the value's shortest text or the state.
    """
    table = item_table(run)
    outputs = {
        pk: (table.entry_ids[entry_id], repeat)
        for pk, entry_id, repeat in Output.objects.filter(run=run)
        .order_by()
        .values_list("pk", "entry_id", "repeat")
        .iterator(chunk_size=5000)
    }
    groups = groups_of(run, table)
    digest = hashlib.sha256()
    figures: list[tuple[Any, ...]] = []
    for metric in sorted(run_metrics(run), key=lambda record: record.identity):
        rows = _scores_of(run, metric, outputs)
        for external_id, repeat, judge_repeat, score in rows:
            shown = score.state.value if score.value is None else repr(score.value)
            digest.update(f"{metric.identity}\t{external_id}\t{repeat}\t{judge_repeat}\t{shown}\n".encode())
        figures += _figures(run, metric, rows, table, groups)
    return figures, digest.hexdigest()


def run_finish(*, run_id: int) -> bool:
    """Aggregate and complete a run whose batches are all done; return False where there was nothing to do.

    Figures are computed outside of the transaction, which then writes them with the status in one go: whoever comes
    second finds the run completed and drops what it computed.
    """
    run = (
        Run.objects.select_related("dataset_version__dataset__team", "suite_version", "system_version__system")
        .filter(pk=run_id, status=RunStatus.SCORING)
        .first()
    )
    if run is None or run.batches.exclude(status=BatchStatus.DONE).exists():
        return False
    external_gaps_fill(run)
    figures, digest = aggregates_compute(run)
    near = NearRuns(run)
    warning = near.warning()
    with transaction.atomic():
        if run.is_frozen_split:
            # Of two runs that end at once, the second must see the first as completed.
            transaction_lock(f"disclosure {run.dataset_version.dataset_id}")
        status = Run.objects.select_for_update().values_list("status", flat=True).get(pk=run_id)
        if status != RunStatus.SCORING:
            return False
        warning = warning or near.warning()
        Aggregate.objects.filter(run=run).delete()
        for start in range(0, len(figures), 5000):
            rows_write(Aggregate, _FIELDS, figures[start : start + 5000])
        run_move(
            run,
            RunStatus.COMPLETED,
            actor=SYSTEM,
            scores_sha256=digest,
            warnings=[*run.warnings, *([warning] if warning else [])],
            finished_at=timezone.now(),
        )
        audit_record(
            actor=SYSTEM,
            action="run.complete",
            obj=run,
            team_id=run.team_id,
            after={"scores": run.scores_seal, "manifest_sha256": run.manifest_sha256},
        )
    return True
