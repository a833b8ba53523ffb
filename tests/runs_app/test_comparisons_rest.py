"""Comparisons and run reports over REST."""

import csv
import io

import pytest

from core_app.models import AuditEvent
from datasets_app.models import ExposureEntry
from datasets_app.states import Level
from runs_app.models import Comparison
from runs_app.states import RunStatus
from tests.conftest import Cast
from tests.datasets_app.factories import grant, make_frozen
from tests.runs_app.decisions import RECALL, TASK, big_version, evens, make_pair, make_scored_run
from tests.runs_app.factories import make_completed_run

pytestmark = pytest.mark.django_db

API = "/api/v1"
BASE = {TASK: evens(40, 0.5), RECALL: [0.5] * 40}
BETTER = {TASK: [*evens(20, 0.5), *[1.0] * 20], RECALL: [0.5] * 40}


def pair(cast: Cast, **extra):
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER, **extra)
    return {"baseline": first.public_id, "candidate": second.public_id}


def test_two_runs_are_compared_and_read_again(cast: Cast) -> None:
    asked = pair(cast)
    api = cast.api("token")
    answer = api.post(f"{API}/comparisons", asked)
    assert answer.status_code == 200, answer.json()
    body = answer.json()
    row = next(row for row in body["results"] if row["metric"] == TASK and row["group"] == "all")
    assert (row["verdict"], row["estimate"], row["wins"], row["n"]) == ("improved", 0.25, 10, 40)
    assert body["url"].startswith("http://testserver/t/support/comparisons/cmp_")
    assert api.get(f"{API}/comparisons/{body['id']}").json() == body
    assert api.post(f"{API}/comparisons", asked).json()["id"] == body["id"]
    assert [one["id"] for one in api.get(f"{API}/comparisons").json()["results"]] == [body["id"]]
    assert AuditEvent.objects.filter(action="comparison.create").count() == 1


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"candidate": None}, 422, "null"),
        ({"candidate": "run_unknown"}, 404, None),
        ({"other": 1}, 422, "unknown_field"),
    ],
)
def test_bad_requests_are_refused(cast: Cast, change, status, code) -> None:
    answer = cast.api("editor").post(f"{API}/comparisons", {**pair(cast), **change})
    assert answer.status_code == status
    if code:
        assert answer.json()["errors"][0]["code"] == code
    assert not Comparison.objects.exists()


def test_a_run_with_itself_is_refused(cast: Cast) -> None:
    asked = pair(cast)
    api = cast.api("editor")
    same = api.post(f"{API}/comparisons", {**asked, "candidate": asked["baseline"]})
    assert (same.status_code, same.json()["errors"][0]["code"]) == (422, "same_run")


def test_a_run_in_progress_is_a_conflict(cast: Cast) -> None:
    version = big_version(cast)
    first = make_scored_run(cast, version, BASE)
    second = make_scored_run(cast, version, BASE, label="v2", status=RunStatus.SCORING)
    asked = {"baseline": first.public_id, "candidate": second.public_id}
    answer = cast.api("editor").post(f"{API}/comparisons", asked)
    assert (answer.status_code, answer.json()["code"], answer.json()["run_status"]) == (
        409,
        "run_not_completed",
        "scoring",
    )


def test_an_outsider_learns_nothing(cast: Cast) -> None:
    asked = pair(cast)
    made = cast.api("viewer").post(f"{API}/comparisons", asked).json()["id"]
    api = cast.api("outsider")
    assert api.post(f"{API}/comparisons", asked).status_code == 404
    assert api.get(f"{API}/comparisons/{made}").status_code == 404
    assert api.get(f"{API}/comparisons/{made}?format=markdown").status_code == 404
    assert api.get(f"{API}/comparisons").json()["results"] == []


def test_items_of_a_frozen_comparison_need_read_and_are_entered_in_the_ledger(cast: Cast) -> None:
    asked = pair(cast, split="frozen")
    body = cast.api("viewer").post(f"{API}/comparisons", asked).json()
    items = f"{API}/comparisons/{body['id']}/items?metric={TASK.replace(' ', '%20')}"
    assert cast.api("viewer").get(items).status_code == 403
    grant(cast, Comparison.objects.get().candidate.dataset_version.dataset, "viewer", Level.READ)
    rows = cast.api("viewer").get(items).json()["results"]
    assert len(rows) == 10
    assert ExposureEntry.objects.filter(use="report").count() == 1


def test_markdown_and_csv_of_a_comparison_hold_no_frozen_item(cast: Cast) -> None:
    body = cast.api("viewer").post(f"{API}/comparisons", pair(cast, split="frozen")).json()
    url = f"{API}/comparisons/{body['id']}"
    markdown = cast.api("viewer").get(f"{url}?format=markdown").content.decode()
    assert "| answers.task_success v1 | all |" in markdown
    assert "q-10" not in markdown
    text = cast.api("viewer").get(f"{url}?format=csv").getvalue().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["metric"] for row in rows} == {TASK, RECALL}
    assert "q-10" not in text
    assert cast.api("viewer").get(f"{url}?format=junit").status_code == 422


def test_a_run_report_in_each_format(cast: Cast) -> None:
    run = make_completed_run(cast, make_frozen(cast))
    api = cast.api("viewer")
    url = f"{API}/runs/{run.public_id}/report"
    body = api.get(url).json()
    assert body["id"] == run.public_id
    assert any(row["metric"] == TASK and row["group"] == "all" for row in body["summary"])
    assert "| answers.task_success v1 | all |" in api.get(f"{url}?format=markdown").content.decode()
    text = api.get(f"{url}?format=csv").getvalue().decode("utf-8-sig")
    assert any(row["metric"] == TASK for row in csv.DictReader(io.StringIO(text)))
    assert api.get(f"{url}?format=pdf").status_code == 422
    assert cast.api("outsider").get(url).status_code == 404


def test_a_report_of_a_run_in_progress_is_a_conflict(cast: Cast) -> None:
    run = make_scored_run(cast, big_version(cast), BASE, status=RunStatus.SCORING)
    answer = cast.api("viewer").get(f"{API}/runs/{run.public_id}/report")
    assert (answer.status_code, answer.json()["code"]) == (409, "run_not_completed")


def test_the_list_takes_the_same_number_of_queries_however_long(cast: Cast, django_assert_max_num_queries) -> None:
    version = big_version(cast)
    first, second = make_pair(cast, version, baseline=BASE, candidate=BETTER)
    Comparison.objects.bulk_create(
        Comparison(
            team=cast.team, baseline=first, candidate=second, comparable=True, results=[{"metric": "x"}] * 50,
            settings={"fixed": {}}, created_by_label="x",
        )
        for _ in range(300)
    )  # fmt: skip
    api = cast.api("viewer")
    with django_assert_max_num_queries(8):
        assert len(api.get(f"{API}/comparisons?limit=250").json()["results"]) == 250
