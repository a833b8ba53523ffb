"""The list of runs as rows of a file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db.models import QuerySet

from core_app.actors import Actor
from runs_app.models import Run
from runs_app.selectors.runs import primary_figures

RUN_COLUMNS = (
    "run", "status", "system", "version", "dataset", "split", "tier", "purpose",
    "task_success", "low", "high", "n_scored", "n_total", "hidden", "created_at", "finished_at",
)  # fmt: skip
#: How many runs are read at a time, with their figures in a fixed number of queries.
AT_ONCE = 500


def run_cells(actor: Actor, runs: QuerySet[Run]) -> Iterator[list[Any]]:
    """Yield the cells of `RUN_COLUMNS` for each run, figures as the actor may see them."""
    found = runs.iterator(chunk_size=AT_ONCE)
    while chunk := list(islice(found, AT_ONCE)):
        figures = primary_figures(actor, chunk)
        for run in chunk:
            figure = figures.get(run.pk)
            version = run.system_version
            yield [
                run.public_id, run.status, version.system.ref, version.label, run.dataset_version.ref, run.split,
                run.tier, run.purpose,
                *([None] * 6 if figure is None else (
                    figure.value, figure.low, figure.high, figure.n_scored, figure.n_total, figure.hidden,
                )),
                run.created_at.isoformat(), run.finished_at.isoformat() if run.finished_at else None,
            ]  # fmt: skip
