"""REST about teams, members, tokens and the audit trail."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from core_app.actors import SYSTEM
from core_app.models import AuditEvent
from core_app.roles import Role
from core_app.services import audit_record
from tests.conftest import Cast, make_person, make_token


def record(cast: Cast, action: str, **more: Any) -> AuditEvent:
    return audit_record(actor=SYSTEM, action=action, obj=cast.team, team_id=cast.team.pk, **more)


def test_me_says_who_is_asking(cast: Cast) -> None:
    assert cast.api("steward").get("/api/v1/me").json() == {
        "kind": "person",
        "id": "steward",
        "label": "steward",
        "is_platform_admin": False,
        "roles": {"support": "steward"},
        "team": None,
        "scopes": [],
    }


def test_teams_are_those_of_the_caller(cast: Cast) -> None:
    def slugs(name: str) -> list[str]:
        return [team["slug"] for team in cast.api(name).get("/api/v1/teams").json()["results"]]

    assert slugs("viewer") == slugs("token") == ["support"]
    assert slugs("outsider") == ["elsewhere"]
    assert slugs("bare_token") == []
    assert slugs("admin") == ["elsewhere", "support"]


def test_a_member_is_added_changed_and_removed(cast: Cast) -> None:
    make_person("newcomer")
    api = cast.api("owner")
    created = api.post("/api/v1/teams/support/members", {"person": "newcomer@example.org", "role": "viewer"})
    assert (created.status_code, created["Location"]) == (201, "/api/v1/teams/support/members/newcomer")
    assert api.patch(created["Location"], {"role": "editor"}).json()["role"] == "editor"
    assert api.delete(created["Location"]).status_code == 204
    assert api.get(created["Location"]).status_code == 404


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"person": "viewer", "role": "king"}, "/role", "invalid_choice"),
        ({"person": "viewer"}, "/role", "required"),
        ({"person": "viewer", "role": "viewer", "is_superuser": True}, "/is_superuser", "unknown_field"),
    ],
)
def test_a_bad_member_names_the_field(cast: Cast, body: dict[str, Any], pointer: str, code: str) -> None:
    response = cast.api("owner").post("/api/v1/teams/support/members", body)
    assert response.status_code == 422
    assert [(row["pointer"], row["code"]) for row in response.json()["errors"]] == [(pointer, code)]


def test_a_token_shows_its_secret_once(cast: Cast) -> None:
    api = cast.api("owner")
    body = {"name": "new", "scopes": ["runs:read"], "expires_at": (timezone.now() + timedelta(days=1)).isoformat()}
    made = api.post("/api/v1/teams/support/tokens", body).json()
    assert made["token"].startswith("evp_")
    listed = api.get("/api/v1/teams/support/tokens").json()["results"]
    assert all("token" not in row and "digest" not in row for row in listed)
    assert api.delete(f"/api/v1/teams/support/tokens/{made['id']}").status_code == 204
    assert api.delete(f"/api/v1/teams/support/tokens/{made['id']}").status_code == 409


def test_a_session_needs_the_csrf_token_to_write(cast: Cast) -> None:
    from rest_framework.test import APIClient

    api = APIClient(enforce_csrf_checks=True)
    api.force_login(cast.people["owner"], backend="django.contrib.auth.backends.ModelBackend")
    assert api.post("/api/v1/teams/support/members", {"person": "outsider", "role": "viewer"}).status_code == 403


def test_the_trail_is_filtered_by_team_action_actor_object_and_time(cast: Cast) -> None:
    first, second = record(cast, "dataset.freeze", label="support/kb@1"), record(cast, "run.start", label="run_1")
    elsewhere = audit_record(
        actor=cast.actor("outsider"), action="run.start", obj=cast.other_team, team_id=cast.other_team.pk
    )
    platform = audit_record(actor=SYSTEM, action="person.sign_in", obj=cast.team, team_id=None)
    api = cast.api("token")

    def ids(query: str = "", asker: Any = api) -> list[str]:
        response = asker.get(f"/api/v1/audit/events{query}")
        assert response.status_code == 200, response.content
        return [row["id"] for row in response.json()["results"]]

    assert ids() == ids("?team=support") == [str(second.pk), str(first.pk)]
    assert ids("?action=dataset.") == [str(first.pk)]
    assert ids("?object=kb@1") == [str(first.pk)]
    assert ids("?actor=system") == [str(second.pk), str(first.pk)]
    assert ids("?actor=person:1") == []
    assert ids(f"?since={(timezone.now() + timedelta(days=1)).date()}") == []
    assert ids(f"?until={timezone.now().date()}") == [str(second.pk), str(first.pk)]
    everything = ids("", cast.api("admin"))
    assert everything == [str(row.pk) for row in (platform, elsewhere, second, first)]
    assert api.get("/api/v1/audit/events?team=elsewhere").status_code == 404
    assert cast.api("viewer").get("/api/v1/audit/events").json()["results"] == []


@pytest.mark.parametrize("value", ["yesterday", "2026-13-01", "2026-02-30T00:00:00Z", "99999-01-01"])
def test_a_bad_time_names_the_filter(cast: Cast, value: str) -> None:
    response = cast.api("token").get(f"/api/v1/audit/events?since={value}")
    assert response.status_code == 422
    assert response.json()["errors"][0]["pointer"] == "/since"


def test_the_trail_comes_as_ndjson_too(cast: Cast) -> None:
    for number in range(60):
        record(cast, f"a.{number}")
    response = cast.api("token").get("/api/v1/audit/events", headers={"Accept": "application/x-ndjson"})
    rows = [json.loads(line) for line in response.getvalue().splitlines()]
    assert len(rows) == 60
    assert set(rows[0]) == {
        *("id", "at", "actor", "action", "object", "before", "after", "request_id", "address"),
    }


def test_lists_ask_the_same_few_queries_however_long(cast: Cast, django_assert_max_num_queries: Any) -> None:
    for number in range(200):
        make_person(f"person{number}", team=cast.team, role=Role.VIEWER)
        make_token(cast.team, cast.people["owner"], name=f"token{number}")
        record(cast, "a")
    api, client = cast.api("owner"), cast.client("owner")
    for path in ("/api/v1/teams/support/members", "/api/v1/teams/support/tokens", "/api/v1/audit/events"):
        with django_assert_max_num_queries(6):
            assert len(api.get(f"{path}?limit=200").json()["results"]) == 200
    for path in ("/t/support/members/", "/t/support/tokens/", "/t/support/audit/", "/"):
        with django_assert_max_num_queries(10):
            assert client.get(path).status_code in {200, 302}
