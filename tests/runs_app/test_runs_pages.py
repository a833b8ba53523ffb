"""Pages of runs: progress, results in layers, items, starting one."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import TestCase

from runs_app.models import Run
from tests.conftest import Cast
from tests.datasets_app.factories import make_frozen
from tests.runs_app.factories import answers, complete, make_completed_run, make_run, make_system_version, push

pytestmark = pytest.mark.django_db


def text(response: Any) -> str:
    assert response.status_code == 200, response.status_code
    return str(response.content.decode())


def test_an_empty_list_says_what_to_do_first(cast: Cast) -> None:
    assert "No runs yet" in text(cast.client("viewer").get("/t/support/runs/"))
    make_run(cast, make_frozen(cast))
    assert "No run matches" in text(cast.client("viewer").get("/t/support/runs/?status=failed"))


def test_a_collecting_run_shows_how_to_push_and_its_progress(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast))
    push(run, answers(run)[:1])
    client = cast.client("editor")
    page = text(client.get(f"/t/support/runs/{run.public_id}/"))
    assert f"/api/v1/runs/{run.public_id}/outputs" in page
    assert "End collection" in page
    partial = client.get(f"/t/support/runs/{run.public_id}/", headers={"HX-Request": "true"})
    assert "<html" not in text(partial)
    assert "HX-Refresh" not in partial
    complete(run)
    assert client.get(f"/t/support/runs/{run.public_id}/", headers={"HX-Request": "true"})["HX-Refresh"] == "true"


def test_a_viewer_sees_no_button_that_would_be_refused(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast))
    page = text(cast.client("viewer").get(f"/t/support/runs/{run.public_id}/"))
    assert "End collection" not in page


def test_a_run_goes_through_by_pages_alone(cast: Cast) -> None:
    version = make_frozen(cast)
    system = make_system_version(cast)
    client = cast.client("editor")
    fields = {"dataset": version.public_id, "split": "dev", "system": system.pk, "repeats": 1}
    started = client.post("/t/support/run-new/", fields)
    run = Run.objects.get()
    assert started["Location"] == f"/t/support/runs/{run.public_id}/"
    push(run, answers(run))
    with TestCase.captureOnCommitCallbacks(execute=True):
        client.post(f"/t/support/runs/{run.public_id}/complete/")
    page = text(client.get(started["Location"]))
    for words in ("Retrieval by stage", "Refusals and answering", "Answerable by outcome", "By group", "Task success"):
        assert words in page
    assert "coarse" in page


def test_a_frozen_split_without_the_level_is_refused_in_the_form(cast: Cast) -> None:
    version = make_frozen(cast)
    fields = {"dataset": version.public_id, "split": "frozen", "system": make_system_version(cast).pk, "repeats": 1}
    answer = cast.client("editor").post("/t/support/run-new/", fields)
    assert answer.status_code == 422
    assert "questions" in answer.content.decode()
    assert not Run.objects.exists()


def test_items_come_worst_first_and_filter(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast))
    rows = answers(run)
    rows[2]["retrieved"] = {"coarse": ["nothing"], "reranked": [], "prompt": []}
    rows[1] |= {"outcome": "refused", "answer": "I don't know."}
    push(run, rows)
    complete(run)
    client = cast.client("viewer")
    url = f"/t/support/runs/{run.public_id}/items/"
    page = text(client.get(url, {"metric": "retrieval.hit@5 stage=coarse v1"}))
    places = [page.index(row["external_id"]) for row in (rows[2], rows[0], rows[3])]
    assert places == sorted(places)
    refused = text(client.get(url, {"outcome": "refused"}))
    assert rows[1]["external_id"] in refused
    assert rows[0]["external_id"] not in refused
    assert "No item matches" in text(client.get(url, {"text": "no such words"}))


def test_one_items_page_shows_all_of_it_escaped(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast))
    rows = answers(run, answer="<script>alert(1)</script>")
    push(run, rows)
    complete(run)
    output = run.outputs.select_related("entry__item", "entry__revision").order_by("pk").first()
    page = text(cast.client("viewer").get(f"/t/support/runs/{run.public_id}/items/{output.entry.item.public_id}/"))
    assert output.entry.revision.question in page
    assert "&lt;script&gt;" in page
    assert "<script>alert" not in page
    assert "is-hit" in page
    missing = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/items/item_none/")
    assert missing.status_code == 404


def test_a_failed_run_says_why_and_offers_another_try(cast: Cast) -> None:
    run = make_completed_run(cast, make_frozen(cast))
    other = make_run(cast, run.dataset_version)
    Run.objects.filter(pk=other.pk).update(status="failed", status_reason="Scoring gave up on batch 1.")
    page = text(cast.client("editor").get(f"/t/support/runs/{other.public_id}/"))
    assert "Scoring gave up on batch 1." in page
    assert "Try again" in page


def test_the_admin_lists_runs_and_changes_none(cast: Cast) -> None:
    run = make_completed_run(cast, make_frozen(cast))
    client = cast.client("admin")
    models = "system systemversion suite suiteversion run runevent scorebatch metricrecord output score aggregate"
    for model in models.split():
        assert client.get(f"/admin/runs_app/{model}/?q=a").status_code == 200, model
    assert client.post(f"/admin/runs_app/run/{run.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/runs_app/run/add/").status_code == 403
