"""Answered or declined, right or wrong: the matrix of answerable × answered, and the two rates that belong together."""

from __future__ import annotations

from typing import Any

from django.db.models import Count

from core_app.actors import Actor
from runs_app.models import Aggregate, Output, Run
from runs_app.selectors.disclosure import figure_of, figures_shown
from runs_app.selectors.runs import closed_reason, redaction_of
from runs_app.states import Outcome

#: Wrong answers and refusals always stand together: each can be bought with the other.
HALLUCINATION, REFUSAL = "refusal.risk", "refusal.false_refusal"


def _matrix(actor: Actor, run: Run) -> dict[str, dict[str, int]] | None:
    """Return answerable or not → outcome → outputs; None where a cell is too small, for it could be worked out."""
    rows = Output.objects.filter(run=run).order_by().values_list("entry__revision__answerable", "outcome")
    counts = {(answerable, outcome): n for answerable, outcome, n in rows.annotate(n=Count("id"))}
    redaction = redaction_of(actor, run)
    if redaction.active and (closed_reason(actor, run) or any(redaction.small(n) for n in counts.values())):
        return None
    return {
        name: {outcome.value: counts.get((kind, outcome.value), 0) for outcome in Outcome}
        for name, kind in (("answerable", True), ("unanswerable", False))
    }


def answering_of(actor: Actor, run: Run) -> dict[str, Any]:
    """Return `{"matrix", "hallucination", "refusal"}` of a completed run as the actor may see it, in a few queries.

    `hallucination`: share of the answers given that were wrong; `refusal`: share of the answerable items refused. A
    rate that the suite does not measure is None.
    """
    redaction, closed = redaction_of(actor, run), closed_reason(actor, run)
    rows = Aggregate.objects.filter(run=run, group="all", metric__name__in=(HALLUCINATION, REFUSAL))
    shown = figures_shown([figure_of(row) for row in rows.select_related("metric")], redaction, closed)
    by_name = {figure.name: figure for figure in shown}
    return {
        "matrix": _matrix(actor, run),
        "hallucination": by_name[HALLUCINATION].as_dict() if HALLUCINATION in by_name else None,
        "refusal": by_name[REFUSAL].as_dict() if REFUSAL in by_name else None,
    }
