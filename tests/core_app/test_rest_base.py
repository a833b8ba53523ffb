"""Pages of lists, NDJSON, `?wait=`, what `Accept` and `?format=` do, rate limits."""

from __future__ import annotations

import json
from base64 import b64encode
from urllib.parse import urlencode

import pytest
from django.core.cache import cache
from django.utils import timezone

from core_app.models import AuditEvent
from teams_app.rest.throttles import TokenRateThrottle
from tests.conftest import Cast
from tests.core_app.urls_for_tests import EchoView

pytestmark = pytest.mark.urls("tests.core_app.urls_for_tests")


def make_events(count: int) -> None:
    AuditEvent.objects.bulk_create(
        AuditEvent(
            actor_kind="system", actor_label="system", action="x", object_type="t", object_id=str(n), at=timezone.now()
        )
        for n in range(count)
    )


def test_a_list_is_paged_by_cursor_and_each_row_comes_once(cast: Cast) -> None:
    make_events(120)
    api = cast.api("token")
    url, seen = "/api/v1/events?limit=50", []
    while url:
        page = api.get(url).json()
        assert set(page) == {"results", "next"}
        seen += [row["id"] for row in page["results"]]
        url = page["next"]
    assert len(seen) == 120
    assert seen == sorted(set(seen), reverse=True)


def test_a_page_holds_at_most_five_hundred_rows(cast: Cast) -> None:
    make_events(510)
    assert len(cast.api("token").get("/api/v1/events?limit=9999").json()["results"]) == 500


def test_a_cursor_made_up_is_404(cast: Cast) -> None:
    assert cast.api("token").get("/api/v1/events?cursor=nonsense").status_code == 404


@pytest.mark.parametrize("position", ["abc", "", "\0", "1.5", "[]"])
def test_a_cursor_at_no_possible_place_is_404(cast: Cast, position: str) -> None:
    make_events(1)
    cursor = b64encode(urlencode({"o": 0, "r": 0, "p": position}).encode()).decode()
    assert cast.api("token").get("/api/v1/events", {"cursor": cursor}).status_code == 404


@pytest.mark.parametrize("position", ["-5", "9" * 40])
def test_a_cursor_past_all_rows_is_an_empty_or_whole_page(cast: Cast, position: str) -> None:
    make_events(1)
    cursor = b64encode(urlencode({"o": 0, "r": 0, "p": position}).encode()).decode()
    assert cast.api("token").get("/api/v1/events", {"cursor": cursor}).status_code == 200


def test_a_large_read_streams_as_ndjson(cast: Cast, django_assert_max_num_queries: object) -> None:
    make_events(700)
    response = cast.api("token").get("/api/v1/events", headers={"Accept": "application/x-ndjson"})
    assert response.streaming
    assert response["Content-Type"] == "application/x-ndjson"
    assert len([json.loads(line) for line in response.getvalue().splitlines()]) == 700


@pytest.mark.parametrize("accept", ["text/html", "image/png", "*/*", "application/json"])
def test_whoever_asks_for_something_else_gets_json(cast: Cast, accept: str) -> None:
    response = cast.api("token").get("/api/v1/lines", headers={"Accept": accept})
    assert response.json() == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_the_format_parameter_belongs_to_the_call(cast: Cast) -> None:
    assert cast.api("token").get("/api/v1/lines?format=jsonl").status_code == 200


def test_json_is_sent_without_escapes(cast: Cast) -> None:
    EchoView.calls.clear()
    assert "知识库".encode() in cast.api("token").post("/api/v1/echo", {"name": "知识库"}).content


def test_wait_holds_the_answer_until_it_is_true(cast: Cast) -> None:
    assert cast.api("token").get("/api/v1/wait?wait=30").json() == {"done": True, "looks": 3}
    assert cast.api("token").get("/api/v1/wait").json() == {"done": False, "looks": 1}


@pytest.mark.parametrize("value", ["-1", "soon", "nan", "inf"])
def test_wait_must_be_a_number_of_seconds(cast: Cast, value: str) -> None:
    response = cast.api("token").get(f"/api/v1/wait?wait={value}")
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == "/wait"


def test_too_many_calls_are_429_with_retry_after(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.core_app.urls_for_tests.WaitView.throttle_classes", [TokenRateThrottle])
    monkeypatch.setattr(TokenRateThrottle, "THROTTLE_RATES", {"token": "2/min"})
    cache.clear()
    api = cast.api("token")
    statuses = [api.get("/api/v1/wait").status_code for _ in range(3)]
    assert statuses == [200, 200, 429]
    response = api.get("/api/v1/wait")
    assert response.json()["code"] == "throttled"
    assert 1 <= int(response["Retry-After"]) <= 60
    assert cast.api("bare_token").get("/api/v1/wait").status_code == 200


def test_without_a_cache_tokens_are_not_stopped(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.core.cache.backends.redis import RedisCache

    broken = RedisCache("unix:///nowhere/valkey.sock", {})
    monkeypatch.setattr("tests.core_app.urls_for_tests.WaitView.throttle_classes", [TokenRateThrottle])
    monkeypatch.setattr(TokenRateThrottle, "cache", broken)
    assert cast.api("token").get("/api/v1/wait").status_code == 200
