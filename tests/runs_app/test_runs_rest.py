"""Runs over REST, from start to figures."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import TestCase

from runs_app.models import Output, Run, System
from tests.conftest import Cast
from tests.datasets_app.factories import make_frozen
from tests.runs_app.factories import answers, make_completed_run, make_run, make_system_version, push

pytestmark = pytest.mark.django_db

START = {
    "dataset": "support/kb-qa@1",
    "split": "dev",
    "tier": "regression",
    "system": {
        "ref": "support/new-bot",
        "version": "v1.4",
        "change": "context compression",
        "git_sha": "abc123",
        "config": {"chunk_size": 512},
    },
    "purpose": "release 1.4",
}


def test_a_pipeline_starts_pushes_completes_and_reads(cast: Cast) -> None:
    make_frozen(cast)
    api = cast.api("token")
    started = api.post("/api/v1/runs", START, format="json")
    assert started.status_code == 201, started.content
    body = started.json()
    assert (body["status"], body["expected_outputs"], body["estimate"]["judge_calls"]) == ("collecting", 4, 0)
    url = started["Location"]
    assert url == f"/api/v1/runs/{body['id']}"
    rows = answers(Run.objects.get())
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows[:2])
    pushed = api.generic("POST", f"{url}/outputs", lines.encode(), content_type="application/x-ndjson")
    assert pushed.json() == {"accepted": 2, "updated": 0, "unchanged": 0}
    assert api.post(f"{url}/outputs", {"outputs": rows}, format="json").json()["accepted"] == 2
    with TestCase.captureOnCommitCallbacks(execute=True):
        completed = api.post(f"{url}/complete", format="json")
    assert (completed.status_code, completed["Location"]) == (202, url)
    read = api.get(f"{url}?wait=5").json()
    assert read["status"] == "completed"
    assert read["progress"] | {"eta_s": None} == {
        "phase": "scoring", "done": 4, "total": 4, "by_state": {"answered": 4}, "eta_s": None,
    }  # fmt: skip
    assert read["primary"]["n_total"] == 4
    hit = next(row for row in read["summary"]["metrics"] if row["metric"].startswith("retrieval.hit@5 stage=coarse"))
    assert (hit["value"], hit["n_scored"], hit["n_total"]) == (1.0, 4, 4)
    scores = api.get(f"{url}/scores", headers={"Accept": "application/x-ndjson"})
    assert len(scores.getvalue().splitlines()) == 4 * len(read["manifest"]["suite"]["metrics"])
    page = api.get(f"{url}/scores?limit=10").json()
    assert len(page["results"]) == 10
    assert page["next"]


def test_the_same_version_with_another_configuration_is_a_conflict_that_names_it(cast: Cast) -> None:
    make_frozen(cast)
    api = cast.api("editor")
    assert api.post("/api/v1/runs", START, format="json").status_code == 201
    other = {**START, "system": {**START["system"], "config": {"chunk_size": 256}}}
    answer = api.post("/api/v1/runs", other, format="json")
    assert answer.status_code == 409
    assert answer.json()["errors"][0]["pointer"] == "/system/config/chunk_size"


def test_a_refused_start_registers_no_system(cast: Cast) -> None:
    make_frozen(cast)
    answer = cast.api("editor").post("/api/v1/runs", {**START, "tier": "smoke"}, format="json")
    assert answer.status_code == 422
    assert not System.objects.exists()


@pytest.mark.parametrize(
    ("change", "status", "pointer"),
    [
        ({"dataset": "support/none@1"}, 404, None),
        ({"dataset": None}, 422, "/dataset"),
        ({"split": "none"}, 422, "/split"),
        ({"system": {"ref": "support/x"}}, 422, "/system/version"),
        ({"system": {"ref": "support/x", "version": "v1", "speed": "9"}}, 422, "/system/speed"),
        ({"system": {"ref": "elsewhere/x", "version": "v1"}}, 404, None),
        ({"system": "support/nobody@v1"}, 404, None),
        ({"suite": "support/none"}, 404, None),
        ({"snapshot": "support/none@now"}, 404, None),
        ({"mode": "pull"}, 422, "/mode"),
        ({"repeats": 0}, 422, "/repeats"),
        ({"repeats": "many"}, 422, "/repeats"),
        ({"unknown": 1}, 422, "/unknown"),
    ],
)
def test_a_bad_start_is_a_problem_that_names_the_field(
    cast: Cast, change: dict[str, Any], status: int, pointer: str | None
) -> None:
    make_frozen(cast)
    answer = cast.api("editor").post("/api/v1/runs", {**START, **change}, format="json")
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    if pointer is not None:
        assert pointer in [error["pointer"] for error in answer.json()["errors"]]
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"{", 400, "malformed"),
        (b"[" * 10_000 + b"]" * 10_000, 400, "too_deep"),
        ("[]".encode("utf-16"), 400, "not_utf8"),
        (b'"text"', 422, "invalid"),
        (b'{"outputs": 5}', 422, "invalid"),
        (b'{"rows": []}', 422, "invalid"),
        (b'[{"external_id": "q-0001", "confidence": NaN}]', 400, "malformed"),
    ],
)
def test_a_bad_body_is_a_problem_and_stores_nothing(cast: Cast, body: bytes, status: int, code: str) -> None:
    run = make_run(cast, make_frozen(cast))
    url = f"/api/v1/runs/{run.public_id}/outputs"
    answer = cast.api("editor").generic("POST", url, body, content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not Output.objects.exists()


def test_a_malformed_line_is_named(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast))
    url = f"/api/v1/runs/{run.public_id}/outputs"
    body = b'{"external_id": "q-0001", "answer": "A"}\n\n{"external_id": oops}\n'
    answer = cast.api("editor").generic("POST", url, body, content_type="application/x-ndjson")
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["line"] == 3
    assert not Output.objects.exists()


def test_another_answer_after_completion_is_a_conflict(cast: Cast) -> None:
    run = make_completed_run(cast, make_frozen(cast))
    rows = answers(run, answer="Late.")
    answer = cast.api("editor").post(f"/api/v1/runs/{run.public_id}/outputs", rows, format="json")
    assert (answer.status_code, answer.json()["code"]) == (409, "output_conflict")


def test_cancel_and_retry_answer_to_the_status(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast))
    api = cast.api("editor")
    assert api.post(f"/api/v1/runs/{run.public_id}/retry-failed", format="json").status_code == 409
    answer = api.post(f"/api/v1/runs/{run.public_id}/cancel", {"reason": "wrong"}, format="json")
    assert (answer.status_code, answer.json()["status_reason"]) == (200, "wrong")
    assert api.post(f"/api/v1/runs/{run.public_id}/cancel", {}, format="json").status_code == 409
    assert api.post(f"/api/v1/runs/{run.public_id}/complete", format="json").status_code == 409


def test_runs_are_filtered(cast: Cast) -> None:
    version = make_frozen(cast)
    done = make_completed_run(cast, version)
    make_run(cast, version, system_version=make_system_version(cast, slug="other"))
    api = cast.api("viewer")
    assert len(api.get("/api/v1/runs").json()["results"]) == 2
    for query in ("status=completed", "system=support/assistant"):
        rows = api.get(f"/api/v1/runs?{query}").json()["results"]
        assert [row["id"] for row in rows] == [done.public_id]
    assert rows[0]["primary"]["metric"] == "answers.task_success v1"
    assert api.get("/api/v1/runs?dataset=support/none").json()["results"] == []
    assert cast.api("outsider").get("/api/v1/runs").json()["results"] == []


def many_runs(cast: Cast, n: int = 200) -> None:
    version = make_frozen(cast)
    done = make_completed_run(cast, version)
    Run.objects.bulk_create(
        Run(
            team=cast.team,
            dataset_version=version,
            split="dev",
            suite_version=done.suite_version,
            system_version=done.system_version,
            created_by_key="x",
            created_by_label="x",
        )
        for _row in range(n)
    )


@pytest.mark.parametrize("split", ["dev", "frozen"])
def test_the_list_of_hundreds_of_runs_takes_few_queries(
    cast: Cast, split: str, django_assert_max_num_queries: Any
) -> None:
    many_runs(cast)
    Run.objects.exclude(status="completed").update(split=split)
    api = cast.api("viewer")
    with django_assert_max_num_queries(12):
        assert len(api.get("/api/v1/runs?limit=200").json()["results"]) == 200
    client = cast.client("viewer")
    with django_assert_max_num_queries(20):
        assert client.get("/t/support/runs/").status_code == 200


def test_the_items_of_hundreds_of_outputs_take_few_queries(cast: Cast, django_assert_max_num_queries: Any) -> None:
    run = make_completed_run(cast, make_frozen(cast, dev=200))
    api = cast.api("viewer")
    for path in ("items", "scores"):
        with django_assert_max_num_queries(15):
            assert len(api.get(f"/api/v1/runs/{run.public_id}/{path}?limit=200").json()["results"]) == 200
    client = cast.client("viewer")
    with django_assert_max_num_queries(25):
        assert client.get(f"/t/support/runs/{run.public_id}/items/").status_code == 200


def test_a_long_wait_ends_when_the_run_has_ended(cast: Cast) -> None:
    run = make_completed_run(cast, make_frozen(cast))
    assert cast.api("viewer").get(f"/api/v1/runs/{run.public_id}?wait=60").json()["status"] == "completed"
    assert cast.api("viewer").get(f"/api/v1/runs/{run.public_id}?wait=soon").status_code == 422


def test_pushing_needs_no_order(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast), repeats=2)
    rows = answers(run)
    assert push(run, rows[::-1])["accepted"] == 8
