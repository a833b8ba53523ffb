"""Gates: made and drafted by editors, activated by stewards; verdicts that never change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.canonical import sha256_hex
from core_app.errors import Conflict, FieldError, Invalid, NotFound
from core_app.locks import transaction_lock
from core_app.services import audit_record
from runs_app.gating.evaluate import combine, evaluate
from runs_app.gating.rules import KINDS, Rule, parse_rules
from runs_app.models import Comparison, Gate, GateCheck, GatePolicy, Run, System
from runs_app.policies import RunAction, policy
from runs_app.selectors.baselines import baseline_for
from runs_app.selectors.gate_facts import FactBook
from runs_app.selectors.gates import metric_is_known
from runs_app.selectors.redaction import require_aggregates
from runs_app.services.comparisons import comparison_compute
from runs_app.services.systems import check_slug
from runs_app.states import PolicyStatus, RunStatus
from teams_app.models import Team

#: Raised when the meaning of a rule kind changes, so that a verdict says by which rules it was reached.
RULES_VERSION = 1


@transaction.atomic
def gate_create(
    *, actor: Actor, team: Team, slug: str, name: str = "", system: System | None = None, rules: Any = None
) -> Gate:
    """Create a gate; with `rules`, also its first policy as a draft. `Conflict` where the short name is taken."""
    policy.require(actor, RunAction.GATE_DRAFT, team)
    check_slug(slug, "/slug")
    if len(name) > 200:
        detail = _("At most 200 characters.")
        raise Invalid(detail, errors=[FieldError("/name", "too_long", detail)])
    if system is not None and system.team_id != team.pk:
        detail = _("The system belongs to another team.")
        raise Invalid(detail, errors=[FieldError("/system", "other_team", detail)])
    try:
        with transaction.atomic():
            gate = Gate.objects.create(team=team, slug=slug, name=name or slug, system=system)
    except IntegrityError:
        raise Conflict(_("The team has a gate of this name."), code="exists") from None
    audit_record(actor=actor, action="gate.create", obj=gate, team_id=team.pk, after={"ref": gate.ref, "name": name})
    if rules is not None:
        gate_policy_draft(actor=actor, gate=gate, rules=rules)
    return gate


@transaction.atomic
def gate_policy_draft(*, actor: Actor, gate: Gate, rules: Any) -> GatePolicy:
    """Add a policy version as a draft. Raises `Invalid` with a pointer to each fault (docs/gates.md)."""
    policy.require(actor, RunAction.GATE_DRAFT, gate)
    parsed = parse_rules(rules, knows=metric_is_known)
    stored = [rule.as_dict() for rule in parsed]
    transaction_lock(f"gate {gate.pk}")
    newest = gate.policies.aggregate(newest=Max("version"))["newest"] or 0
    draft = GatePolicy.objects.create(
        gate=gate, version=newest + 1, rules=stored, created_by_label=actor.label[:200], status=PolicyStatus.DRAFT
    )
    audit_record(
        actor=actor,
        action="gate.policy.draft",
        obj=gate,
        team_id=gate.team_id,
        label=f"{gate.ref}@{draft.version}",
        after={"version": draft.version, "rules": stored},
    )
    return draft


@transaction.atomic
def gate_policy_activate(*, actor: Actor, gate: Gate, version: int) -> GatePolicy:
    """Make a draft the policy by which runs are checked; the one before it is superseded.

    Raises `Conflict` where the version is no draft any more, or somebody else activated one at the same time.
    """
    policy.require(actor, RunAction.GATE_ACTIVATE, gate)
    transaction_lock(f"gate {gate.pk}")
    before = gate.policies.filter(status=PolicyStatus.ACTIVE).first()
    if before is not None:
        gate.policies.filter(pk=before.pk, status=PolicyStatus.ACTIVE).update(status=PolicyStatus.SUPERSEDED)
    moved = gate.policies.filter(version=version, status=PolicyStatus.DRAFT).update(
        status=PolicyStatus.ACTIVE, activated_by_label=actor.label[:200], activated_at=timezone.now()
    )
    if not moved:
        raise Conflict(_("There is no draft of this number."), code="not_a_draft")
    active = gate.policies.get(version=version)
    audit_record(
        actor=actor,
        action="gate.policy.activate",
        obj=gate,
        team_id=gate.team_id,
        label=f"{gate.ref}@{version}",
        before={"version": before.version if before else None},
        after={"version": version, "rules": active.rules},
    )
    return active


def _active_policy(gate: Gate) -> GatePolicy:
    active = gate.policies.filter(status=PolicyStatus.ACTIVE).first()
    if active is None:
        raise Conflict(_("The gate has no active policy. A steward activates a draft first."), code="no_active_policy")
    return active


def _check_runs(actor: Actor, gate: Gate, run: Run, baseline: Run | None) -> None:
    policy.require(actor, RunAction.GATE_CHECK, gate)
    for pointer, one in (("/run", run), ("/baseline", baseline)):
        if one is None:
            continue
        # The right to check gates is enough to have the team's runs judged: a pipeline's token needs no more.
        if not policy.is_insider(actor, one):
            raise NotFound(_("There is no such run here."))
        require_aggregates(actor, one)
        if one.team_id != gate.team_id:
            detail = _("The run belongs to another team than the gate.")
            raise Invalid(detail, errors=[FieldError(pointer, "other_team", detail)])
        if one.status != RunStatus.COMPLETED:
            raise Conflict(
                _("The run %(run)s is not completed.") % {"run": one.public_id},
                code="run_not_completed",
                run_status=one.status,
            )
    if gate.system_id is not None and run.system_version.system_id != gate.system_id:
        detail = _("This gate is for another system.")
        raise Invalid(detail, errors=[FieldError("/run", "other_system", detail)])
    if baseline is not None and baseline.pk == run.pk:
        detail = _("A run is no baseline of itself.")
        raise Invalid(detail, errors=[FieldError("/baseline", "same_run", detail)])


def check_manifest(
    *,
    active: GatePolicy,
    run: Run,
    baseline: Run | None,
    comparison: Comparison | None,
    rules: Sequence[dict[str, Any]],
) -> dict[str, Any]:
    """Return all that a verdict rests on; its sha256 is the check's `manifest_sha256`. Free of ids that chance gave."""
    return {
        "schema": 1,
        "rules_version": RULES_VERSION,
        "gate": active.gate.ref,
        "policy_version": active.version,
        "policy": active.rules,
        "run": {"id": run.public_id, "manifest": run.manifest_sha256, "scores": run.scores_seal},
        "baseline": None
        if baseline is None
        else {"id": baseline.public_id, "manifest": baseline.manifest_sha256, "scores": baseline.scores_seal},
        "comparison": None if comparison is None else comparison.settings["fixed"],
        "rules": list(rules),
    }


def _decide(rules: Sequence[Rule], run: Run, comparison: Comparison | None) -> list[dict[str, Any]]:
    book = FactBook(run, comparison)
    return [{"rule": rule.as_dict(), **evaluate(rule, book.facts(rule)).as_dict()} for rule in rules]


def gate_check(*, actor: Actor, gate: Gate, run: Run, baseline: Run | None = None) -> GateCheck:
    """Decide whether a completed run passes the gate's active policy, and keep the verdict.

    Without `baseline`, `selectors.baselines.baseline_for` chooses one. Asking again for what was decided on the same
    figures returns that verdict. Raises `Conflict` where a run is not completed or no policy is active, `Invalid` for a
    run of another team or system, `Forbidden` without the level `aggregate` on a frozen split.
    """
    _check_runs(actor, gate, run, baseline)
    active = _active_policy(gate)
    rules = parse_rules(active.rules)
    comparison = None
    if any(KINDS[rule.kind].paired for rule in rules):
        baseline = baseline or baseline_for(gate, run)
        if baseline is not None:
            comparison = comparison_compute(actor=actor, baseline=baseline, candidate=run)
    results = _decide(rules, run, comparison)
    manifest = check_manifest(active=active, run=run, baseline=baseline, comparison=comparison, rules=results)
    digest = sha256_hex(manifest)
    verdict = combine(result["verdict"] for result in results)
    with transaction.atomic():
        transaction_lock(f"gate {gate.pk}")
        same = GateCheck.objects.filter(policy=active, run=run, manifest_sha256=digest).first()
        if same is not None:
            return same
        check = GateCheck.objects.create(
            policy=active,
            run=run,
            baseline=baseline,
            comparison=comparison,
            verdict=verdict,
            rules=results,
            manifest_sha256=digest,
            checked_by_label=actor.label[:200],
            created_at=timezone.now(),
        )
        audit_record(
            actor=actor,
            action="gate.check",
            obj=check,
            team_id=gate.team_id,
            label=f"{gate.ref}@{active.version} {run.public_id}",
            after={
                "verdict": verdict.value,
                "run": run.public_id,
                "baseline": baseline.public_id if baseline else None,
                "manifest_sha256": digest,
            },
        )
    return check
