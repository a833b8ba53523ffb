"""Cutting a run's outputs into batches, and what stands in for outputs that never came."""

from __future__ import annotations

from django.db import connection
from django.utils import timezone

from core_app.canonical import sha256_hex
from datasets_app import selectors as dataset_selectors
from runs_app.models import Output, Run, ScoreBatch
from runs_app.services.bulk import rows_write, to_json
from runs_app.services.leases import REQUEUE_AFTER
from runs_app.states import BatchStatus, Outcome

BATCH_SIZE = 500

#: The columns of an output, in the order in which rows are written.
OUTPUT_FIELDS = (
    "run", "entry", "repeat", "answer", "outcome", "outcome_by", "confidence", "retrieved", "contexts", "citations",
    "external_scores", "judgements", "latency_ms", "tokens", "cost", "trace_id", "error", "content_sha256",
    "received_at",
)  # fmt: skip


def missing_outputs_create(run: Run) -> int:
    """Write an output with outcome `missing` for each item and repeat without one; return how many."""
    entries = dataset_selectors.entries_of(run.dataset_version, run.split, run.tier)
    have = set(Output.objects.filter(run=run).values_list("entry_id", "repeat"))
    empty, digest, now = to_json([]), sha256_hex({"outcome": Outcome.MISSING.value}), timezone.now()
    rows = [
        (
            run.pk, entry_id, repeat, "", Outcome.MISSING.value, "platform", None, "{}", empty, empty,
            empty, empty, None, "{}", None, "", "", digest, now,
        )
        for entry_id in entries.order_by("id").values_list("id", flat=True)
        for repeat in range(1, run.repeats + 1)
        if (entry_id, repeat) not in have
    ]  # fmt: skip
    for start in range(0, len(rows), 5000):
        rows_write(Output, OUTPUT_FIELDS, rows[start : start + 5000])
    return len(rows)


def stages_reported(run: Run) -> list[str]:
    """Return the names of the ranked lists that at least one output of the run carries, sorted."""
    keys = (
        "SELECT DISTINCT jsonb_object_keys(retrieved) FROM runs_app_output WHERE run_id = %s"
        if connection.vendor == "postgresql"
        else "SELECT DISTINCT each.key FROM runs_app_output AS o, json_each(o.retrieved) AS each WHERE o.run_id = %s"
    )
    with connection.cursor() as cursor:
        cursor.execute(keys, [run.pk])
        return sorted(row[0] for row in cursor.fetchall())


def batches_create(run: Run) -> list[int]:
    """Cut the run's outputs into batches of at most `BATCH_SIZE` and return their ids."""
    ids = list(Output.objects.filter(run=run).order_by("id").values_list("id", flat=True))
    due = timezone.now() + REQUEUE_AFTER
    slices = [ids[start : start + BATCH_SIZE] for start in range(0, len(ids), BATCH_SIZE)]
    made = ScoreBatch.objects.bulk_create(
        ScoreBatch(run=run, index=index, first_output=part[0], last_output=part[-1], size=len(part), lease_until=due)
        for index, part in enumerate(slices)
    )
    return [batch.pk for batch in made]


def batches_reset(run: Run) -> list[int]:
    """Set the run's unfinished batches back to waiting, with their attempts forgotten; return their ids."""
    unfinished = run.batches.exclude(status=BatchStatus.DONE)
    ids = list(unfinished.values_list("id", flat=True))
    unfinished.update(
        status=BatchStatus.WAITING, worker="", attempts=0, error="", lease_until=timezone.now() + REQUEUE_AFTER
    )
    return ids
