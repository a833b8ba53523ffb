"""Systems and suites: services, REST and pages."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core_app.errors import Conflict, Forbidden, Invalid, NotFound
from core_app.models import AuditEvent
from runs_app.models import Suite, SuiteVersion, System, SystemVersion
from runs_app.services.suites import default_metrics, default_suite, suite_create, suite_version_create
from runs_app.services.systems import system_get_or_create, system_version_get_or_create
from scoring.identity import MetricIdentity
from scoring.registry import spec_of
from tests.conftest import Cast
from tests.datasets_app.factories import make_frozen
from tests.runs_app.factories import make_completed_run, make_system_version

pytestmark = pytest.mark.django_db


def test_a_system_is_registered_once(cast: Cast) -> None:
    first = make_system_version(cast).system
    again, created = system_get_or_create(actor=cast.actor("editor"), team=cast.team, slug="assistant", name="Other")
    assert (again.pk, created, again.name) == (first.pk, False, "Assistant")
    assert AuditEvent.objects.filter(action="system.create").count() == 1


@pytest.mark.parametrize("slug", ["", "Upper", "-x", "a b", "ä", "x" * 51])
def test_a_malformed_short_name_is_refused(cast: Cast, slug: str) -> None:
    with pytest.raises(Invalid):
        system_get_or_create(actor=cast.actor("editor"), team=cast.team, slug=slug)
    assert not System.objects.exists()


@pytest.mark.parametrize(("name", "error"), [("viewer", Forbidden), ("annotator", Forbidden), ("outsider", NotFound)])
def test_who_may_not_register_does_not(cast: Cast, name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        system_get_or_create(actor=cast.actor(name), team=cast.team, slug="mine")
    with pytest.raises(error):
        suite_create(actor=cast.actor(name), team=cast.team, slug="mine", metrics=["answers.correct v1"])
    assert not System.objects.exists()
    assert not Suite.objects.exists()


def test_a_label_means_one_configuration(cast: Cast) -> None:
    version = make_system_version(cast, config={"chunk": 1, "model": "a"}, git_sha="abc")
    same, created = system_version_get_or_create(
        actor=cast.actor("editor"), system=version.system, label="v1", config={"model": "a", "chunk": 1.0}
    )
    assert (same.pk, created) == (version.pk, False)
    with pytest.raises(Conflict) as caught:
        system_version_get_or_create(
            actor=cast.actor("editor"), system=version.system, label="v1", git_sha="def", config={"chunk": 2, "top": 3}
        )
    assert [error.pointer for error in caught.value.errors] == [
        "/system/git_sha", "/system/config/chunk", "/system/config/model", "/system/config/top",
    ]  # fmt: skip


@pytest.mark.parametrize("label", ["", "a b", "a/b", "x" * 81, "@1"])
def test_a_label_that_no_reference_could_carry_is_refused(cast: Cast, label: str) -> None:
    system = make_system_version(cast).system
    with pytest.raises(Invalid):
        system_version_get_or_create(actor=cast.actor("editor"), system=system, label=label)
    assert SystemVersion.objects.count() == 1


def test_the_default_suite_holds_registered_metrics_over_three_stages(cast: Cast) -> None:
    parsed = [MetricIdentity.parse(text) for text in default_metrics()]
    for one in parsed:
        spec_of(one)
    assert {one.stage for one in parsed} == {"coarse", "reranked", "prompt", None}
    version = default_suite(cast.team, actor=cast.actor("editor"))
    assert default_suite(cast.team, actor=cast.actor("viewer")).pk == version.pk


@pytest.mark.parametrize(
    ("metrics", "pointer"),
    [
        ([], "/metrics"),
        ("answers.correct v1", "/metrics"),
        (["nothing.here v1"], "/metrics/0"),
        (["answers.correct v1", "retrieval.hit@0 v1"], "/metrics/1"),
        (["retrieval.hit@5 depth=3 v1"], "/metrics/0"),
        (["answers.correct stage=coarse v1"], "/metrics/0"),
        (["answers.correct v9"], "/metrics/0"),
        ([{"name": "retrieval.hit", "k": "many"}], "/metrics/0"),
        ([7], "/metrics/0"),
        (["answers.correct v1", "answers.correct"], "/metrics/1"),
    ],
)
def test_a_metric_that_cannot_be_computed_is_refused_by_its_place(cast: Cast, metrics: Any, pointer: str) -> None:
    with pytest.raises(Invalid) as caught:
        suite_create(actor=cast.actor("editor"), team=cast.team, slug="own", metrics=metrics)
    assert [error.pointer for error in caught.value.errors] == [pointer]
    assert not Suite.objects.exists()


@pytest.mark.parametrize("settings", [{"epsilon": 1}, {"eps": 2}, {"eps": {"a": "b"}}, {"resamples": 1}])
def test_bad_settings_are_refused(cast: Cast, settings: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        suite_create(
            actor=cast.actor("editor"), team=cast.team, slug="own", metrics=["answers.correct v1"], settings=settings
        )


def test_a_metric_may_be_given_by_its_parts(cast: Cast) -> None:
    version = suite_create(
        actor=cast.actor("editor"),
        team=cast.team,
        slug="own",
        metrics=[{"name": "retrieval.ndcg", "k": 10, "stage": "reranked"}],
    )
    assert version.metrics == ["retrieval.ndcg@10 gain=linear stage=reranked v1"]


def test_a_change_makes_a_version_and_no_change_makes_none(cast: Cast) -> None:
    first = suite_create(actor=cast.actor("editor"), team=cast.team, slug="own", metrics=["answers.correct v1"])
    suite = first.suite
    assert suite_version_create(actor=cast.actor("editor"), suite=suite, metrics=["answers.correct v1"]).pk == first.pk
    second = suite_version_create(actor=cast.actor("editor"), suite=suite, metrics=["answers.task_success v1"])
    assert second.number == 2
    with pytest.raises(IntegrityError), transaction.atomic():
        SuiteVersion.objects.filter(pk=first.pk).update(number=7)
    with pytest.raises(Conflict):
        suite_create(actor=cast.actor("editor"), team=cast.team, slug="own", metrics=["answers.correct v1"])


def test_systems_and_suites_over_rest(cast: Cast) -> None:
    api = cast.api("token")
    made = api.post("/api/v1/systems", {"team": "support", "slug": "bot", "name": "Bot"}, format="json")
    assert made.status_code == 201
    assert api.post("/api/v1/systems", {"team": "support", "slug": "bot"}, format="json").status_code == 200
    version = api.post("/api/v1/systems/support/bot/versions", {"label": "v1", "config": {"k": 5}}, format="json")
    assert (version.status_code, version.json()["ref"]) == (201, "support/bot@v1")
    read = api.get(f"/api/v1/systems/{made.json()['id']}").json()
    assert [row["label"] for row in read["versions"]] == ["v1"]
    body = {"team": "support", "slug": "own", "metrics": ["answers.correct"]}
    suite = api.post("/api/v1/suites", body, format="json")
    assert (suite.status_code, suite.json()["version"]["metrics"]) == (201, ["answers.correct v1"])
    assert api.get("/api/v1/suites/support/own").json()["versions"][0]["number"] == 1
    bad = api.post("/api/v1/suites/support/own/versions", {"metrics": ["no.such"]}, format="json")
    assert (bad.status_code, bad.json()["errors"][0]["pointer"]) == (422, "/metrics/0")
    assert cast.api("outsider").get("/api/v1/systems").json()["results"] == []


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_pages_show_systems_with_their_runs_and_figures(cast: Cast, language: str) -> None:
    run = make_completed_run(cast, make_frozen(cast))
    client = cast.client("editor", language=language)
    for path in ("systems/", "systems/assistant/", "suites/", "suites/default/", "runs/", f"runs/{run.public_id}/"):
        response = client.get(f"/t/support/{path}")
        assert response.status_code == 200, path
        assert "<h1" in response.content.decode()
    assert run.public_id in client.get("/t/support/systems/assistant/").content.decode()


def test_a_bad_form_says_what_is_wrong_and_makes_nothing(cast: Cast) -> None:
    make_system_version(cast)
    client = cast.client("editor")
    assert client.post("/t/support/systems/", {"slug": "No Good", "name": "x"}).status_code == 422
    assert client.post("/t/support/systems/assistant/", {"label": "v1", "config": "[1]"}).status_code == 422
    answer = client.post("/t/support/suites/", {"slug": "own", "name": "Own", "metrics": "no.such v1"})
    assert answer.status_code == 422
    assert "unknown metric" in answer.content.decode()
    assert System.objects.count() == 1
    assert not Suite.objects.exists()


def test_lists_of_hundreds_take_few_queries(cast: Cast, django_assert_max_num_queries: Any) -> None:
    System.objects.bulk_create(System(team=cast.team, slug=f"s{n}", name=f"S {n}") for n in range(300))
    Suite.objects.bulk_create(Suite(team=cast.team, slug=f"s{n}", name=f"S {n}") for n in range(300))
    system = System.objects.first()
    SystemVersion.objects.bulk_create(SystemVersion(system=system, label=f"v{n}") for n in range(300))
    client = cast.client("viewer")
    for path in ("systems/", "suites/", f"systems/{system.slug}/"):
        with django_assert_max_num_queries(20):
            assert client.get(f"/t/support/{path}").status_code == 200
    api = cast.api("viewer")
    for path in ("systems", "suites"):
        with django_assert_max_num_queries(10):
            assert len(api.get(f"/api/v1/{path}?limit=300").json()["results"]) == 300
