"""What a frozen split's figures show to those without `read`."""

from __future__ import annotations

from typing import Any

import pytest

from core_app.errors import Forbidden
from datasets_app.models import ExposureEntry
from datasets_app.states import Level
from runs_app.models import Run
from runs_app.selectors.disclosure import Figure, figures_shown
from runs_app.selectors.items import outputs_readable, scores_readable
from runs_app.selectors.redaction import Redaction
from runs_app.selectors.runs import figures_of, outcomes_of, progress_of
from tests.conftest import Cast
from tests.datasets_app.factories import grant, make_frozen
from tests.runs_app.factories import answers, complete, make_run, push

pytestmark = pytest.mark.django_db


def figure(n_scored: int, n_total: int, *, group: str = "all", value: str = "", states: Any = None) -> Figure:
    return Figure(
        metric="answers.correct v1",
        name="answers.correct",
        family="answers",
        stage="",
        origin="ours",
        higher_is_better=True,
        group=group,
        group_value=value,
        value=0.123456,
        low=0.1,
        high=0.2,
        interval_method="Wilson",
        n_scored=n_scored,
        n_total=n_total,
        n_clusters=n_total,
        states=states or {},
    )


def shown(*figures: Figure, limit: int = 5) -> list[Figure]:
    return figures_shown(figures, Redaction(limit=limit))


def test_with_read_nothing_is_hidden() -> None:
    row = shown(figure(3, 3), limit=0)[0]
    assert (row.value, row.n_scored, row.hidden) == (0.123456, 3, "")


def test_a_group_under_the_limit_has_no_value() -> None:
    whole, small, large = shown(
        figure(40, 40), figure(4, 4, group="type", value="a"), figure(36, 36, group="type", value="b")
    )
    assert (small.value, small.n_total, small.hidden) == (None, None, "group_too_small")
    assert whole.value == 0.12
    # The whole less the large group would be the small one.
    assert large.value is None


def test_groups_hidden_together_reach_the_limit() -> None:
    rows = shown(
        figure(60, 60),
        figure(3, 3, group="language", value="de"),
        figure(20, 20, group="language", value="en"),
        figure(37, 37, group="language", value="zh"),
    )
    assert [row.hidden != "" for row in rows] == [False, True, True, False]


def test_few_scored_items_hide_the_value_whatever_the_total() -> None:
    assert shown(figure(2, 40))[0].hidden == "group_too_small"


def test_a_state_under_the_limit_is_blank_and_cannot_be_worked_out() -> None:
    row = shown(figure(30, 40, states={"refused": 8, "target_failed": 2}))[0]
    assert row.states == {"refused": 8, "target_failed": None}
    assert row.n_scored is None


def test_a_complement_under_the_limit_blanks_the_count() -> None:
    assert shown(figure(38, 40, states={"refused": 2}))[0].n_scored is None


@pytest.fixture
def run(cast: Cast) -> Run:
    run = make_run(cast, make_frozen(cast, frozen=12), split="frozen")
    push(run, answers(run)[:10])
    return run


def test_before_completion_no_state_is_counted_and_nothing_scored(run: Run) -> None:
    assert progress_of(run)["done"] == 10
    assert progress_of(run)["by_state"] == {}
    assert not run.scores.exists()


def test_without_read_a_viewer_sees_rounded_aggregates_and_no_items(cast: Cast, run: Run) -> None:
    complete(run)
    viewer = cast.actor("viewer")
    figures = figures_of(viewer, run)
    whole = next(row for row in figures if row.name == "answers.task_success" and row.group == "all")
    assert whole.value is None or whole.value == round(whole.value, 2)
    # 3 items of each type: under the limit.
    assert all(row.value is None for row in figures if row.group == "type")
    assert None in outcomes_of(viewer, run).values()
    for read in (outputs_readable, scores_readable):
        with pytest.raises(Forbidden):
            read(viewer, run)


def test_with_read_all_is_seen(cast: Cast, run: Run) -> None:
    complete(run)
    grant(cast, run.dataset_version.dataset, "viewer", Level.READ)
    viewer = cast.actor("viewer")
    assert outcomes_of(viewer, run) == {"answered": 10, "missing": 2}
    assert outputs_readable(viewer, run).count() == 12
    client = cast.client("viewer")
    assert client.get(f"/t/support/runs/{run.public_id}/items/").status_code == 200
    client.get(f"/t/support/runs/{run.public_id}/items/")
    assert ExposureEntry.objects.filter(use="report", run_ref=run.public_id).count() == 1


def test_a_token_without_a_level_sees_no_figure(cast: Cast, run: Run) -> None:
    complete(run)
    body = cast.api("token").get(f"/api/v1/runs/{run.public_id}").json()
    assert body["summary"]["hidden"] == "level_required"
    assert all(row["value"] is None for row in body["summary"]["metrics"])


def test_a_run_that_differs_in_one_answer_shows_no_figure(cast: Cast, run: Run) -> None:
    complete(run)
    second = make_run(cast, run.dataset_version, split="frozen")
    rows = answers(second)[:10]
    push(second, [{**rows[0], "answer": "Something else."}, *rows[1:]])
    complete(second)
    assert all(row.value is None for row in figures_of(cast.actor("viewer"), second))
    assert {"code": "too_few_changes", "run": run.public_id} in second.warnings


@pytest.mark.parametrize("path", ["", "/items", "/scores"])
def test_no_rest_answer_without_read_holds_a_question_or_an_answer(cast: Cast, run: Run, path: str) -> None:
    complete(run)
    for name in ("viewer", "editor", "token"):
        response = cast.api(name).get(f"/api/v1/runs/{run.public_id}{path}")
        assert response.status_code == (200 if path == "" else 403)
        assert b"article" not in response.content
        assert b"q-1001" not in response.content
