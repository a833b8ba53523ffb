"""Health, metrics, logs, addresses, request ids through tasks."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from celery import shared_task
from django.test import Client, RequestFactory, override_settings
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families

from core_app import health, metrics
from core_app.address import client_address
from core_app.celery_signals import request_id_of
from core_app.context import actor_var, request_id_var
from core_app.logging import configure
from core_app.queue import enqueue
from core_app.schedules import SCHEDULE, collect
from tests.conftest import Cast

seen: list[tuple[str, str]] = []


@shared_task(bind=True, name="tests.core_app.note_request_id")
def note_request_id(self: Any) -> None:
    seen.append((request_id_var.get(), request_id_of(self)))


def test_healthz_asks_nothing_of_the_database(client: Client) -> None:
    # Without the `db` mark a query would fail the test.
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.post("/healthz").status_code == 405


@pytest.mark.django_db
def test_readyz_names_what_is_down(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "broker_state", lambda: health.UP)
    assert client.get("/readyz").json() == {
        "status": "ok",
        "down": [],
        "database": "up",
        "broker": "up",
        "migrations": "up",
    }
    monkeypatch.setattr(health, "broker_state", lambda: health.DOWN)
    response = client.get("/readyz")
    assert (response.status_code, response.json()["down"]) == (503, ["broker"])


@pytest.mark.django_db
def test_a_broker_that_is_not_there_is_down() -> None:
    with override_settings(CELERY_BROKER_URL="redis+socket:///nowhere/valkey.sock"):
        assert health.broker_state() == health.DOWN


def scrape(client: Client, **options: Any) -> dict[str, Any]:
    response = client.get("/metrics", **options)
    assert response.status_code == 200
    return {family.name: family for family in text_string_to_metric_families(response.content.decode())}


@pytest.mark.django_db
def test_requests_are_counted_by_page_and_status(cast: Cast) -> None:
    client = cast.client("viewer")
    client.get("/t/support/members/")
    client.get("/t/nothing/members/")
    samples = scrape(client)["evalplatform_requests"].samples
    counted = {(s.labels["view"], s.labels["status"]): s.value for s in samples if s.name.endswith("_total")}
    assert counted[("teams:members", "200")] >= 1
    assert counted[("teams:members", "404")] >= 1


@pytest.mark.django_db
def test_a_broker_that_is_down_shows_in_the_metrics(client: Client) -> None:
    with override_settings(CELERY_BROKER_URL="redis+socket:///nowhere/valkey.sock"):
        assert scrape(client)["evalplatform_broker_up"].samples[0].value == 0


def test_apps_add_figures_and_one_that_fails_hides_no_other(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metrics, "_sources", [])

    def broken() -> Any:
        raise RuntimeError("no table")

    metrics.register_source(broken)
    metrics.register_source(lambda: [GaugeMetricFamily("evalplatform_things", "Things.", value=3)])
    assert scrape(client)["evalplatform_things"].samples[0].value == 3


def test_the_queues_of_the_settings_are_measured() -> None:
    assert metrics.queue_names() == ["collect", "default", "judge", "score"]


@pytest.mark.parametrize(
    ("options", "token", "status"),
    [
        ({}, "", 200),
        ({"REMOTE_ADDR": "192.0.2.1"}, "", 403),
        ({"headers": {"X-Forwarded-For": "192.0.2.1"}}, "", 403),
        ({}, "s3cret", 403),
        ({"headers": {"Authorization": "Bearer wrong"}}, "s3cret", 403),
        ({"headers": {"Authorization": "Bearer s3cret"}, "REMOTE_ADDR": "192.0.2.1"}, "s3cret", 200),
    ],
)
def test_metrics_are_for_this_machine_or_the_bearer(
    client: Client, options: dict[str, Any], token: str, status: int
) -> None:
    with override_settings(METRICS_TOKEN=token):
        assert client.get("/metrics", **options).status_code == status


@pytest.mark.parametrize(
    ("count", "forwarded", "address"),
    [
        (0, "1.1.1.1", "10.0.0.9"),
        (1, "1.1.1.1", "1.1.1.1"),
        (1, "6.6.6.6, 1.1.1.1", "1.1.1.1"),
        (2, "6.6.6.6, 1.1.1.1, 2.2.2.2", "1.1.1.1"),
        (2, "1.1.1.1", "10.0.0.9"),
        (1, "", "10.0.0.9"),
    ],
)
def test_only_what_our_own_proxies_wrote_counts_as_the_address(count: int, forwarded: str, address: str) -> None:
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    request = RequestFactory().get("/", headers=headers, REMOTE_ADDR="10.0.0.9")
    with override_settings(TRUSTED_PROXY_COUNT=count):
        assert client_address(request) == address


@pytest.mark.parametrize(("given", "kept"), [("abcdef-123456", True), ("short", False), ("x" * 65, False)])
def test_a_well_formed_request_id_is_kept(client: Client, given: str, kept: bool) -> None:
    answered = client.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]
    assert (answered == given) is kept
    assert len(answered) >= 8


@pytest.fixture
def log_lines() -> Iterator[io.StringIO]:
    """What the JSON log would hold."""
    with override_settings(LOG_FORMAT="json"):
        configure({"level": "INFO"})
        root = logging.getLogger()
        stream = io.StringIO()
        handler = next(handler for handler in root.handlers if type(handler) is logging.StreamHandler)
        handler.setStream(stream)
        yield stream
    configure({"level": "INFO"})


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.mark.django_db
def test_a_request_is_one_json_line_with_id_actor_and_time(log_lines: io.StringIO, cast: Cast) -> None:
    client = cast.client("viewer")
    client.get("/t/support/members/?q=a-secret-question", headers={"X-Request-ID": "request-12345"})
    line = next(line for line in lines(log_lines) if line["logger"] == "core_app.access")
    assert line["event"] == "request"
    assert (line["method"], line["path"], line["status"]) == ("GET", "/t/support/members/", 200)
    assert line["request_id"] == "request-12345"
    assert line["actor"] == f"person:{cast.people['viewer'].pk}"
    assert line["ms"] > 0
    assert "a-secret-question" not in log_lines.getvalue()


def test_structlog_and_the_standard_library_write_alike(log_lines: io.StringIO) -> None:
    request = request_id_var.set("request-12345")
    structlog.get_logger("ours").info("thing", count=3)
    logging.getLogger("theirs").info("thing %s", "x", extra={"count": 3})
    request_id_var.reset(request)
    ours, theirs = lines(log_lines)
    assert (ours["event"], theirs["event"]) == ("thing", "thing x")
    for line in (ours, theirs):
        assert (line["count"], line["request_id"], line["level"]) == (3, "request-12345", "info")


def test_an_exception_is_one_line(log_lines: io.StringIO) -> None:
    try:
        raise RuntimeError("broken")
    except RuntimeError:
        logging.getLogger("x").exception("failed")
    (line,) = lines(log_lines)
    assert "RuntimeError: broken" in line["exception"]


@pytest.mark.django_db
def test_a_task_carries_the_request_id_of_whoever_asked(django_capture_on_commit_callbacks: Any) -> None:
    seen.clear()
    request = request_id_var.set("request-12345")
    with django_capture_on_commit_callbacks(execute=True):
        enqueue(note_request_id)
    assert request_id_var.get() == "request-12345"
    request_id_var.reset(request)
    assert seen == [("request-12345", "request-12345")]


def test_a_task_from_nowhere_has_its_own_id() -> None:
    seen.clear()
    result = note_request_id.apply()
    assert seen == [(result.id, result.id)]
    assert (request_id_var.get(), actor_var.get()) == ("", "")


def test_each_scheduled_task_exists() -> None:
    from django.conf import settings

    from evalplatform.celery import app

    app.loader.import_default_modules()
    assert set(SCHEDULE) <= set(settings.CELERY_BEAT_SCHEDULE)
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        assert entry["task"] in app.tasks, f"{name} names a task that is not there"


def test_apps_without_a_schedule_are_left_out() -> None:
    assert collect(["teams_app", "django.contrib.admin"]) == {}
