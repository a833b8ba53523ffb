"""Scoring one batch of a run: claimed by lease, computed in sub-batches, written once with the batch's end."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from core_app.actors import SYSTEM
from core_app.processes import process_name
from datasets_app import selectors as dataset_selectors
from datasets_app.models import Snapshot, VersionEntry
from runs_app.models import Output, Run, Score, ScoreBatch
from runs_app.services.bulk import rows_write, to_json
from runs_app.services.composites import Composite, composite_of
from runs_app.services.external_scores import metric_records, repeat_mean
from runs_app.services.judged import JudgedMetric, external_records_make, judgements_by_judge, suite_split
from runs_app.services.leases import batch_claim, lease_renew
from runs_app.services.runs import run_move
from runs_app.services.source_documents import asked_at, dated_version, source_documents
from runs_app.services.work import run_finish_enqueue, score_batch_enqueue
from runs_app.states import BatchStatus, RunStatus, ScoreState
from scoring.identity import MetricIdentity
from scoring.judgements import Judgements
from scoring.score import score_batch
from scoring.types import Document, EvalItem, State, SystemOutput, Unit
from scoring.types import Score as PureScore

logger = logging.getLogger(__name__)

SUB_BATCH = 250
MAX_ATTEMPTS = 4
RETRY_SECONDS = 5.0
SCORE_FIELDS = ("run", "output", "metric", "judge_repeat", "state", "value", "detail")
_COLUMNS = (
    "id", "entry_id", "repeat", "answer", "outcome", "outcome_by", "confidence", "retrieved", "citations",
    "external_scores", "judgements", "error",
)  # fmt: skip


class LeaseLost(Exception):
    """Another worker has taken the batch: what this one computed is dropped."""


def _system_output(row: Sequence[Any], external_id: str) -> SystemOutput:
    """Build the pure output from a stored row; without the passages' texts, which no metric of ours reads."""
    _pk, _entry, repeat, answer, outcome, by, confidence, retrieved, citations, _external, _judged, error = row
    stages = {
        stage: tuple(
            Unit(
                unit["id"],
                unit.get("doc_id"),
                unit.get("version_id"),
                unit.get("start"),
                unit.get("end"),
                unit.get("tokens"),
            )
            for unit in units
        )
        for stage, units in retrieved.items()
    }
    return SystemOutput(
        external_id=external_id,
        repeat=repeat,
        answer=answer,
        outcome=outcome,
        confidence=confidence,
        retrieved=stages,
        citations=tuple(citations),
        error=error or None,
        outcome_source=by,
    )


def _score_rows(
    run: Run, ids: Sequence[int], identities: Sequence[str], scores: Sequence[Any]
) -> list[tuple[Any, ...]]:
    records = metric_records(identities)
    details: dict[int, str] = {}
    rows: list[tuple[Any, ...]] = []
    for text, column in zip(identities, scores, strict=True):
        metric = records[text]
        for output_id, score in zip(ids, column, strict=True):
            detail = score.detail
            if detail is not None:
                known = details.get(id(detail))
                detail = known if known is not None else details.setdefault(id(detail), to_json(dict(detail)))
            rows.append((run.pk, output_id, metric, 1, score.state.value, score.value, detail))
    return rows


def _external_rows(run: Run, raw: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    given = [(row[0], score) for row in raw for score in row[9]]
    if not given:
        return []
    lower = frozenset(score["identity"] for _id, score in given if score.get("higher_is_better") is False)
    records = metric_records((score["identity"] for _id, score in given), lower_is_better=lower)
    return [
        (
            run.pk,
            output_id,
            records[score["identity"]],
            score.get("judge_repeat", 1),
            score.get("state", ScoreState.SCORED.value),
            score.get("value"),
            None,
        )
        for output_id, score in given
    ]


def _sub_batches(batch: ScoreBatch) -> Iterator[list[tuple[Any, ...]]]:
    outputs = Output.objects.filter(run=batch.run, pk__range=(batch.first_output, batch.last_output)).order_by("id")
    last = 0
    while rows := list(outputs.filter(pk__gt=last).values_list(*_COLUMNS)[:SUB_BATCH]):
        yield rows
        last = rows[-1][0]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a run is scored with: metrics of ours, judged ones by judge, a composite."""

    plain: list[MetricIdentity]
    judged: dict[str, list[JudgedMetric]]
    composite: Composite | None
    dated: Document | None

    @classmethod
    def of(cls, run: Run) -> _Plan:
        """Return the run's plan; makes the records of its metrics that are external by origin."""
        plain, metrics = suite_split(run)
        judged: dict[str, list[JudgedMetric]] = {}
        for metric in metrics:
            judged.setdefault(metric.judge, []).append(metric)
        composite = composite_of(run)
        external = [metric.identity for metric in metrics]
        if composite is not None and composite.is_external:
            external.append(composite.identity)
        external_records_make(external)
        return cls(plain, judged, composite, dated_version(run.snapshot))


def _columns(
    run: Run,
    plan: _Plan,
    items: Sequence[EvalItem],
    outputs: Sequence[SystemOutput],
    raw: Sequence[Sequence[Any]],
) -> dict[str, list[PureScore]]:
    """Return identity text → one score for each pair, of all that is computed here."""
    documents = source_documents(run.snapshot, outputs, plan.dated)

    def scored(identities: Sequence[MetricIdentity], judgements: Mapping[tuple[str, int], Judgements] | None) -> Any:
        return score_batch(
            identities,
            items,
            outputs,
            stages=run.stages,
            documents=documents.held,
            history=documents.history,
            judgements=judgements,
        )

    columns = dict(zip([one.text for one in plan.plain], scored(plan.plain, None), strict=True))
    found = judgements_by_judge(
        (item.external_id, row[2], row[10]) for item, row in zip(items, raw, strict=True) if row[10]
    )
    for judge, metrics in plan.judged.items():
        scores = scored([one.base for one in metrics], found.get(judge))
        columns |= zip([one.identity.text for one in metrics], scores, strict=True)
    if plan.composite is not None:
        given = {text: _pushed(text, raw) for text in plan.composite.parts.values() if text not in columns}
        columns[plan.composite.identity.text] = plan.composite.scores(items, outputs, {**columns, **given})
    return columns


def _pushed(identity: str, raw: Sequence[Sequence[Any]]) -> list[PureScore | None]:
    """Return the outputs' external scores of one identity, the judge's repeats averaged."""
    found = (repeat_mean(one for one in row[9] if one["identity"] == identity) for row in raw)
    return [None if score is None else PureScore(State(score[0]), score[1]) for score in found]


def batch_compute(batch: ScoreBatch) -> list[tuple[Any, ...]]:
    """Return the batch's score rows in the order of `SCORE_FIELDS`; raises `LeaseLost` where the lease has gone."""
    run = batch.run
    plan = _Plan.of(run)
    rows: list[tuple[Any, ...]] = []
    for raw in _sub_batches(batch):
        entries = VersionEntry.objects.filter(pk__in={row[1] for row in raw}).select_related("item", "revision")
        known = {entry.pk: _item(entry, run.snapshot) for entry in entries}
        items = [known[row[1]] for row in raw]
        outputs = [_system_output(row, item.external_id) for row, item in zip(raw, items, strict=True)]
        columns = _columns(run, plan, items, outputs, raw)
        rows += _score_rows(run, [row[0] for row in raw], list(columns), list(columns.values()))
        rows += _external_rows(run, raw)
        if not lease_renew(batch):
            raise LeaseLost
    return rows


def _item(entry: VersionEntry, snapshot: Snapshot | None) -> EvalItem:
    item = EvalItem.from_native(dataset_selectors.native_item(entry))
    return replace(item, query_time=asked_at(item, snapshot))


@transaction.atomic
def batch_store(batch: ScoreBatch, rows: Sequence[tuple[Any, ...]]) -> None:
    """Write the scores and the batch's end in one transaction; raises `LeaseLost` where the lease has gone."""
    ended = ScoreBatch.objects.filter(pk=batch.pk, status=BatchStatus.CLAIMED, worker=batch.worker).update(
        status=BatchStatus.DONE, done_at=timezone.now(), error=""
    )
    if not ended:
        raise LeaseLost
    for start in range(0, len(rows), 5000):
        rows_write(Score, SCORE_FIELDS, rows[start : start + 5000])
    Run.objects.filter(pk=batch.run_id, status=RunStatus.SCORING).update(heartbeat_at=timezone.now())


def batch_score(*, batch_id: int) -> bool:
    """Claim, compute and store one batch; return False where there was nothing to do. Safe to run twice."""
    batch = batch_claim(batch_id, process_name())
    if batch is None:
        return False
    try:
        if batch.attempts > MAX_ATTEMPTS:
            batch_give_up(batch, _("its worker died each time"))
            return True
        batch_store(batch, batch_compute(batch))
    except LeaseLost:
        return False
    except DatabaseError:
        # The lease runs out and the reaper enqueues the batch again; a database that fails can't take our note of it.
        raise
    except Exception as error:
        batch_failed(batch, error)
        return True
    finish_if_all_done(batch.run_id)
    return True


def finish_if_all_done(run_id: int) -> None:
    """Enqueue the run's end where no batch is left.

    Asked after the batch's commit: of two workers that end the last two batches at once, neither sees the other's
    batch as done before that.
    """
    if not ScoreBatch.objects.filter(run_id=run_id).exclude(status=BatchStatus.DONE).exists():
        run_finish_enqueue(run_id)


def fault_text(error: BaseException) -> str:
    """Return the kind of a fault and its place in the code. Its message is left out: it may quote a frozen item."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


@transaction.atomic
def batch_failed(batch: ScoreBatch, error: Exception) -> None:
    """Note a fault of ours and try again later, or give up after `MAX_ATTEMPTS` and fail the run."""
    reason = fault_text(error)
    logger.error("batch %s of run %s failed: %s", batch.index, batch.run.public_id, reason)
    if batch.attempts >= MAX_ATTEMPTS:
        batch_give_up(batch, reason)
        return
    pause = RETRY_SECONDS * batch.attempts
    released = ScoreBatch.objects.filter(pk=batch.pk, status=BatchStatus.CLAIMED, worker=batch.worker).update(
        status=BatchStatus.WAITING,
        worker="",
        error=reason,
        lease_until=timezone.now() + timedelta(seconds=pause + 60),
    )
    if released:
        score_batch_enqueue(batch.pk, countdown=pause)


@transaction.atomic
def batch_give_up(batch: ScoreBatch, reason: str) -> None:
    """Fail the run: a batch can't be scored. `run_retry_failed` takes it up again."""
    ScoreBatch.objects.filter(pk=batch.pk, worker=batch.worker).update(
        status=BatchStatus.WAITING, worker="", error=reason, lease_until=None
    )
    text = _("Scoring gave up on batch %(index)s after %(n)s attempts: %(reason)s.") % {
        "index": batch.index + 1,
        "n": batch.attempts,
        "reason": reason,
    }
    if Run.objects.filter(pk=batch.run_id, status=RunStatus.SCORING).exists():
        run_move(batch.run, RunStatus.FAILED, actor=SYSTEM, reason=text, finished_at=timezone.now())
