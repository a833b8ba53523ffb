"""From outputs to a completed run, through the services and eager tasks."""

import pytest

from runs_app.models import Aggregate, Score
from runs_app.states import RunStatus
from tests.conftest import Cast
from tests.datasets_app.factories import make_frozen
from tests.runs_app.factories import answers, complete, make_completed_run, make_run, push

pytestmark = pytest.mark.django_db


def figure(run, name: str, group: str = "all", value: str = "", stage: str = "") -> Aggregate:
    found = Aggregate.objects.filter(run=run, metric__name=name, group=group, group_value=value, metric__stage=stage)
    return found.first()


def test_a_run_goes_from_outputs_to_figures(cast: Cast) -> None:
    run = make_completed_run(cast, make_frozen(cast))
    assert run.status == RunStatus.COMPLETED, run.status_reason
    hit = figure(run, "retrieval.hit", stage="coarse")
    assert (hit.value, hit.n_scored, hit.n_total) == (1.0, 4, 4)
    assert run.scores_sha256
    assert run.stages == ["coarse", "prompt", "reranked"]
    assert [event.status for event in run.events.all()] == ["created", "collecting", "scoring", "completed"]
    assert Score.objects.filter(run=run).count() == 4 * len(run.suite_version.metrics)


def test_missing_outputs_are_rows_and_count_against_task_success(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast))
    push(run, answers(run)[:1])
    complete(run)
    assert run.status == RunStatus.COMPLETED
    assert sorted(run.outputs.values_list("outcome", flat=True)) == ["answered", "missing", "missing", "missing"]
    assert run.warnings[0] == {"code": "missing_outputs", "n": 3}
    success = figure(run, "answers.task_success")
    assert success.n_total == 4
    hit = figure(run, "retrieval.hit", stage="coarse")
    assert (hit.n_scored, hit.states) == (1, {"target_failed": 3})
