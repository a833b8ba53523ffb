"""Risk against coverage of a run, and thresholds that are chosen on dev and locked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from core_app.errors import Conflict, Invalid
from core_app.models import AuditEvent
from datasets_app.models import Dataset
from datasets_app.services import version_freeze
from datasets_app.states import Level
from runs_app.models import AnswerThreshold, Run
from runs_app.selectors.risk_coverage import chart_of, points_shown, risk_coverage_of
from runs_app.services.suites import suite_create
from runs_app.services.thresholds import threshold_choose
from scoring.refusal.risk_coverage import at_threshold, risk_coverage
from tests.conftest import Cast
from tests.datasets_app.factories import fill, grant, make_draft, native
from tests.runs_app.factories import answers, complete, make_run, make_system_version, push

pytestmark = pytest.mark.django_db

#: Confidence and answer of each item; the assertion asks for "yes".
ROWS = [(0.9, "yes"), (0.8, "no"), (0.7, "yes"), (0.6, "yes"), (0.5, "no"), (0.5, "no"), (None, "yes")]
MUST = [{"type": "contains", "value": "yes", "must": True}]


def make_version(cast: Cast, dev: int = 9, frozen: int = 12) -> Any:
    """Return a frozen version: of each split the last item is not answerable, the one before has no assertion."""
    version = make_draft(cast)
    rows = []
    for split, count, start in (("dev", dev, 1), ("frozen", frozen, 1001)):
        for place in range(count):
            left = count - place
            more = {} if left == 2 else {"assertions": MUST}
            if left == 1:
                more = {"answerable": False, "types": ["unanswerable"]}
            rows.append(native(start + place, split=split, **more))
    rows.append(native(5000, types=["false_premise"], answerable=False, tiers=["full"]))
    fill(cast, version, rows)
    return version_freeze(actor=cast.actor("steward"), version=version, note="first")


def answered(run: Run, rows: Any = ROWS) -> list[dict[str, Any]]:
    """Return outputs: `rows` first, then an answer that nothing can decide and one to an unanswerable item."""
    outputs = answers(run)
    for output, (confidence, answer) in zip(outputs, [*rows, (0.95, "perhaps"), (0.4, "yes")], strict=False):
        output |= {"confidence": confidence, "answer": answer}
    return outputs


def done(cast: Cast, version: Any, **extra: Any) -> Run:
    run = make_run(cast, version, tier="regression", **extra)
    push(run, answered(run))
    return complete(run)


@pytest.fixture
def version(cast: Cast) -> Any:
    return make_version(cast)


def test_the_curve_counts_answers_to_unanswerable_items_as_wrong_and_names_what_is_left_out(
    cast: Cast, version: Any
) -> None:
    view = risk_coverage_of(cast.actor("viewer"), done(cast, version))
    assert (view["n"], view["n_total"], view["hidden"], view["reason"]) == (7, 7, "", "")
    assert view["left_out"] == {"undetermined": 1, "without_confidence": 1}
    pure = risk_coverage([0.9, 0.8, 0.7, 0.6, 0.5, 0.5, 0.4], [0, 1, 0, 0, 1, 1, 1])
    assert view["aurc"] == pytest.approx(pure.aurc)
    assert [point["risk"] for point in view["points"]] == pytest.approx([point.risk for point in pure.points])
    assert view["points"][-1]["wrong"] == 4


def test_refused_and_missing_items_stay_in_what_coverage_is_of(cast: Cast, version: Any) -> None:
    run = make_run(cast, version, tier="regression")
    rows = answered(run)
    rows[0] |= {"outcome": "refused", "answer": "I cannot say."}
    push(run, rows[:-1])
    view = risk_coverage_of(cast.actor("viewer"), complete(run))
    assert (view["n"], view["n_total"]) == (5, 7)
    assert view["points"][-1]["coverage"] == pytest.approx(5 / 7)


def test_without_the_metric_risk_the_curve_is_read_from_task_success(cast: Cast, version: Any) -> None:
    suite = suite_create(
        actor=cast.actor("editor"), team=cast.team, slug="few", name="Few", metrics=["answers.task_success v1"]
    )
    full = risk_coverage_of(cast.actor("viewer"), done(cast, version))
    few = risk_coverage_of(cast.actor("viewer"), done(cast, version, suite_version=suite))
    assert few["points"] == full["points"]
    assert few["points"]


def test_a_run_without_confidences_says_so(cast: Cast, version: Any) -> None:
    run = make_run(cast, version, tier="regression")
    push(run, answers(run))
    view = risk_coverage_of(cast.actor("viewer"), complete(run))
    assert (view["reason"], view["points"], view["aurc"]) == ("no_confidence", [], None)
    with pytest.raises(Invalid) as refused:
        threshold_choose(actor=cast.actor("editor"), system=run.system_version.system, run=run, max_risk=0.5)
    assert refused.value.code == "no_confidence"


def test_the_threshold_of_largest_coverage_within_the_limit_is_locked_and_recorded(cast: Cast, version: Any) -> None:
    run = done(cast, version)
    found = threshold_choose(
        actor=cast.actor("editor"), system=run.system_version.system, run=run, max_risk=0.3, note="for launch"
    )
    assert (found.threshold, found.answered, found.wrong, found.n_total) == (0.6, 4, 1, 7)
    assert (found.coverage, found.risk) == (pytest.approx(4 / 7), 0.25)
    event = AuditEvent.objects.get(action="system.threshold.choose")
    assert event.object_id in {str(found.pk), found.public_id}
    assert event.after["run"] == run.public_id


def test_the_upper_end_of_the_interval_is_the_stricter_bound(cast: Cast, version: Any) -> None:
    run = done(cast, version)
    system = run.system_version.system
    strict = threshold_choose(actor=cast.actor("editor"), system=system, run=run, max_risk=0.8, bound="upper")
    loose = threshold_choose(actor=cast.actor("editor"), system=system, run=run, max_risk=0.8)
    assert strict.coverage < loose.coverage
    with pytest.raises(Invalid) as refused:
        threshold_choose(actor=cast.actor("editor"), system=system, run=run, max_risk=0.1, bound="upper")
    assert refused.value.code == "no_threshold"


@pytest.mark.parametrize("name", ["editor", "steward", "owner", "superuser"])
def test_a_frozen_run_is_refused_for_everybody(cast: Cast, version: Any, name: str) -> None:
    run = done(cast, version, split="frozen")
    if name == "superuser":
        cast.people["owner"].is_superuser = True
        cast.people["owner"].save()
        name = "owner"
    elif name != "editor":
        grant(cast, version.dataset, name, Level.READ)
    response = cast.api(name).post(
        "/api/v1/systems/support/assistant/thresholds",
        json.dumps({"run": run.public_id, "max_risk": 0.5}),
        content_type="application/json",
    )
    assert (response.status_code, response.json()["code"]) == (422, "frozen_split")
    assert not AnswerThreshold.objects.exists()


def test_a_dev_run_whose_items_were_frozen_since_chooses_nothing_and_shows_no_curve(cast: Cast, version: Any) -> None:
    run = done(cast, version)
    item = run.outputs.first().entry.item
    type(item).objects.filter(pk=item.pk).update(protected_at=run.created_at)
    with pytest.raises(Invalid) as refused:
        threshold_choose(actor=cast.actor("editor"), system=run.system_version.system, run=run, max_risk=0.5)
    assert refused.value.code == "frozen_split"
    assert risk_coverage_of(cast.actor("viewer"), run)["hidden"] == "items_protected"


def test_another_systems_run_and_an_unfinished_one_are_refused(cast: Cast, version: Any) -> None:
    run = done(cast, version)
    other = make_system_version(cast, slug="other").system
    with pytest.raises(Invalid) as refused:
        threshold_choose(actor=cast.actor("editor"), system=other, run=run, max_risk=0.5)
    assert refused.value.code == "other_system"
    open_run = make_run(cast, version)
    with pytest.raises(Conflict):
        threshold_choose(actor=cast.actor("editor"), system=run.system_version.system, run=open_run, max_risk=0.5)


def test_a_run_reports_the_threshold_that_was_in_force_when_it_was_created(cast: Cast, version: Any) -> None:
    run = done(cast, version)
    system = run.system_version.system
    first = threshold_choose(actor=cast.actor("editor"), system=system, run=run, max_risk=0.3)
    second = done(cast, version)
    threshold_choose(actor=cast.actor("editor"), system=system, run=run, max_risk=0.0)
    assert risk_coverage_of(cast.actor("viewer"), run)["threshold"] is None
    view = risk_coverage_of(cast.actor("viewer"), second)
    assert view["threshold"]["id"] == first.public_id
    pure = at_threshold([0.9, 0.8, 0.7, 0.6, 0.5, 0.5, 0.4], [0, 1, 0, 0, 1, 1, 1], 0.6)
    assert pure is not None
    shown = view["at_threshold"]
    assert (shown["answered"], shown["wrong"]) == (pure.answered, pure.wrong)
    assert shown["risk"]["value"] == pytest.approx(pure.risk)
    assert shown["coverage"]["value"] == pytest.approx(pure.coverage)
    assert shown["risk"]["low"] < pure.risk < shown["risk"]["high"]
    report = cast.api("viewer").get(f"/api/v1/runs/{second.public_id}/report?format=json").json()
    assert report["risk_coverage"]["threshold"]["id"] == first.public_id
    history = cast.api("viewer").get("/api/v1/systems/support/assistant/thresholds").json()["results"]
    assert [row["max_risk"] for row in history] == [0.0, 0.3]


def test_a_frozen_run_reports_the_locked_threshold_to_readers_and_no_risk_to_others(cast: Cast, version: Any) -> None:
    dev = done(cast, version)
    threshold_choose(actor=cast.actor("editor"), system=dev.system_version.system, run=dev, max_risk=0.3)
    frozen = done(cast, version, split="frozen")
    grant(cast, version.dataset, "steward", Level.READ)
    open_view = risk_coverage_of(cast.actor("steward"), frozen)
    assert open_view["at_threshold"]["risk"]["n"] == open_view["at_threshold"]["answered"] > 0
    for name in ("viewer", "editor", "owner"):
        view = risk_coverage_of(cast.actor(name), frozen)
        assert view["hidden"] == "groups_chosen_by_confidence"
        assert (view["points"], view["aurc"], view["at_threshold"], view["n"], view["left_out"]) == (
            [], None, None, None, {},
        )  # fmt: skip
        assert view["threshold"]["threshold"] == 0.6


def test_confidences_that_single_out_one_item_change_nothing_that_is_shown_without_read(
    cast: Cast, version: Any
) -> None:
    """The same answers pushed twice, another item's confidence raised each time: alike to whoever may not read."""
    views = []
    for chosen in (0, 1):
        run = make_run(cast, version, split="frozen")
        rows = [
            {**row, "answer": "yes" if place % 2 else "no", "confidence": 0.9 if place == chosen else 0.1}
            for place, row in enumerate(answers(run))
        ]
        push(run, rows)
        complete(run)
        client = cast.api("viewer")
        body = client.get(f"/api/v1/runs/{run.public_id}/risk-coverage").json()
        page = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/")
        assert b"curve-point" not in page.content
        report = client.get(f"/api/v1/runs/{run.public_id}/report?format=json").json()
        views.append(
            [{key: value for key, value in one.items() if key != "run"} for one in (body, report["risk_coverage"])]
        )
    assert views[0] == views[1]


@pytest.mark.parametrize(
    "statement", ["UPDATE runs_app_answerthreshold SET max_risk = 1", "DELETE FROM runs_app_answerthreshold"]
)
def test_a_threshold_cannot_be_changed_by_raw_sql(cast: Cast, version: Any, statement: str) -> None:
    run = done(cast, version)
    threshold_choose(actor=cast.actor("editor"), system=run.system_version.system, run=run, max_risk=0.3)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_an_editor_chooses_on_the_runs_page_and_the_systems_page_keeps_the_history(cast: Cast, version: Any) -> None:
    run = done(cast, version)
    path = f"/t/support/runs/{run.public_id}/"
    page = cast.client("editor").get(path).content.decode()
    assert "curve-point" in page
    assert "style=" not in page[page.index('id="risk-coverage"') : page.index('id="groups"')]
    assert "Choose a threshold on this dev run" in page
    assert "Choose a threshold on this dev run" not in cast.client("viewer").get(path).content.decode()
    response = cast.client("editor").post(f"{path}threshold/", {"max_risk": "0.3", "bound": "point", "note": "ok"})
    assert response.status_code == 302
    system = cast.client("viewer").get("/t/support/systems/assistant/").content.decode()
    assert AnswerThreshold.objects.get().public_id in system
    assert cast.client("viewer").post(f"{path}threshold/", {"max_risk": "0.3", "bound": "point"}).status_code == 403


def test_the_matrix_and_both_rates_stand_in_the_summary_and_on_the_page(cast: Cast, version: Any) -> None:
    run = done(cast, version)
    found = cast.api("viewer").get(f"/api/v1/runs/{run.public_id}").json()["summary"]["answering"]
    assert found["matrix"]["answerable"]["answered"] == 8
    assert found["matrix"]["unanswerable"]["answered"] == 1
    assert found["hallucination"]["value"] == pytest.approx(4 / 8)
    assert found["refusal"]["value"] == 0.0
    page = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/").content.decode()
    assert "Wrong among the answers given" in page
    assert "Refused among the answerable items" in page
    markdown = cast.api("viewer").get(f"/api/v1/runs/{run.public_id}/report?format=markdown").content.decode()
    assert "AURC" in markdown
    assert "Wrong among the answers given" in markdown


def test_the_queries_do_not_grow_with_the_items(cast: Cast, version: Any) -> None:
    small = done(cast, version)
    Dataset.objects.filter(slug="kb-qa").update(slug="first")
    large = done(cast, make_version(cast, dev=60, frozen=8))
    counts = []
    for run in (small, large):
        with CaptureQueriesContext(connection) as queries:
            risk_coverage_of(cast.actor("viewer"), run)
        counts.append(len(queries))
    assert counts[0] == counts[1] < 12


def test_a_long_curve_is_thinned_from_its_first_to_its_last_point() -> None:
    points = [
        {"threshold": 1 - n / 1000, "coverage": n / 1000, "risk": 0.2, "answered": n, "wrong": n // 5}
        for n in range(1, 1001)
    ]
    shown = points_shown(points)
    assert (len(shown), shown[0], shown[-1]) == (25, points[0], points[-1])
    chart = chart_of({"points": points, "at_threshold": None})
    assert chart is not None
    assert all(chart["top"] <= mark["y"] <= chart["bottom"] for mark in chart["marks"])
