"""`Idempotency-Key`: one effect, one answer."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from core_app.models import AuditEvent, IdempotencyRecord
from core_app.processes import process_name
from core_app.rest import idempotency
from core_app.services import idempotency_forget
from teams_app.models import ServiceToken
from tests.conftest import Cast
from tests.core_app.urls_for_tests import EchoView

pytestmark = pytest.mark.urls("tests.core_app.urls_for_tests")
URL = "/api/v1/echo"


@pytest.fixture(autouse=True)
def calls() -> Iterator[list[object]]:
    EchoView.calls.clear()
    yield EchoView.calls
    EchoView.calls.clear()


def with_key(key: str) -> dict[str, dict[str, str]]:
    return {"headers": {"Idempotency-Key": key}}


def test_the_same_key_and_body_replays_the_first_answer(cast: Cast, calls: list[object]) -> None:
    api = cast.api("token")
    first = api.post(URL, {"name": "甲"}, **with_key("k-1"))
    again = api.post(URL, {"name": "甲"}, **with_key("k-1"))
    assert len(calls) == 1
    assert (again.status_code, again["Location"], again["Content-Type"]) == (201, "/made/1", first["Content-Type"])
    assert again.content == first.content
    assert again["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first


def test_without_a_key_each_call_counts(cast: Cast, calls: list[object]) -> None:
    api = cast.api("token")
    api.post(URL, {"name": "a"})
    api.post(URL, {"name": "a"})
    assert len(calls) == 2
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.parametrize("change", ["body", "path", "query"])
def test_another_request_under_the_same_key_is_refused(cast: Cast, calls: list[object], change: str) -> None:
    api = cast.api("token")
    api.post(URL, {"name": "a"}, **with_key("k-1"))
    url = {"body": URL, "path": "/api/v1/raw", "query": f"{URL}?x=1"}[change]
    response = api.post(url, {"name": "b" if change == "body" else "a"}, **with_key("k-1"))
    assert response.status_code == 409
    assert response.json()["code"] == "idempotency_mismatch"
    assert len(calls) == 1


def test_keys_belong_to_one_actor(cast: Cast, calls: list[object]) -> None:
    cast.api("token").post(URL, {"name": "a"}, **with_key("k-1"))
    response = cast.api("owner").post(URL, {"name": "a"}, **with_key("k-1"))
    assert response.json()["call"] == 2


def test_an_actor_whose_rights_changed_gets_no_old_answer(cast: Cast) -> None:
    cast.api("token").post(URL, {"name": "a"}, **with_key("k-1"))
    ServiceToken.objects.filter(pk=cast.token.pk).update(scopes=["team:read"])
    assert cast.api("token").post(URL, {"name": "a"}, **with_key("k-1")).status_code == 409


def test_a_call_that_still_runs_answers_409_with_retry_after(cast: Cast, calls: list[object]) -> None:
    IdempotencyRecord.objects.create(
        actor_key=cast.actor("token").key, key="k-1", method_path=f"POST {URL}", body_sha256=""
    )
    response = cast.api("token").post(URL, {"name": "a"}, **with_key("k-1"))
    assert response.status_code == 409
    assert response.json()["code"] == "idempotency_in_flight"
    assert int(response["Retry-After"]) > 0
    assert calls == []


def test_a_reservation_whose_process_died_is_taken_over(cast: Cast, calls: list[object]) -> None:
    record = IdempotencyRecord.objects.create(
        actor_key=cast.actor("token").key, key="k-1", method_path=f"POST {URL}", body_sha256=""
    )
    old = timezone.now() - idempotency.TAKE_OVER_AFTER - timedelta(seconds=1)
    IdempotencyRecord.objects.filter(pk=record.pk).update(created_at=old)
    assert cast.api("token").post(URL, {"name": "a"}, **with_key("k-1")).status_code == 201
    assert cast.api("token").post(URL, {"name": "a"}, **with_key("k-1"))["Idempotency-Replayed"] == "true"


def test_a_reservation_whose_process_died_on_this_machine_is_taken_over_at_once(
    cast: Cast, calls: list[object]
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        started = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[19]
        held = IdempotencyRecord.objects.create(
            actor_key=cast.actor("token").key,
            key="k-1",
            method_path=f"POST {URL}",
            body_sha256="",
            holder=f"{socket.gethostname()}:{process.pid}:{started}",
        )
        assert cast.api("token").post(URL, {"name": "a"}, **with_key("k-1")).status_code == 409
        process.kill()
    assert cast.api("token").post(URL, {"name": "a"}, **with_key("k-1")).status_code == 201
    held.refresh_from_db()
    assert held.holder == process_name()
    assert len(calls) == 1


@pytest.mark.parametrize("body", [{"refuse": True}, {"unknown": 1}, {"crash": True}])
def test_a_refused_or_failed_call_frees_its_key(cast: Cast, calls: list[object], body: dict[str, object]) -> None:
    api = cast.api("token")
    api.raise_request_exception = False
    assert api.post(URL, body, **with_key("k-1")).status_code in {422, 500}
    assert api.post(URL, {"name": "better"}, **with_key("k-1")).status_code == 201


def test_a_streamed_body_is_compared_whole_even_where_the_call_stopped_early(cast: Cast, calls: list[object]) -> None:
    api = cast.api("token")
    url = "/api/v1/raw?early=1"
    options = {"content_type": "application/octet-stream", **with_key("k-1")}
    first = api.post(url, b"a" * 5000 + b"x", **options)
    assert first.json() == {"size": 1000}
    assert api.post(url, b"a" * 5000 + b"x", **options)["Idempotency-Replayed"] == "true"
    assert api.post(url, b"a" * 5000 + b"y", **options).status_code == 409
    assert calls == [1000]


@pytest.mark.parametrize("key", ["", "with space", "ü", "x" * 201])
def test_a_key_that_is_none_is_refused(cast: Cast, key: str) -> None:
    response = cast.api("token").post(URL, {"name": "a"}, **with_key(key))
    assert response.status_code == 400
    assert response.json()["code"] == "idempotency_key_invalid"


def test_answers_are_forgotten_after_a_day(cast: Cast, calls: list[object]) -> None:
    api = cast.api("token")
    api.post(URL, {"name": "a"}, **with_key("old"))
    api.post(URL, {"name": "a"}, **with_key("new"))
    day_ago = timezone.now() - timedelta(hours=24, seconds=1)
    IdempotencyRecord.objects.filter(key="old").update(created_at=day_ago)
    # Even before it is swept, an old record gives no answer.
    assert api.post(URL, {"name": "b"}, **with_key("old")).json()["call"] == 3
    IdempotencyRecord.objects.filter(key="old").update(created_at=day_ago)
    assert idempotency_forget() == 1
    assert list(IdempotencyRecord.objects.values_list("key", flat=True)) == ["new"]


def test_a_secret_shown_once_is_not_kept_for_the_replay(cast: Cast) -> None:
    expires = (timezone.now() + timedelta(days=3)).isoformat()
    body = {"name": "new", "scopes": ["team:read"], "expires_at": expires}
    api = cast.api("owner")
    first = api.post("/api/v1/teams/support/tokens", body, **with_key("k-1"))
    again = api.post("/api/v1/teams/support/tokens", body, **with_key("k-1"))
    assert first.json()["token"].startswith("evp_")
    assert again.json() == {**first.json(), "token": None}
    assert first.json()["token"].encode() not in bytes(IdempotencyRecord.objects.get().body)
    assert AuditEvent.objects.filter(action="token.create").count() == 1


@pytest.mark.django_db(transaction=True)
def test_of_two_calls_at_once_one_has_the_effect(cast: Cast, calls: list[object]) -> None:
    results: list[int] = []
    barrier = threading.Barrier(4)
    clients = [cast.api("token") for _ in range(4)]

    def call(client: object) -> None:
        barrier.wait()
        results.append(client.post(URL, {"name": "a"}, **with_key("k-1")).status_code)  # type: ignore[attr-defined]
        connection.close()

    threads = [threading.Thread(target=call, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert set(results) <= {201, 409}
    assert 201 in results
