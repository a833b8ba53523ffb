"""What a run's report holds, as the reader may see it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import Conflict
from runs_app.models import Run
from runs_app.selectors.answering import answering_of
from runs_app.selectors.comparisons import run_brief
from runs_app.selectors.noise import figure_notes
from runs_app.selectors.redaction import redaction_for, require_aggregates
from runs_app.selectors.risk_coverage import risk_coverage_of
from runs_app.selectors.robustness import robustness_of
from runs_app.selectors.runs import figures_of, scores_hash_of, warnings_of
from runs_app.states import RunStatus


def run_report(actor: Actor, run: Run) -> dict[str, Any]:
    """Return a completed run with its figures, manifest and warnings.

    Raises `Conflict` where the run is not completed, `Forbidden` without the level `aggregate` on a frozen split.
    """
    require_aggregates(actor, run)
    if run.status != RunStatus.COMPLETED:
        raise Conflict(_("The run is not completed."), code="run_not_completed", run_status=run.status)
    figures = figures_of(actor, run)
    notes = figure_notes(actor, run, figures)
    return {
        **run_brief(run),
        "status": run.status,
        "suite": run.suite_version.ref,
        "purpose": run.purpose,
        "warnings": warnings_of(actor, run),
        "rounded": redaction_for(actor, run).active,
        "summary": [{**figure.as_dict(), "noise_note": notes.get(figure.metric, "")} for figure in figures],
        "answering": answering_of(actor, run),
        "risk_coverage": risk_coverage_of(actor, run),
        "robustness": robustness_of(actor, run),
        "scores_sha256": scores_hash_of(actor, run),
        "manifest": run.manifest,
    }
