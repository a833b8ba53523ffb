"""The life of a run: created, collecting, scoring, then completed, failed or cancelled."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.canonical import sha256_hex
from core_app.errors import Conflict, FieldError, Invalid
from core_app.services import audit_record
from datasets_app import policies as dataset_policies
from datasets_app import selectors as dataset_selectors
from datasets_app import services as dataset_services
from datasets_app.models import DatasetVersion, Snapshot
from datasets_app.policies import DatasetAction
from datasets_app.states import Level, Split, Tier, VersionStatus
from runs_app.models import Run, RunEvent, SuiteVersion, SystemVersion
from runs_app.policies import RunAction, policy
from runs_app.services.batches import batches_create, batches_reset, missing_outputs_create, stages_reported
from runs_app.services.composites import composite_warnings
from runs_app.services.judged import MAX_RUN_JUDGES, judge_warnings, judges_reported
from runs_app.services.manifests import manifest_of
from runs_app.services.work import run_finish_enqueue, score_batch_enqueue
from runs_app.states import TRANSITIONS, RunMode, RunStatus
from scoring.identity import MetricIdentity

MAX_REPEATS = 20
MAX_OUTPUTS = 500_000


def run_move(run: Run, to: RunStatus, *, actor: Actor, reason: str = "", **fields: Any) -> Run:
    """Move the run's status by one conditional UPDATE from a status that allows it, and log the move.

    `fields` are written in the same UPDATE (a completed run can't be written any more). Raises `Conflict` where the
    run's status in the database does not allow the move: somebody else was first.
    """
    allowed = [status for status, targets in TRANSITIONS.items() if to in targets]
    moved = Run.objects.filter(pk=run.pk, status__in=allowed).update(
        status=to, status_reason=reason[:500], heartbeat_at=timezone.now(), **fields
    )
    if not moved:
        now = Run.objects.values_list("status", flat=True).get(pk=run.pk)
        raise Conflict(
            _("The run is “%(status)s”, so it can't become “%(to)s”.")
            % {"status": RunStatus(now).label, "to": to.label},
            code="run_state",
            run_status=now,
        )
    RunEvent.objects.create(run=run, status=to, message=reason[:500], actor_label=actor.label)
    run.refresh_from_db()
    return run


def _check_scope(
    dataset_version: DatasetVersion, split: str, tier: str, repeats: int, judge_repeats: int
) -> list[FieldError]:
    errors = []
    if split not in Split.values:
        errors.append(FieldError("/split", "choice", _("Choose dev or frozen.")))
    if tier and tier not in Tier.values:
        errors.append(FieldError("/tier", "choice", _("Choose smoke, regression or full, or leave it out.")))
    for pointer, number in (("/repeats", repeats), ("/judge_repeats", judge_repeats)):
        if not 1 <= number <= MAX_REPEATS:
            errors.append(FieldError(pointer, "range", _("From 1 to %(limit)s.") % {"limit": MAX_REPEATS}))
    if dataset_version.status == VersionStatus.RETIRED:
        errors.append(FieldError("/dataset", "retired", _("This version is retired. Run the newest frozen one.")))
    elif dataset_version.status != VersionStatus.FROZEN:
        errors.append(
            FieldError(
                "/dataset",
                "not_frozen",
                _("This version is still a draft, so a run on it could not be repeated. Freeze it first."),
            )
        )
    return errors


def _check_owners(
    dataset_version: DatasetVersion,
    suite_version: SuiteVersion,
    system_version: SystemVersion,
    snapshot: Snapshot | None,
) -> list[FieldError]:
    team_id = dataset_version.dataset.team_id
    other = _("This belongs to another team than the dataset.")
    errors = []
    if system_version.system.team_id != team_id:
        errors.append(FieldError("/system", "other_team", other))
    if suite_version.suite.team_id != team_id:
        errors.append(FieldError("/suite", "other_team", other))
    if snapshot is not None and snapshot.corpus_id != dataset_version.dataset.corpus_id:
        errors.append(FieldError("/snapshot", "other_corpus", _("The dataset is not about this snapshot's corpus.")))
    return errors


@transaction.atomic
def run_create(
    *,
    actor: Actor,
    dataset_version: DatasetVersion,
    split: str,
    tier: str = "",
    suite_version: SuiteVersion,
    system_version: SystemVersion,
    snapshot: Snapshot | None = None,
    repeats: int = 1,
    judge_repeats: int = 1,
    purpose: str = "",
) -> Run:
    """Create a run in push mode and open it for outputs.

    On a frozen split the caller answers the questions himself and so needs the level `questions`; the exposure is
    charged here, whatever becomes of the run. Raises `Invalid` naming the field, `Forbidden`, `NotFound`, and
    `Conflict` (`exposure_spent`) where the split's budget is used up.
    """
    dataset = dataset_version.dataset
    policy.require(actor, RunAction.START, dataset.team)
    policy.require(actor, RunAction.SYSTEM_VIEW, system_version)
    policy.require(actor, RunAction.SUITE_VIEW, suite_version)
    dataset_policies.policy.require(actor, DatasetAction.VIEW, dataset_version)
    errors = _check_scope(dataset_version, split, tier, repeats, judge_repeats)
    errors += _check_owners(dataset_version, suite_version, system_version, snapshot)
    if errors:
        raise Invalid(_("The run can't be started."), errors=errors)
    if split == Split.FROZEN:
        dataset_policies.policy.require_level(actor, dataset, Level.QUESTIONS)
    n_items = dataset_selectors.entries_of(dataset_version, split, tier).count()
    if n_items == 0 or n_items * repeats > MAX_OUTPUTS:
        code, text = (
            ("empty", _("No item of this version is in this split and tier."))
            if n_items == 0
            else ("too_many", _("A run takes at most %(limit)s outputs.") % {"limit": MAX_OUTPUTS})
        )
        raise Invalid(_("The run can't be started."), errors=[FieldError("/tier" if tier else "/split", code, text)])
    manifest = manifest_of(
        dataset_version=dataset_version,
        split=split,
        tier=tier,
        suite_version=suite_version,
        system_version=system_version,
        snapshot=snapshot,
        repeats=repeats,
        judge_repeats=judge_repeats,
        n_items=n_items,
    )
    run = Run.objects.create(
        team=dataset.team,
        dataset_version=dataset_version,
        split=split,
        tier=tier,
        suite_version=suite_version,
        system_version=system_version,
        snapshot=snapshot,
        mode=RunMode.PUSH,
        repeats=repeats,
        judge_repeats=judge_repeats,
        purpose=purpose[:300],
        manifest=manifest,
        manifest_sha256=sha256_hex(manifest),
        expected_outputs=n_items * repeats,
        created_by_key=actor.key,
        created_by_label=actor.label,
    )
    RunEvent.objects.create(run=run, status=RunStatus.CREATED, actor_label=actor.label)
    if run.is_frozen_split:
        dataset_services.exposure_charge(
            actor=actor,
            version=dataset_version,
            split=split,
            items=n_items,
            run_ref=run.public_id,
            system_ref=system_version.ref,
            reason=purpose[:500],
        )
    run_move(run, RunStatus.COLLECTING, actor=actor)
    audit_record(
        actor=actor,
        action="run.create",
        obj=run,
        team_id=run.team_id,
        after={
            "dataset": dataset_version.ref,
            "split": split,
            "tier": tier,
            "system": system_version.ref,
            "suite": suite_version.ref,
            "manifest_sha256": run.manifest_sha256,
        },
    )
    return run


def estimate_of(run: Run) -> dict[str, float]:
    """Return what judging the run will take: one call for each judged metric, output and judge repeat."""
    judged = sum(MetricIdentity.parse(text).judge is not None for text in run.suite_version.metrics)
    return {"judge_calls": judged * run.expected_outputs * run.judge_repeats, "tokens": 0, "cost": 0.0}


@transaction.atomic
def run_complete(*, actor: Actor, run: Run) -> Run:
    """End collection: what is missing becomes an output of its own, and scoring begins. Safe to call again.

    Raises `Conflict` where the run failed or was cancelled.
    """
    policy.require(actor, RunAction.PUSH, run)
    run.refresh_from_db()
    if run.status in {RunStatus.SCORING, RunStatus.COMPLETED}:
        return run
    run_move(run, RunStatus.SCORING, actor=actor, collected_at=timezone.now())
    missing = missing_outputs_create(run)
    run.stages = stages_reported(run)
    judges = judges_reported(run)
    run.judges = judges[:MAX_RUN_JUDGES]
    run.warnings = [*_warnings_of(run, missing), *judge_warnings(run, judges), *composite_warnings(run)]
    run.save(update_fields=["stages", "judges", "warnings"])
    for batch_id in batches_create(run):
        score_batch_enqueue(batch_id)
    audit_record(
        actor=actor,
        action="run.complete_collection",
        obj=run,
        team_id=run.team_id,
        after={"expected": run.expected_outputs, "missing": missing},
    )
    return run


def _warnings_of(run: Run, missing: int) -> list[dict[str, Any]]:
    warnings: list[dict[str, Any]] = list(run.warnings)
    if missing:
        warnings.append({"code": "missing_outputs", "n": missing})
    asked = {MetricIdentity.parse(text).stage for text in run.suite_version.metrics} - {None}
    asked |= set(run.suite_version.settings.get("stages") or ())
    absent = sorted(str(stage) for stage in asked - set(run.stages))
    if absent:
        warnings.append({"code": "stages_absent", "stages": absent})
    return warnings


@transaction.atomic
def run_cancel(*, actor: Actor, run: Run, reason: str = "") -> Run:
    """Stop a run that has not ended; what was charged stays charged. Raises `Conflict` where it has ended."""
    policy.require(actor, RunAction.CANCEL, run)
    before = run.status
    run_move(run, RunStatus.CANCELLED, actor=actor, reason=reason, finished_at=timezone.now())
    audit_record(
        actor=actor,
        action="run.cancel",
        obj=run,
        team_id=run.team_id,
        before={"status": before},
        after={"status": run.status, "reason": reason[:500]},
    )
    return run


@transaction.atomic
def run_retry_failed(*, actor: Actor, run: Run) -> Run:
    """Take a failed run up again: only what is not done is scored. Raises `Conflict` where the run has not failed."""
    policy.require(actor, RunAction.START, run)
    if run.status != RunStatus.FAILED or not run.batches.exists():
        raise Conflict(_("Only a run that failed while it was scored can be taken up again."), code="run_state")
    reason = run.status_reason
    run_move(run, RunStatus.SCORING, actor=actor, finished_at=None)
    waiting = batches_reset(run)
    for batch_id in waiting:
        score_batch_enqueue(batch_id)
    if not waiting:
        run_finish_enqueue(run.pk)
    audit_record(
        actor=actor,
        action="run.retry",
        obj=run,
        team_id=run.team_id,
        before={"reason": reason},
        after={"batches": len(waiting)},
    )
    return run
