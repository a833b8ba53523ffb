"""Pages of runs: progress, results in layers, items, starting one."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.test import TestCase

from runs_app.models import Run
from runs_app.selectors.items import span_share
from scoring.gold import Span
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


def test_the_list_sorts_and_keeps_its_filters(cast: Cast) -> None:
    version = make_frozen(cast)
    first = make_completed_run(cast, version)
    second = make_run(cast, version, system_version=make_system_version(cast, "v1", "other"))
    client = cast.client("viewer")
    orders = {
        "": [second, first],
        "created": [first, second],
        "status": [second, first],
        "-status": [first, second],
        "system": [first, second],
        "no-such-column": [second, first],
    }
    for sort, expected in orders.items():
        found = client.get("/t/support/runs/", {"sort": sort, "split": "dev"})
        assert [run.pk for run, _figure in found.context["rows"]] == [run.pk for run in expected], sort
    page = text(client.get("/t/support/runs/", {"sort": "created", "split": "dev"}))
    assert 'href="?sort=-created&amp;split=dev"' in page
    assert '<input type="hidden" name="sort" value="created">' in page
    assert 'aria-sort="ascending"' in page


def test_the_list_is_exported_as_it_is_filtered_without_formulas(cast: Cast) -> None:
    version = make_frozen(cast)
    run = make_completed_run(cast, version, purpose="=1+1")
    make_run(cast, version)
    answer = cast.client("viewer").get("/t/support/runs/", {"status": "completed", "format": "csv"})
    assert answer["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))))
    assert [row["run"] for row in rows] == [run.public_id]
    assert rows[0]["purpose"] == "'=1+1"
    assert (rows[0]["n_scored"], rows[0]["n_total"]) == ("1", "4")
    assert 0 <= float(rows[0]["low"]) <= float(rows[0]["task_success"]) <= float(rows[0]["high"]) <= 1


def test_a_long_list_takes_few_queries(cast: Cast, django_assert_max_num_queries: Any) -> None:
    version = make_frozen(cast)
    for number in range(6):
        make_completed_run(cast, version, system_version=make_system_version(cast, f"v{number}"))
    client = cast.client("viewer")
    client.get("/t/support/runs/")
    with django_assert_max_num_queries(14):
        assert client.get("/t/support/runs/?sort=status").status_code == 200


def test_metrics_without_a_scored_item_stand_aside_with_their_states(cast: Cast) -> None:
    version = make_frozen(cast)
    run = make_run(cast, version)
    push(run, [{**row, "retrieved": {}} for row in answers(run)])
    complete(run)
    page = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/")
    results = page.context["results"]
    unscored = {figure.metric for figure in results.unscored}
    assert any(metric.startswith("retrieval.") for metric in unscored)
    shown = [figure for _name, cells in results.retrieval for figure in cells if figure]
    shown += [figure for _family, figures in results.families for figure in figures]
    assert all(figure.n_scored for figure in shown)
    assert {figure.metric for figure in shown} | unscored == set(results.metrics)
    assert f"Metrics without a scored item ({len(unscored)})" in text(page)


def test_a_unit_that_holds_part_of_an_evidence_span_is_a_hit(cast: Cast) -> None:
    spans = [Span("d1", "2", 100, 200), Span("d2", None, 0, 10)]
    assert span_share({"id": "a", "doc_id": "d1", "version_id": "2", "start": 150, "end": 400}, spans) == 0.5
    assert span_share({"id": "a", "doc_id": "d2", "version_id": "7", "start": 0, "end": 10}, spans) == 1.0
    assert span_share({"id": "a", "doc_id": "d1", "version_id": "1", "start": 100, "end": 200}, spans) is None
    assert span_share({"id": "a", "doc_id": "d1", "version_id": "2", "start": 200, "end": 300}, spans) is None
    assert span_share({"id": "a"}, spans) is None


def test_the_admin_lists_runs_and_changes_none(cast: Cast) -> None:
    run = make_completed_run(cast, make_frozen(cast))
    client = cast.client("admin")
    models = "system systemversion suite suiteversion run runevent scorebatch metricrecord output score aggregate"
    for model in models.split():
        assert client.get(f"/admin/runs_app/{model}/?q=a").status_code == 200, model
    assert client.post(f"/admin/runs_app/run/{run.pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/runs_app/run/add/").status_code == 403
