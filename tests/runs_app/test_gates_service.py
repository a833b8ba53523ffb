"""Gates through the services: policies, baselines, verdicts, what never changes."""

import pytest
from django.db import IntegrityError, connection, transaction

from core_app.errors import Conflict, Forbidden, Invalid, NotFound
from core_app.models import AuditEvent
from runs_app.models import Gate, GateCheck
from runs_app.selectors.baselines import baseline_for
from runs_app.selectors.gates import check_view
from runs_app.services.gates import gate_check, gate_create, gate_policy_activate, gate_policy_draft
from runs_app.states import Outcome, RunStatus
from tests.conftest import Cast
from tests.runs_app.decisions import (
    ACCEPT,
    JUDGED,
    RECALL,
    TASK,
    big_version,
    evens,
    make_gate,
    make_pair,
    make_scored_run,
)

pytestmark = pytest.mark.django_db

NI = {"kind": "non_inferiority", "metric": "answers.task_success", "margin": 0.05}
#: 40 items that all agree leave differences of up to 0.09 open.
WIDE = {**NI, "margin": 0.1}
FLOOR = {"kind": "floor", "metric": "retrieval.evidence_recall@5 stage=prompt", "limit": 0.6, "on": "low"}
GOOD = {TASK: evens(40, 0.8), RECALL: [0.9] * 40, ACCEPT: [*[0.0] * 20, *["not_applicable"] * 20]}


def verdicts(check: GateCheck) -> list[tuple[str, str]]:
    return [(row["verdict"], row["code"]) for row in check.rules]


def test_a_run_as_good_as_its_baseline_passes(cast: Cast) -> None:
    gate = make_gate(cast, [WIDE, FLOOR, {"kind": "max_missing", "share": 0.02}, {"kind": "split_not_spent"}])
    first, second = make_pair(cast, big_version(cast), baseline=GOOD, candidate=GOOD)
    check = gate_check(actor=cast.actor("editor"), gate=gate, run=second)
    assert check.verdict == "pass", check.rules
    assert check.baseline == first
    assert check.comparison.comparable
    assert verdicts(check) == [("pass", "holds")] * 4
    event = AuditEvent.objects.get(action="gate.check")
    assert event.after["verdict"] == "pass"
    assert event.after["manifest_sha256"] == check.manifest_sha256


def test_a_worse_run_fails_with_its_figures(cast: Cast) -> None:
    gate = make_gate(cast, [NI])
    _first, second = make_pair(cast, big_version(cast), baseline=GOOD, candidate={**GOOD, TASK: evens(40, 0.3)})
    check = gate_check(actor=cast.actor("editor"), gate=gate, run=second)
    assert check.verdict == "fail"
    row = check_view(cast.actor("viewer"), check)["rules"][0]
    assert row["observed"] == pytest.approx(-0.5)
    assert row["interval"][1] < -0.05
    assert (row["limit"], row["n"]) == (-0.05, 40)
    assert row["rule"] == "task success is not worse than the baseline by more than 0.05"


def test_the_first_run_has_no_baseline_and_is_inconclusive(cast: Cast) -> None:
    gate = make_gate(cast, [NI])
    run = make_scored_run(cast, big_version(cast), GOOD)
    check = gate_check(actor=cast.actor("editor"), gate=gate, run=run)
    assert (check.verdict, verdicts(check)) == ("inconclusive", [("inconclusive", "no_baseline")])


def test_the_baseline_is_the_newest_run_that_passed_else_the_first(cast: Cast) -> None:
    version = big_version(cast)
    gate = make_gate(cast, [WIDE])
    runs = [make_scored_run(cast, version, GOOD, label=f"v{n}") for n in range(1, 5)]
    other = make_scored_run(cast, version, GOOD, slug="other")
    assert baseline_for(gate, runs[0]) is None
    assert baseline_for(gate, other) is None
    assert baseline_for(gate, runs[3]) == runs[0]
    assert gate_check(actor=cast.actor("editor"), gate=gate, run=runs[1]).verdict == "pass"
    assert baseline_for(gate, runs[3]) == runs[1]
    assert baseline_for(gate, runs[1]) == runs[0]
    assert baseline_for(make_gate(cast, [WIDE], slug="second"), runs[3]) == runs[0]


def test_an_explicit_baseline_wins(cast: Cast) -> None:
    version = big_version(cast)
    runs = [make_scored_run(cast, version, GOOD, label=f"v{n}") for n in range(1, 4)]
    check = gate_check(actor=cast.actor("editor"), gate=make_gate(cast, [NI]), run=runs[2], baseline=runs[1])
    assert check.baseline == runs[1]
    with pytest.raises(Invalid):
        gate_check(actor=cast.actor("editor"), gate=check.policy.gate, run=runs[2], baseline=runs[2])


def test_a_baseline_that_cannot_be_compared_decides_nothing(cast: Cast) -> None:
    version = big_version(cast)
    dev = make_scored_run(cast, version, GOOD)
    frozen = make_scored_run(cast, version, GOOD, label="v2", split="frozen")
    check = gate_check(actor=cast.actor("editor"), gate=make_gate(cast, [NI]), run=frozen, baseline=dev)
    assert verdicts(check) == [("inconclusive", "not_comparable")]


def test_missing_scores_never_help_a_floor(cast: Cast) -> None:
    lost = {**GOOD, RECALL: [*["judge_failed"] * 20, *[0.9] * 20]}
    run = make_scored_run(cast, big_version(cast), lost)
    check = gate_check(actor=cast.actor("editor"), gate=make_gate(cast, [FLOOR]), run=run)
    assert verdicts(check) == [("inconclusive", "missing_as_worst")]
    row = check_view(cast.actor("viewer"), check)["rules"][0]
    assert row["observed"] == pytest.approx(0.9)
    assert row["worst"]["observed"] == pytest.approx(0.45)
    assert (row["n"], row["n_total"], row["n_missing"]) == (20, 40, 20)
    assert "20" in row["reason"]


def test_items_to_which_a_metric_does_not_apply_are_not_missing(cast: Cast) -> None:
    ceiling = {"kind": "ceiling", "metric": "refusal.false_accept", "limit": 0.2, "on": "value"}
    run = make_scored_run(cast, big_version(cast), GOOD)
    check = gate_check(actor=cast.actor("editor"), gate=make_gate(cast, [ceiling]), run=run)
    assert (check.verdict, check.rules[0]["n"], check.rules[0]["n_missing"]) == ("pass", 20, 0)


def test_a_metric_of_a_judge_that_is_not_calibrated_has_no_vote(cast: Cast) -> None:
    version = big_version(cast)
    scores = {**GOOD, JUDGED: [1.0] * 40}
    make_scored_run(cast, version, scores)
    run = make_scored_run(cast, version, scores, label="v2")
    rules = [
        {"kind": "floor", "metric": "external.rl_f", "limit": 0.1},
        {"kind": "non_inferiority", "metric": "external.rl_f", "margin": 0.5},
    ]
    check = gate_check(actor=cast.actor("editor"), gate=make_gate(cast, rules), run=run)
    assert verdicts(check) == [("inconclusive", "uncalibrated")] * 2


def test_a_metric_without_a_score_or_of_two_meanings_is_no_pass(cast: Cast) -> None:
    scores = {TASK: ["undetermined"] * 40, RECALL: [1.0] * 40, RECALL.replace("prompt", "coarse"): [1.0] * 40}
    rules = [
        {"kind": "floor", "metric": "answers.task_success", "limit": 0.1},
        {"kind": "floor", "metric": "retrieval.evidence_recall", "limit": 0.1},
        {"kind": "floor", "metric": "answers.correct", "limit": 0.1},
    ]
    run = make_scored_run(cast, big_version(cast), scores)
    check = gate_check(actor=cast.actor("editor"), gate=make_gate(cast, rules), run=run)
    assert verdicts(check) == [
        ("inconclusive", "nothing_scored"),
        ("error", "metric_ambiguous"),
        ("error", "metric_not_in_run"),
    ]
    assert check.verdict == "error"


def test_rules_by_group_read_the_group(cast: Cast) -> None:
    version = big_version(cast)
    kinds = ["unanswerable", "false_premise", "multi_hop", "fact"]
    task = [0.0 if kinds[index % 4] == "multi_hop" else 1.0 for index in range(40)]
    rules = [
        {"kind": "floor", "metric": "answers.task_success", "limit": 0.5, "on": "value", "group": {"type": kind}}
        for kind in ("fact", "multi_hop", "terms")
    ]
    run = make_scored_run(cast, version, {**GOOD, TASK: task})
    check = gate_check(actor=cast.actor("editor"), gate=make_gate(cast, rules), run=run)
    assert verdicts(check) == [("pass", "holds"), ("fail", "broken"), ("error", "no_such_group")]


def test_a_group_under_the_disclosure_limit_decides_nothing_on_a_frozen_split(cast: Cast) -> None:
    version = big_version(cast, dev=16, frozen=16)
    rules = [{"kind": "floor", "metric": "answers.task_success", "limit": 0.5, "group": {"type": "fact"}}]
    gate = make_gate(cast, rules)
    frozen = make_scored_run(cast, version, {TASK: [1.0] * 16}, split="frozen")
    check = gate_check(actor=cast.actor("steward"), gate=gate, run=frozen)
    assert verdicts(check) == [("inconclusive", "group_too_small")]
    assert check_view(cast.actor("steward"), check)["rules"][0]["observed"] is None
    dev = make_scored_run(cast, version, {TASK: [1.0] * 16}, split="dev")
    assert verdicts(gate_check(actor=cast.actor("steward"), gate=gate, run=dev)) != verdicts(check)


def test_guardrails_read_the_outputs(cast: Cast) -> None:
    rules = [
        {"kind": "max_missing", "share": 0.04},
        {"kind": "latency_p95_ms", "limit": 1000},
        {"kind": "cost_mean", "limit": 0.01},
    ]
    run = make_scored_run(
        cast,
        big_version(cast),
        GOOD,
        outcomes={0: Outcome.MISSING, 1: Outcome.FAILED},
        latency=[None, None, *[900.0] * 38],
        costs=[0.001] * 40,
    )
    check = gate_check(actor=cast.actor("editor"), gate=make_gate(cast, rules), run=run)
    assert verdicts(check) == [("fail", "broken"), ("pass", "holds"), ("pass", "holds")]
    assert check.rules[0]["observed"] == 0.05


def test_the_same_check_again_is_the_same_verdict(cast: Cast) -> None:
    gate = make_gate(cast, [NI])
    _first, second = make_pair(cast, big_version(cast), baseline=GOOD, candidate=GOOD)
    one = gate_check(actor=cast.actor("editor"), gate=gate, run=second)
    two = gate_check(actor=cast.actor("owner"), gate=gate, run=second)
    assert one.pk == two.pk
    assert AuditEvent.objects.filter(action="gate.check").count() == 1


def test_a_new_policy_gives_a_verdict_of_its_own(cast: Cast) -> None:
    gate = make_gate(cast, [FLOOR])
    run = make_scored_run(cast, big_version(cast), GOOD)
    one = gate_check(actor=cast.actor("editor"), gate=gate, run=run)
    gate_policy_draft(actor=cast.actor("editor"), gate=gate, rules=[{**FLOOR, "limit": 0.95}])
    assert gate_check(actor=cast.actor("editor"), gate=gate, run=run).pk == one.pk
    gate_policy_activate(actor=cast.actor("steward"), gate=gate, version=2)
    two = gate_check(actor=cast.actor("editor"), gate=gate, run=run)
    assert (one.verdict, two.verdict) == ("pass", "fail")
    assert [row.status for row in gate.policies.all()] == ["active", "superseded"]


@pytest.mark.parametrize(
    "statement",
    ["UPDATE runs_app_gatecheck SET verdict = 'pass'", "DELETE FROM runs_app_gatecheck"],
)
def test_a_verdict_cannot_be_changed_even_by_raw_sql(cast: Cast, statement: str) -> None:
    run = make_scored_run(cast, big_version(cast), GOOD)
    check = gate_check(actor=cast.actor("editor"), gate=make_gate(cast, [NI]), run=run)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    check.refresh_from_db()
    assert check.verdict == "inconclusive"


def test_only_stewards_activate_and_only_drafts(cast: Cast) -> None:
    gate = gate_create(actor=cast.actor("editor"), team=cast.team, slug="g", rules=[NI])
    with pytest.raises(Forbidden):
        gate_policy_activate(actor=cast.actor("editor"), gate=gate, version=1)
    with pytest.raises(NotFound):
        gate_policy_activate(actor=cast.actor("outsider"), gate=gate, version=1)
    gate_policy_activate(actor=cast.actor("steward"), gate=gate, version=1)
    with pytest.raises(Conflict):
        gate_policy_activate(actor=cast.actor("steward"), gate=gate, version=1)
    with pytest.raises(Conflict):
        gate_policy_activate(actor=cast.actor("steward"), gate=gate, version=7)
    assert gate.policies.get(version=1).status == "active"


def test_a_failed_activation_leaves_the_active_policy(cast: Cast) -> None:
    gate = make_gate(cast, [NI])
    with pytest.raises(Conflict), transaction.atomic():
        gate_policy_activate(actor=cast.actor("steward"), gate=gate, version=9)
    assert gate.policies.get().status == "active"


@pytest.mark.parametrize("who", ["viewer", "annotator"])
def test_viewers_and_annotators_make_no_gates_and_check_none(cast: Cast, who: str) -> None:
    gate = make_gate(cast, [FLOOR])
    run = make_scored_run(cast, big_version(cast), GOOD)
    for act in (
        lambda: gate_create(actor=cast.actor(who), team=cast.team, slug="x"),
        lambda: gate_policy_draft(actor=cast.actor(who), gate=gate, rules=[NI]),
        lambda: gate_check(actor=cast.actor(who), gate=gate, run=run),
    ):
        with pytest.raises(Forbidden):
            act()


def test_a_gate_for_one_system_checks_no_other(cast: Cast) -> None:
    version = big_version(cast)
    run = make_scored_run(cast, version, GOOD)
    other = make_scored_run(cast, version, GOOD, slug="other")
    gate = make_gate(cast, [FLOOR], system=run.system_version.system)
    with pytest.raises(Invalid) as caught:
        gate_check(actor=cast.actor("editor"), gate=gate, run=other)
    assert caught.value.errors[0].code == "other_system"


def test_a_run_that_is_not_completed_and_a_gate_without_policy_are_conflicts(cast: Cast) -> None:
    version = big_version(cast)
    running = make_scored_run(cast, version, GOOD, status=RunStatus.SCORING)
    with pytest.raises(Conflict) as caught:
        gate_check(actor=cast.actor("editor"), gate=make_gate(cast, [FLOOR]), run=running)
    assert caught.value.code == "run_not_completed"
    bare = gate_create(actor=cast.actor("editor"), team=cast.team, slug="bare", rules=[FLOOR])
    with pytest.raises(Conflict) as caught:
        gate_check(actor=cast.actor("editor"), gate=bare, run=make_scored_run(cast, version, GOOD, label="v2"))
    assert caught.value.code == "no_active_policy"


def test_bad_rules_and_short_names_write_nothing(cast: Cast) -> None:
    with pytest.raises(Invalid), transaction.atomic():
        gate_create(actor=cast.actor("editor"), team=cast.team, slug="a", rules=[{"kind": "floor"}])
    with pytest.raises(Invalid):
        gate_create(actor=cast.actor("editor"), team=cast.team, slug="No Spaces")
    gate = gate_create(actor=cast.actor("editor"), team=cast.team, slug="b")
    with pytest.raises(Conflict):
        gate_create(actor=cast.actor("editor"), team=cast.team, slug="b")
    with pytest.raises(Invalid) as caught:
        gate_policy_draft(actor=cast.actor("editor"), gate=gate, rules=[{**FLOOR, "metric": "answers.nope"}])
    assert caught.value.errors[0].code == "unknown_metric"
    assert [one.slug for one in Gate.objects.all()] == ["b"]
    assert gate.policies.count() == 0
