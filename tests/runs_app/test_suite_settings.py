"""Settings of a suite: what is taken, each fault by its place, and where they take effect."""

from __future__ import annotations

from typing import Any

import pytest

from core_app.errors import Invalid
from runs_app.models import Suite, SuiteVersion
from runs_app.services.suites import suite_create, suite_version_create
from tests.conftest import Cast
from tests.datasets_app.factories import make_frozen
from tests.runs_app.factories import answers, complete, make_run, push

pytestmark = pytest.mark.django_db

HITS = ["retrieval.hit@50 stage=coarse v1", "retrieval.hit@5 stage=reranked v1", "answers.task_success v1"]


def made(cast: Cast, settings: Any, metrics: Any = HITS) -> SuiteVersion:
    return suite_create(actor=cast.actor("editor"), team=cast.team, slug="own", metrics=metrics, settings=settings)


def test_all_settings_are_kept_as_given(cast: Cast) -> None:
    settings = {
        "eps": {"answers.task_success": 0.05, "default": 0.02},
        "resamples": 500,
        "theta": 0.7,
        "stages": ["coarse", "reranked", "prompt"],
        "diagnosis": {"hit_low": 0.5, "least_items": 3},
    }
    assert made(cast, settings).settings == settings


@pytest.mark.parametrize(
    ("settings", "pointers"),
    [
        ({"epsilon": 1}, ["epsilon"]),
        ({"repeatability": {}}, ["repeatability"]),
        ({"eps": 2}, ["eps"]),
        ({"eps": True}, ["eps"]),
        ({"eps": {"a": "b", "c": 0.1}}, ["eps/a"]),
        ({"resamples": 1}, ["resamples"]),
        ({"resamples": 100.5}, ["resamples"]),
        ({"theta": 1.5}, ["theta"]),
        ({"theta": 0}, ["theta"]),
        ({"stages": []}, ["stages"]),
        ({"stages": "coarse"}, ["stages"]),
        ({"stages": ["coarse", "Bad Name", "coarse", 3]}, ["stages/1", "stages/2", "stages/3"]),
        ({"stages": [f"s{n}" for n in range(13)]}, ["stages"]),
        ({"diagnosis": [0.5]}, ["diagnosis"]),
        ({"diagnosis": {"hit": 0.5}}, ["diagnosis/hit"]),
        ({"diagnosis": {"hit_low": 2, "least_items": 0}}, ["diagnosis/hit_low", "diagnosis/least_items"]),
        ({"diagnosis": {"hit_low": 0.9}}, ["diagnosis/hit_low"]),
        ({"diagnosis": {"least_items": 2.5}}, ["diagnosis/least_items"]),
        ({"eps": 2, "theta": 2, "composite": 3, "x": 1}, ["x", "eps", "theta", "composite"]),
    ],
)
def test_a_bad_setting_is_refused_by_its_place(cast: Cast, settings: Any, pointers: list[str]) -> None:
    with pytest.raises(Invalid) as caught:
        made(cast, settings, ["answers.correct v1"])
    assert [error.pointer for error in caught.value.errors] == [f"/settings/{one}" for one in pointers]
    assert not Suite.objects.exists()


def test_theta_holds_for_metrics_given_by_name_and_not_for_whole_identities(cast: Cast) -> None:
    version = made(
        cast,
        {"theta": 0.7},
        [
            {"name": "retrieval.evidence_recall", "k": 5, "stage": "prompt"},
            {"name": "retrieval.evidence_recall", "k": 5, "stage": "prompt", "theta": 0.9},
            {"name": "retrieval.recall", "k": 5, "stage": "prompt"},
            "retrieval.evidence_recall@9 theta=0.5 stage=prompt v1",
        ],
    )
    assert version.metrics == [
        "retrieval.evidence_recall@5 theta=0.7 stage=prompt v1",
        "retrieval.evidence_recall@5 theta=0.9 stage=prompt v1",
        "retrieval.recall@5 stage=prompt v1",
        "retrieval.evidence_recall@9 theta=0.5 stage=prompt v1",
    ]


def test_settings_go_with_the_next_version_unless_others_are_given(cast: Cast) -> None:
    first = made(cast, {"eps": 0.1})
    editor = cast.actor("editor")
    second = suite_version_create(actor=editor, suite=first.suite, metrics=HITS[:1])
    third = suite_version_create(actor=editor, suite=first.suite, metrics=HITS[:1], settings={})
    assert (second.settings, third.settings, third.number) == ({"eps": 0.1}, {}, 3)


def test_stages_order_the_columns_and_a_stage_that_no_output_carries_is_named(cast: Cast) -> None:
    suite = made(cast, {"stages": ["reranked", "coarse", "graph"]})
    run = make_run(cast, make_frozen(cast), suite_version=suite)
    push(run, answers(run))
    complete(run)
    assert {"code": "stages_absent", "stages": ["graph"]} in run.warnings
    page = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/").content.decode()
    assert page.index('class="num">reranked</th>') < page.index('class="num">coarse</th>')


def test_thresholds_decide_what_the_diagnosis_says_of_a_run_and_of_an_answer(cast: Cast) -> None:
    dataset = make_frozen(cast)
    missed = {"retrieved": {"coarse": ["none"], "reranked": ["none"]}}
    usual = make_run(cast, dataset, suite_version=made(cast, {"diagnosis": {"least_items": 2}}))
    push(usual, answers(usual, **missed))
    complete(usual)
    client = cast.client("viewer")
    found = "Relevant units are rarely among the deepest candidates."
    assert found in client.get(f"/t/support/runs/{usual.public_id}/").content.decode()
    item = usual.outputs.first().entry.item.public_id
    page = client.get(f"/t/support/runs/{usual.public_id}/items/{item}/").content.decode()
    assert "Where this answer loses" in page
    assert found in page
    lenient = suite_version_create(
        actor=cast.actor("editor"),
        suite=usual.suite_version.suite,
        metrics=HITS,
        settings={"diagnosis": {"hit_low": 0.0, "least_items": 2}},
    )
    other = make_run(cast, dataset, suite_version=lenient)
    push(other, answers(other, **missed))
    complete(other)
    for path in ("", f"items/{item}/"):
        assert found not in client.get(f"/t/support/runs/{other.public_id}/{path}").content.decode()


def test_a_suite_with_settings_is_made_and_read_over_rest_and_faults_name_their_place(cast: Cast) -> None:
    api = cast.api("token")
    body = {
        "team": "support",
        "slug": "own",
        "metrics": HITS,
        "settings": {"theta": 0.7, "diagnosis": {"hit_low": 0.5}},
    }
    made_now = api.post("/api/v1/suites", body, format="json")
    assert made_now.status_code == 201, made_now.json()
    read = api.get("/api/v1/suites/support/own").json()
    assert read["versions"][0]["settings"] == body["settings"]
    bad = api.post(
        "/api/v1/suites/support/own/versions",
        {"metrics": HITS, "settings": {"diagnosis": {"hit": 1}, "stages": [7]}},
        format="json",
    )
    assert bad.status_code == 422
    pointers = {error["pointer"] for error in bad.json()["errors"]}
    assert pointers == {"/settings/diagnosis/hit", "/settings/stages/0"}


@pytest.mark.parametrize(
    ("name", "status"), [("viewer", 403), ("annotator", 403), ("editor", 201), ("outsider", 404), ("bare_token", 403)]
)
def test_who_may_set_a_suite_over_rest(cast: Cast, name: str, status: int) -> None:
    made(cast, {})
    answer = cast.api(name).post(
        "/api/v1/suites/support/own/versions", {"metrics": HITS, "settings": {"eps": 0.5}}, format="json"
    )
    assert answer.status_code == status


def test_the_page_shows_meanings_needs_settings_and_the_composite(cast: Cast) -> None:
    composite = {
        "parts": {"hit": HITS[1], "success": HITS[2]},
        "weights": {"hit": 0.25, "success": 0.75},
        "by_type": {"fact": {"success": 1.0}},
    }
    metrics = [*HITS, "citations.recall v1", "freshness.stale_use_rate v1"]
    made(cast, {"eps": 0.04, "stages": ["coarse", "reranked"], "composite": composite}, metrics)
    page = cast.client("viewer").get("/t/support/suites/own/").content.decode()
    for words in (
        "<h3>Citations</h3>", "<h3>Freshness</h3>", "<h3>Nuggets</h3>", "<h3>Robustness</h3>", "needs judgements",
        "needs a snapshot", "Smallest difference that matters", "0.04", "coarse, reranked", "A trend of one system",
        "Share of the claims needing a citation",
    ):  # fmt: skip
        assert words in page, words
    assert "Add the metric" not in page


def test_an_editor_adds_a_metric_by_name_and_parameters(cast: Cast) -> None:
    suite = made(cast, {"theta": 0.7}).suite
    client = cast.client("editor")
    url = "/t/support/suites/own/"
    assert "Add the metric" in client.get(url).content.decode()
    given = {"add-name": "retrieval.evidence_recall", "add-stage": "prompt", "add-parameters": "k=10"}
    assert client.post(url, given).status_code == 302
    newest = suite.versions.latest("number")
    assert newest.metrics == [*HITS, "retrieval.evidence_recall@10 theta=0.7 stage=prompt v1"]
    assert newest.settings == {"theta": 0.7}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"add-name": "no.such"}, "Select a valid choice"),
        ({"add-parameters": "k=0"}, "below 1"),
        ({"add-parameters": "depth=3"}, "depth"),
        ({"add-parameters": "k"}, "neither key=value nor a version"),
        ({"add-parameters": "stage=prompt"}, "Give parameters alone"),
        ({"add-name": "answers.correct"}, "does not read a stage"),
        ({"add-name": "retrieval.hit", "add-stage": "reranked", "add-parameters": "k=5"}, "twice"),
    ],
)
def test_a_metric_that_cannot_be_added_is_refused_with_the_reason(
    cast: Cast, change: dict[str, str], words: str
) -> None:
    suite = made(cast, {}).suite
    fields = {"add-name": "retrieval.recall", "add-stage": "prompt", "add-parameters": "k=10", **change}
    answer = cast.client("editor").post("/t/support/suites/own/", fields)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert suite.versions.count() == 1


def test_the_form_names_the_line_and_the_setting_that_are_wrong(cast: Cast) -> None:
    made(cast, {})
    client, url = cast.client("editor"), "/t/support/suites/own/"
    fields = {"metrics": f"{HITS[0]}\nno.such v1", "settings": "{}"}
    assert "Line 2: unknown metric" in client.post(url, fields).content.decode()
    fields = {"metrics": HITS[0], "settings": '{"diagnosis": {"hit_low": 7}}'}
    assert "diagnosis/hit_low: Give a number from 0 to 1." in client.post(url, fields).content.decode()
    for text in ("[1]", "{"):
        assert client.post(url, {"metrics": HITS[0], "settings": text}).status_code == 422
    assert client.post(url, {"metrics": HITS[0], "settings": '{"eps": 0.2}'}).status_code == 302
    assert SuiteVersion.objects.latest("number").settings == {"eps": 0.2}


@pytest.mark.parametrize(("name", "status"), [("viewer", 403), ("outsider", 404)])
def test_who_may_not_edit_suites_adds_nothing_by_page(cast: Cast, name: str, status: int) -> None:
    made(cast, {})
    fields = {"add-name": "answers.correct", "add-stage": "", "add-parameters": ""}
    assert cast.client(name).post("/t/support/suites/own/", fields).status_code == status
    assert SuiteVersion.objects.count() == 1


def test_a_suite_of_many_versions_takes_few_queries(cast: Cast, django_assert_max_num_queries: Any) -> None:
    suite = made(cast, {}).suite
    SuiteVersion.objects.bulk_create(SuiteVersion(suite=suite, number=n, metrics=HITS) for n in range(2, 200))
    client = cast.client("viewer")
    with django_assert_max_num_queries(10):
        assert client.get("/t/support/suites/own/").status_code == 200


def test_the_next_version_begins_with_the_settings_of_the_newest(cast: Cast) -> None:
    suite = made(cast, {"eps": 0.04, "stages": ["coarse"]}).suite
    client, url = cast.client("editor"), "/t/support/suites/own/"
    form = client.get(url).context["form"]
    fields = {name: form[name].value() for name in ("metrics", "settings")}
    assert client.post(url, fields).status_code == 302
    assert suite.versions.count() == 1
