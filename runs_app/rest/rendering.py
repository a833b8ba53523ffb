"""Runs, systems and suites as the API shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core_app.actors import Actor
from runs_app.models import Output, Run, Score, Suite, SuiteVersion, System, SystemVersion
from runs_app.selectors.answering import answering_of
from runs_app.selectors.disclosure import Figure
from runs_app.selectors.noise import figure_notes
from runs_app.selectors.runs import closed_reason, figures_of, outcomes_of, progress_of, scores_hash_of, warnings_of
from runs_app.states import RunStatus


def run_brief(run: Run, primary: Figure | None = None) -> dict[str, Any]:
    """A run in a list: what it is, how far it is, its primary figure."""
    return {
        "id": run.public_id,
        "status": run.status,
        "status_reason": run.status_reason,
        "dataset": run.dataset_version.ref,
        "split": run.split,
        "tier": run.tier,
        "system": run.system_version.system.ref,
        "version": run.system_version.label,
        "suite": run.suite_version.ref,
        "snapshot": f"{run.snapshot.corpus.ref}@{run.snapshot.name}" if run.snapshot else None,
        "mode": run.mode,
        "repeats": run.repeats,
        "judge_repeats": run.judge_repeats,
        "purpose": run.purpose,
        "expected_outputs": run.expected_outputs,
        "created_by": run.created_by_label,
        "created_at": run.created_at,
        "collected_at": run.collected_at,
        "finished_at": run.finished_at,
        "primary": primary.as_dict() if primary is not None else None,
    }


def run_full(actor: Actor, run: Run) -> dict[str, Any]:
    """A run with progress, manifest, and once completed its figures as the actor may see them."""
    figures = figures_of(actor, run)
    primary = next((one for one in figures if one.name == "answers.task_success" and one.group == "all"), None)
    return {
        **run_brief(run, primary),
        "progress": progress_of(run),
        "summary": _summary(actor, run, figures),
        "manifest": run.manifest,
        "manifest_sha256": run.manifest_sha256,
        "scores_sha256": scores_hash_of(actor, run),
        "stages": run.stages,
        "judges": run.judges,
        "warnings": warnings_of(actor, run),
    }


def _summary(actor: Actor, run: Run, figures: Sequence[Figure]) -> dict[str, Any] | None:
    if run.status != RunStatus.COMPLETED:
        return None
    notes = figure_notes(actor, run, figures)
    return {
        "outcomes": outcomes_of(actor, run),
        "answering": answering_of(actor, run),
        "hidden": closed_reason(actor, run) if any(figure.hidden for figure in figures) else "",
        "metrics": [{**figure.as_dict(), "noise_note": notes.get(figure.metric, "")} for figure in figures],
    }


def score_row(score: Score) -> dict[str, Any]:
    """One score of one output."""
    return {
        "external_id": score.output.entry.item.external_id,
        "repeat": score.output.repeat,
        "metric": score.metric.identity,
        "judge_repeat": score.judge_repeat,
        "state": score.state,
        "value": score.value,
        "detail": score.detail,
    }


def output_row(output: Output) -> dict[str, Any]:
    """One output with its scores (prefetched), as stored."""
    return {
        "external_id": output.entry.item.external_id,
        "repeat": output.repeat,
        "question": output.entry.revision.question,
        "answer": output.answer,
        "outcome": output.outcome,
        "outcome_by": output.outcome_by,
        "confidence": output.confidence,
        "retrieved": output.retrieved,
        "contexts": output.contexts,
        "citations": output.citations,
        "judgements": output.judgements,
        "latency_ms": output.latency_ms,
        "tokens": output.tokens,
        "cost": output.cost,
        "trace_id": output.trace_id,
        "error": output.error or None,
        "scores": {
            score.metric.identity: score.value if score.value is not None else score.state
            for score in output.scores.all()
        },
    }


def system_row(system: System) -> dict[str, Any]:
    """One system."""
    return {
        "id": system.public_id,
        "ref": system.ref,
        "team": system.team.slug,
        "slug": system.slug,
        "name": system.name,
        "description": system.description,
        "created_at": system.created_at,
    }


def system_version_row(version: SystemVersion) -> dict[str, Any]:
    """One version of a system."""
    return {
        "ref": version.ref,
        "label": version.label,
        "change": version.change,
        "git_sha": version.git_sha,
        "config": version.config,
        "created_at": version.created_at,
    }


def suite_row(suite: Suite) -> dict[str, Any]:
    """One suite."""
    return {
        "id": suite.public_id,
        "ref": suite.ref,
        "team": suite.team.slug,
        "slug": suite.slug,
        "name": suite.name,
        "created_at": suite.created_at,
    }


def suite_version_row(version: SuiteVersion) -> dict[str, Any]:
    """One version of a suite with its metric identities."""
    return {
        "ref": version.ref,
        "number": version.number,
        "metrics": version.metrics,
        "settings": version.settings,
        "created_by": version.created_by_label,
        "created_at": version.created_at,
    }
