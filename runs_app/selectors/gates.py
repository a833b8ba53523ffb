"""Reading gates: lists, policies as sentences, one verdict as the reader may see it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.urls import reverse
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import NotFound
from core_app.panels import Attention
from runs_app.gating.rules import Rule, names_metric, parse_rules
from runs_app.gating.sentences import reason_sentence, rule_sentence
from runs_app.models import Gate, GateCheck, GatePolicy, MetricRecord, SuiteVersion
from runs_app.policies import RunAction, policy
from runs_app.selectors.comparisons import RUN_DEFERRED, RUN_RELATED, comparison_url, run_brief
from runs_app.selectors.noise import JUDGE, REPEATS, UNKNOWN, noise_note
from runs_app.selectors.redaction import Redaction, is_twin, redaction_for, require_aggregates
from runs_app.selectors.systems import by_ref
from runs_app.states import PolicyStatus, Verdict
from scoring.registry import METRICS
from teams_app.models import Team

#: One rule of each kind, as the page on which rules are written shows them.
EXAMPLES: tuple[dict[str, Any], ...] = (
    {"kind": "non_inferiority", "metric": "answers.task_success", "margin": 0.05},
    {"kind": "must_improve", "metric": "answers.correct"},
    {"kind": "floor", "metric": "answers.task_success", "limit": 0.7, "on": "low", "group": {"language": "zh"}},
    {"kind": "ceiling", "metric": "refusal.false_accept", "limit": 0.1, "on": "high"},
    {"kind": "max_missing", "share": 0.02},
    {"kind": "max_missing", "metric": "answers.correct", "count": 3, "states": ["judge_failed", "target_failed"]},
    {"kind": "latency_p95_ms", "limit": 2000},
    {"kind": "cost_mean", "limit": 0.01},
    {"kind": "split_not_spent"},
)
_CHECK_RELATED = (
    "policy__gate__team",
    "comparison__team",
    *(f"{side}__{path}" for side in ("run", "baseline") for path in RUN_RELATED),
)


_CHECK_DEFERRED = (
    "comparison__results",
    *(f"{side}__{path}" for side in ("run", "baseline") for path in RUN_DEFERRED),
)


def metric_is_known(name: str) -> bool:
    """Return whether a rule may name this metric: one that is computed here, pushed from outside, or stored."""
    head = name.split(maxsplit=1)[0].partition("@")[0]
    if head in METRICS or head.startswith("external."):
        return True
    records = MetricRecord.objects.filter(name=head).values_list("identity", flat=True)
    return any(names_metric(name, identity) for identity in records)


def gate_by_ref(actor: Actor, ref: str) -> Gate:
    """Return the gate of `support/release` or `gat_…`; raises `NotFound` or `Forbidden`."""
    return by_ref(actor, Gate.objects.select_related("team", "system__team"), ref)


def gates_visible(actor: Actor, team: Team | None = None) -> QuerySet[Any]:
    """Return the gates that the actor may view, annotated with `latest_verdict`, `latest_check`, `latest_at`,
    `active_version` and `has_draft`."""
    checks = GateCheck.objects.filter(policy__gate=OuterRef("pk")).order_by("-pk")
    active = GatePolicy.objects.filter(gate=OuterRef("pk"), status=PolicyStatus.ACTIVE)
    rows = policy.visible_to(actor, Gate.objects.select_related("team", "system__team")).annotate(
        latest_verdict=Subquery(checks.values("verdict")[:1]),
        latest_check=Subquery(checks.values("public_id")[:1]),
        latest_at=Subquery(checks.values("created_at")[:1]),
        active_version=Subquery(active.values("version")[:1]),
        has_draft=Exists(GatePolicy.objects.filter(gate=OuterRef("pk"), status=PolicyStatus.DRAFT)),
    )
    return (rows if team is None else rows.filter(team=team)).order_by("slug", "pk")


def gate_view(gate: Any) -> dict[str, Any]:
    """Return a gate as lists show it; `gate` comes from `gates_visible`."""
    return {
        "id": gate.public_id,
        "ref": gate.ref,
        "slug": gate.slug,
        "name": gate.name,
        "team": gate.team.slug,
        "system": gate.system.ref if gate.system else None,
        "active_version": gate.active_version,
        "latest_verdict": gate.latest_verdict,
        "latest_check": gate.latest_check,
        "created_at": gate.created_at,
        "url": reverse("runs:gate", kwargs={"team": gate.team.slug, "gate": gate.slug}),
    }


def policy_view(row: GatePolicy) -> dict[str, Any]:
    """Return a policy version with its rules as data and as sentences."""
    return {
        "version": row.version,
        "status": row.status,
        "rules": row.rules,
        "sentences": [rule_sentence(rule) for rule in parse_rules(row.rules)],
        "created_by": row.created_by_label,
        "created_at": row.created_at,
        "activated_by": row.activated_by_label,
        "activated_at": row.activated_at,
    }


def checks_of(gate: Gate) -> QuerySet[GateCheck]:
    """Return the gate's verdicts, newest first, with what a list shows of them."""
    rows = GateCheck.objects.filter(policy__gate=gate).select_related(*_CHECK_RELATED)
    return rows.defer("rules", *_CHECK_DEFERRED).order_by("-pk")


def rule_kinds() -> list[dict[str, Any]]:
    """Return an example of each kind of rule with its sentence, for those who write rules."""
    return [
        {"text": json.dumps(row, ensure_ascii=False), "sentence": rule_sentence(parse_rules([row])[0])}
        for row in EXAMPLES
    ]


def suite_metrics(team: Team) -> list[str]:
    """Return the metrics of the suite that the team used last, or none: what a first policy may name."""
    version = SuiteVersion.objects.filter(suite__team=team).order_by("-pk").first()
    return list(version.metrics) if version else []


def latest_checks(actor: Actor, team: Team, limit: int = 5) -> list[GateCheck]:
    """Return the team's newest verdicts, for its home page."""
    rows = policy.visible_to(actor, GateCheck.objects.filter(policy__gate__team=team))
    rows = rows.select_related(*_CHECK_RELATED).defer("rules", *_CHECK_DEFERRED)
    return list(rows.order_by("-pk")[:limit])


def home_panel(actor: Actor, team: Team) -> dict[str, Any] | None:
    """Return the context of the home page's panel `_home_gates.html`; None without the right to see gates."""
    if not policy.can(actor, RunAction.GATE_VIEW, team):
        return None
    return {"team": team, "checks": latest_checks(actor, team)}


def attention(actor: Actor, team: Team) -> list[Attention]:
    """Return a row for each gate whose newest verdict is no pass, and for each gate with a draft that waits."""
    rows = []
    may_activate = policy.can(actor, RunAction.GATE_ACTIVATE, team)
    for gate in gates_visible(actor, team):
        if gate.latest_verdict not in {None, Verdict.PASS}:
            kwargs = {"team": team.slug, "gate": gate.slug, "check": gate.latest_check}
            text = _("%(gate)s: %(verdict)s") % {"gate": gate.name, "verdict": Verdict(gate.latest_verdict).label}
            level = "bad" if gate.latest_verdict == Verdict.FAIL else "warning"
            rows.append(Attention(text=text, url=reverse("runs:gate-check", kwargs=kwargs), level=level))
        if may_activate and gate.has_draft and gate.active_version is None:
            url = reverse("runs:gate", kwargs={"team": team.slug, "gate": gate.slug})
            waits = _("%(gate)s: a first policy waits for activation") % {"gate": gate.name}
            rows.append(Attention(text=waits, url=url))
    return rows


def check_by_id(actor: Actor, gate: Gate, public_id: str) -> GateCheck:
    """Return one verdict of the gate; raises `NotFound`, or `Forbidden` without the level `aggregate`."""
    check = checks_of(gate).filter(public_id=public_id).first()
    if check is None:
        raise NotFound(_("There is no such check here."))
    require_aggregates(actor, check.run)
    return check


def check_url(check: GateCheck) -> str:
    """Return the path of the verdict's page."""
    gate = check.policy.gate
    return reverse("runs:gate-check", kwargs={"team": gate.team.slug, "gate": gate.slug, "check": check.public_id})


def check_brief(check: GateCheck) -> dict[str, Any]:
    """Return a verdict without its rules, for lists."""
    return {
        "id": check.public_id,
        "gate": check.policy.gate.ref,
        "policy_version": check.policy.version,
        "run": check.run.public_id,
        "system": check.run.system_version.ref,
        "baseline": check.baseline.public_id if check.baseline else None,
        "verdict": check.verdict,
        "effective_verdict": check.verdict,
        "waiver": None,
        "checked_by": check.checked_by_label,
        "created_at": check.created_at,
        "url": check_url(check),
    }


def _rule_of(row: Mapping[str, Any]) -> Rule:
    return parse_rules([row["rule"]])[0]


def shown_rule(row: Mapping[str, Any], redaction: Redaction, closed: bool) -> dict[str, Any]:
    """Return one rule's result as the reader may see it, with its sentence and the reason.

    Without `read` on a frozen split values are rounded and small counts left out; where the run differs too little from
    another one (`closed`) or the rule is over too small a group, no figure is shown.
    """
    hidden = closed or (redaction.active and row["code"] == "group_too_small")
    n, total = row["n"], row["n_total"]
    interval, worst = row["interval"], row["worst"]
    figures = {
        "observed": row["observed"],
        "interval": interval,
        "worst": worst,
        "n": n,
        "n_total": total,
        "n_clusters": row["n_clusters"],
        "n_missing": row["n_missing"],
        "states": row["states"],
        "noise": row.get("noise"),
        "noise_source": row.get("noise_source", ""),
    }
    if hidden:
        figures = {**dict.fromkeys(figures), "states": {}, "noise_source": ""}
    elif redaction.active:
        figures |= {
            "observed": redaction.number(row["observed"]),
            "interval": _rounded(interval, redaction),
            "worst": None
            if worst is None
            else {"observed": redaction.number(worst["observed"]), "interval": _rounded(worst["interval"], redaction)},
            "n": redaction.part(n, total),
            "n_missing": redaction.count(row["n_missing"]),
            "states": redaction.counts(row["states"]),
            "noise": redaction.number(figures["noise"]),
        }
    return {
        "rule": rule_sentence(_rule_of(row)),
        "kind": row["rule"]["kind"],
        "metric": row["metric"] or None,
        "group": row["rule"].get("group"),
        "verdict": row["verdict"],
        "limit": row["limit"],
        **figures,
        "code": row["code"],
        "reason": reason_sentence(row["code"], figures),
        "noise_note": _rule_noise(figures),
        "hidden": hidden,
    }


def _rule_noise(figures: Mapping[str, Any]) -> str:
    """Return the sentence about a difference's noise; "" where the rule compares nothing or nothing was repeated."""
    source, noise = figures["noise_source"], figures["noise"]
    if source not in {JUDGE, REPEATS, UNKNOWN}:
        return ""
    return noise_note(
        judged=source != REPEATS,
        judge=noise if source == JUDGE else None,
        repeats=noise if source == REPEATS else None,
        asked=1,
    )


def _rounded(interval: list[float | None] | None, redaction: Redaction) -> list[float | None] | None:
    return None if interval is None else [redaction.number(end) for end in interval]


def check_view(actor: Actor, check: GateCheck) -> dict[str, Any]:
    """Return the verdict as REST, pages and reports show it to this reader (docs/gates.md)."""
    redaction = redaction_for(actor, check.run)
    closed = redaction.active and is_twin(check.run)
    return {
        **check_brief(check),
        "rules": [shown_rule(row, redaction, closed) for row in check.rules],
        "run_detail": run_brief(check.run),
        "baseline_detail": run_brief(check.baseline) if check.baseline else None,
        "comparison": check.comparison.public_id if check.comparison else None,
        "comparison_url": comparison_url(check.comparison) if check.comparison else None,
        "manifest_sha256": check.manifest_sha256,
        "rounded": redaction.active,
        "hidden": closed,
    }
