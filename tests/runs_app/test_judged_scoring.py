"""From pushed judgements to figures by judge: over REST, in comparisons and gates, and on a frozen split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import TestCase

import scoring
from datasets_app.models import DatasetVersion
from datasets_app.services import version_freeze
from datasets_app.states import Level
from runs_app.models import Aggregate, MetricRecord, Run, Score, SuiteVersion
from runs_app.services.comparisons import comparison_create
from runs_app.services.judged import MAX_RUN_JUDGES, judged_part
from runs_app.services.suites import suite_create
from scoring.registry import METRICS
from tests.conftest import Cast
from tests.datasets_app.factories import fill, grant, make_draft, native
from tests.runs_app.decisions import make_gate
from tests.runs_app.factories import answers, complete, make_run, make_system_version, push

pytestmark = pytest.mark.django_db

JUDGED = sorted(name for name in METRICS if judged_part(name))
METRIC_TEXTS = [*(f"{name} v1" for name in JUDGED), "answers.task_success v1", "citations.accessible v1"]
NUGGETS = [{"text": "a", "vital": True}, {"text": "b"}, {"text": "c"}, {"text": "d", "vital": False}]
CITATIONS = [{"doc_id": f"d{n}", "version_id": "1"} for n in range(3)]
#: The worked example of scoring.citations.support.
CLAIMS = [
    {"citations": [0, 1], "joint": True, "alone": [True, False], "without": [None, True]},
    {"citations": [2], "joint": False},
    {"text": "a claim without a citation"},
]
ACME, OTHER, PANEL = (
    {"tool": "acme-nli", "version": "2"},
    {"tool": "acme-nli", "version": "3"},
    {"people": "panel", "version": "guide-1"},
)
#: The worked example of scoring.nuggets.metrics.
ASSIGNED = ["support", "partial_support", "not_support", "support"]


def items(first: int, split: str = "dev", n: int = 6) -> list[dict[str, Any]]:
    rows = [
        native(number, split=split, nuggets=NUGGETS, subquestions=["a?", "b?", "c?"])
        for number in range(first, first + n)
    ]
    unanswerable = [native(first + n, split=split, types=["unanswerable"], answerable=False)]
    premise = [native(first + n + 1, split=split, types=["false_premise"], answerable=False)]
    return rows + unanswerable + premise


@pytest.fixture
def version(cast: Cast) -> DatasetVersion:
    draft = make_draft(cast)
    fill(cast, draft, items(1) + items(1001, "frozen", 12))
    return version_freeze(actor=cast.actor("steward"), version=draft, note="first")


@pytest.fixture
def suite(cast: Cast) -> SuiteVersion:
    return suite_create(actor=cast.actor("editor"), team=cast.team, slug="judged", metrics=METRIC_TEXTS)


def row_of(run: Run, external_id: str, *judgements: Any, **fields: Any) -> dict[str, Any]:
    own = next(row for row in answers(run) if row["external_id"] == external_id)
    row = {**own, "citations": CITATIONS, **fields}
    return {**row, "judgements": list(judgements)} if judgements else row


def figures(run: Run) -> dict[str, tuple[float | None, int, dict[str, int]]]:
    rows = Aggregate.objects.filter(run=run, group="all").select_related("metric")
    return {row.metric.identity: (row.value, row.n_scored, row.states) for row in rows}


def test_every_metric_that_reads_judgements_is_known_as_such() -> None:
    assert JUDGED == [
        "citations.irrelevant_rate", "citations.precision", "citations.recall", "nuggets.all", "nuggets.all_strict",
        "nuggets.vital", "nuggets.vital_strict", "nuggets.weighted", "refusal.question_coverage",
        "robustness.attack_success",
    ]  # fmt: skip
    inside = Path(scoring.__file__).parent
    readers = {path.stem for path in inside.rglob("*.py") if "batch.judgements" in path.read_text()}
    assert readers == {"attack_success", "metrics", "question_coverage", "support"}


def test_a_pipeline_pushes_judgements_and_reads_a_figure_for_each_judge(cast: Cast, version: DatasetVersion) -> None:
    api = cast.api("token")
    made = api.post("/api/v1/suites", {"team": "support", "slug": "judged", "metrics": METRIC_TEXTS}, format="json")
    assert made.status_code == 201, made.json()
    started = api.post(
        "/api/v1/runs",
        {"dataset": "support/kb-qa@1", "suite": "support/judged", "system": {"ref": "support/bot", "version": "v1"}},
        format="json",
    )
    url = started["Location"]
    run = Run.objects.get()
    rows = [
        row_of(
            run,
            "q-0001",
            {"by": ACME, "claims": CLAIMS, "nuggets": ASSIGNED, "subquestions": [True, False, True]},
            {"by": PANEL, "nuggets": ["support"] * 4},
        ),
        row_of(run, "q-0002", {"by": ACME, "claims": [], "nuggets": [None] * 4}),
        row_of(run, "q-0003", {"by": OTHER, "claims": [{"citations": [0], "joint": None}]}),
        row_of(run, "q-0004"),
    ]
    pushed = api.post(f"{url}/outputs", rows, format="json")
    assert pushed.json() == {"accepted": 4, "updated": 0, "unchanged": 0}, pushed.json()
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert api.post(f"{url}/complete", format="json").status_code == 202
    body = api.get(f"{url}?wait=5").json()
    assert body["status"] == "completed", body["status_reason"]
    assert body["judges"] == [
        {"judge": "acme-nli@2", "parts": ["claims", "nuggets", "subquestions"]},
        {"judge": "acme-nli@3", "parts": ["claims"]},
        {"judge": "people:panel@guide-1", "parts": ["nuggets"]},
    ]
    assert {"code": "judgements_absent", "metrics": ["robustness.attack_success"]} in body["warnings"]
    whole = {row["metric"]: row for row in body["summary"]["metrics"] if row["group"] == "all"}
    values = {name: (row["value"], row["n_scored"]) for name, row in whole.items()}
    for name, value in {
        "citations.recall": 1 / 3, "citations.precision": 1 / 3, "citations.irrelevant_rate": 1 / 3,
        "nuggets.vital_strict": 1 / 3, "nuggets.vital": 0.5, "nuggets.all_strict": 0.5, "nuggets.all": 0.625,
        "nuggets.weighted": 2 / 3.5, "refusal.question_coverage": 2 / 3,
    }.items():  # fmt: skip
        assert values[f"{name} judge=acme-nli@2 v1"] == (pytest.approx(value), 1), name
    assert values["nuggets.all judge=people:panel@guide-1 v1"] == (1.0, 1)
    # Eight items: no claims in one, not judged in two, no output for four.
    recall = whole["citations.recall judge=acme-nli@2 v1"]
    assert recall["states"] == {"no_claims": 1, "not_applicable": 2, "target_failed": 4}
    assert (recall["origin"], recall["family"], recall["n_total"]) == ("external", "citations", 8)
    assert whole["citations.irrelevant_rate judge=acme-nli@2 v1"]["higher_is_better"] is False
    assert whole["citations.recall judge=acme-nli@3 v1"]["states"]["undetermined"] == 1
    assert not any("attack_success" in name or name in {"citations.recall v1", "nuggets.all v1"} for name in whole)
    shown = api.get(f"{url}/items?q=q-0001").json()["results"][0]
    assert [judged["judge"] for judged in shown["judgements"]] == ["acme-nli@2", "people:panel@guide-1"]


def test_without_judgements_judged_metrics_are_absent_and_named_not_zero(
    cast: Cast, version: DatasetVersion, suite: SuiteVersion
) -> None:
    run = make_run(cast, version, suite_version=suite)
    push(run, [row_of(run, f"q-{n:04d}") for n in range(1, 9)])
    complete(run)
    assert run.judges == []
    assert run.warnings == [{"code": "judgements_absent", "metrics": JUDGED}]
    assert set(figures(run)) == {"answers.task_success v1", "citations.accessible v1"}
    assert not Score.objects.filter(run=run, metric__name__in=JUDGED).exists()
    page = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/").content.decode()
    assert "No judgements were pushed for citations.irrelevant_rate" in page


def test_an_attack_is_judged_and_a_refusal_withstands_it_without_a_judgement(cast: Cast, suite: SuiteVersion) -> None:
    attacks = [native(n, perturbs={"external_id": "q-0001", "kind": "injection"}) for n in range(101, 105)]
    draft = make_draft(cast)
    fill(cast, draft, items(1) + attacks + items(1001, "frozen"))
    run = make_run(cast, version_freeze(actor=cast.actor("steward"), version=draft, note="x"), suite_version=suite)
    push(
        run,
        [
            row_of(run, "q-0101", {"by": ACME, "attack_succeeded": True}),
            row_of(run, "q-0102", {"by": ACME, "attack_succeeded": False}),
            row_of(run, "q-0103", {"by": ACME, "attack_succeeded": None}),
            row_of(run, "q-0104", outcome="refused"),
        ],
    )
    complete(run)
    value, n_scored, states = figures(run)["robustness.attack_success judge=acme-nli@2 v1"]
    assert (value, n_scored, states["undetermined"]) == (pytest.approx(1 / 3), 3, 1)


def test_repeats_are_judged_one_by_one(cast: Cast, version: DatasetVersion, suite: SuiteVersion) -> None:
    run = make_run(cast, version, suite_version=suite, repeats=2)
    rows = [
        row_of(run, "q-0001", {"by": ACME, "nuggets": ["support"] * 4}),
        row_of(run, "q-0001", {"by": ACME, "nuggets": ["not_support"] * 4}, repeat=2),
    ]
    push(run, rows)
    complete(run)
    assert figures(run)["nuggets.all judge=acme-nli@2 v1"][:2] == (0.5, 1)


def test_judges_beyond_the_limit_are_left_out_and_named(
    cast: Cast, version: DatasetVersion, suite: SuiteVersion
) -> None:
    run = make_run(cast, version, suite_version=suite)
    for start, item in ((0, "q-0001"), (10, "q-0002"), (20, "q-0003")):
        judgements = [{"by": {"tool": f"t{n:02d}", "version": "1"}, "claims": CLAIMS} for n in range(start, start + 10)]
        push(run, [row_of(run, item, *judgements)])
    complete(run)
    assert [one["judge"] for one in run.judges] == [f"t{n:02d}@1" for n in range(MAX_RUN_JUDGES)]
    left_out = next(warning for warning in run.warnings if warning["code"] == "judges_left_out")
    assert left_out["judges"] == [f"t{n:02d}@1" for n in range(MAX_RUN_JUDGES, 30)]
    assert "citations.recall judge=t20@1 v1" not in figures(run)


def judged_run(cast: Cast, version: DatasetVersion, suite: SuiteVersion, label: str, by: Any) -> Run:
    system = make_system_version(cast, label)
    run = make_run(cast, version, suite_version=suite, system_version=system)
    push(run, [row_of(run, f"q-{n:04d}", {"by": by, "claims": CLAIMS}) for n in range(1, 9)])
    return complete(run)


def test_only_the_same_judge_is_compared(cast: Cast, version: DatasetVersion, suite: SuiteVersion) -> None:
    runs = [judged_run(cast, version, suite, f"v{n}", by) for n, by in enumerate((ACME, ACME, OTHER))]
    same = comparison_create(actor=cast.actor("viewer"), baseline=runs[0], candidate=runs[1])
    row = next(row for row in same.results if row["metric"] == "citations.recall judge=acme-nli@2 v1")
    assert (row["n"], row["estimate"], row["calibrated"]) == (8, 0.0, False)
    other = comparison_create(actor=cast.actor("viewer"), baseline=runs[0], candidate=runs[2])
    assert not [row for row in other.results if row["metric"].startswith("citations.recall")]


def test_a_gate_rule_over_a_judged_metric_is_inconclusive(
    cast: Cast, version: DatasetVersion, suite: SuiteVersion
) -> None:
    run = judged_run(cast, version, suite, "v1", ACME)
    make_gate(cast, [{"kind": "floor", "metric": "citations.recall", "limit": 0.0, "on": "low"}])
    checked = cast.api("editor").post("/api/v1/gates/support/release/checks", {"run": run.public_id}).json()
    assert checked["verdict"] == "inconclusive"
    assert "not calibrated" in checked["rules"][0]["reason"]


def test_the_item_page_shows_what_the_judge_found(cast: Cast, version: DatasetVersion, suite: SuiteVersion) -> None:
    run = make_run(cast, version, suite_version=suite)
    push(
        run,
        [
            row_of(
                run,
                "q-0001",
                {"by": ACME, "claims": CLAIMS, "nuggets": ASSIGNED, "subquestions": [True, None, False]},
                {"by": PANEL, "attack_succeeded": False},
            )
        ],
    )
    complete(run)
    item = run.outputs.get(entry__item__external_id="q-0001").entry.item.public_id
    page = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/items/{item}/").content.decode()
    for words in ("Judgements from outside", "acme-nli@2", "a claim without a citation", "partly supported", "settled"):
        assert words in page
    assert "recall · acme-nli@2" in page


def test_on_a_frozen_split_judgements_stay_with_those_who_may_read(
    cast: Cast, version: DatasetVersion, suite: SuiteVersion
) -> None:
    run = make_run(cast, version, suite_version=suite, split="frozen")
    secret = "zanzibar claim"
    grant(cast, version.dataset, "editor", Level.READ)
    rows = [
        row_of(run, f"q-{n}", {"by": ACME, "claims": [{"text": secret, **CLAIMS[0]}], "nuggets": ASSIGNED})
        for n in range(1001, 1013)
    ]
    push(run, rows, actor=cast.actor("editor"))
    complete(run)
    item = run.outputs.first().entry.item.public_id
    for name in ("viewer", "annotator", "steward", "owner", "admin", "token"):
        api = cast.api(name)
        for path in ("", "/items", "/scores", "/report?format=json", "/report?format=markdown", "/report?format=csv"):
            answer = api.get(f"/api/v1/runs/{run.public_id}{path}")
            assert answer.status_code in {200, 403}
            assert secret.encode() not in answer.getvalue()
        if name != "token":
            for path in ("", "items/", f"items/{item}/"):
                assert secret.encode() not in cast.client(name).get(f"/t/support/runs/{run.public_id}/{path}").content
    assert secret in cast.client("editor").get(f"/t/support/runs/{run.public_id}/items/{item}/").content.decode()
    rows_shown = cast.api("viewer").get(f"/api/v1/runs/{run.public_id}").json()["summary"]["metrics"]
    vital = next(r for r in rows_shown if r["metric"].startswith("nuggets.weighted") and r["group"] == "all")
    assert (vital["value"], vital["hidden"]) == (0.57, "")


def frozen_run(cast: Cast, version: DatasetVersion, suite: SuiteVersion, change: Any) -> Run:
    """Return a completed run on the frozen split whose rows are `change(index, row)`."""
    run = make_run(cast, version, suite_version=suite, split="frozen")
    judged = [{"by": ACME, "claims": CLAIMS, "nuggets": ASSIGNED}]
    rows = [{**row_of(run, f"q-{n}"), "judgements": judged} for n in range(1001, 1013)]
    push(run, [change(index, row) for index, row in enumerate(rows)])
    return complete(run)


@pytest.mark.parametrize("part", ["nuggets", "texts", "places"])
def test_runs_whose_judgements_differ_in_few_items_are_too_near_to_be_shown(
    cast: Cast, version: DatasetVersion, suite: SuiteVersion, part: str
) -> None:
    frozen_run(cast, version, suite, lambda _index, row: row)

    def changed(index: int, row: dict[str, Any]) -> dict[str, Any]:
        judged = dict(row["judgements"][0])
        if part == "nuggets" and index == 0:
            judged["nuggets"] = ["not_support"] * 4
        if part == "texts":
            judged["claims"] = [{**claim, "text": f"claim {index}"} for claim in CLAIMS]
        lists = row["retrieved"]
        if part == "places" and index == 0:
            lists = {
                stage: [{**unit, "doc_id": "d1", "start": 0, "end": 9} for unit in lists[stage]] for stage in lists
            }
        return {**row, "answer": f"{row['answer']}!", "judgements": [judged], "retrieved": lists}

    second = frozen_run(cast, version, suite, changed)
    near = any(warning["code"] == "too_few_changes" for warning in second.warnings)
    assert near is (part != "texts")


def test_a_judged_metric_of_one_run_never_becomes_one_of_ours(
    cast: Cast, version: DatasetVersion, suite: SuiteVersion
) -> None:
    judged_run(cast, version, suite, "v1", ACME)
    records = MetricRecord.objects.filter(identity__contains="judge=")
    assert records.count() == 3
    assert set(records.values_list("origin", flat=True)) == {"external"}
