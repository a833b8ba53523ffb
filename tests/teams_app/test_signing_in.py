"""Signing in and out, invitations, passwords, languages."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client, override_settings
from django.urls import reverse

from core_app.models import AuditEvent
from teams_app.models import User
from teams_app.services import member_add, member_invite
from tests.conftest import PASSWORD, Cast, make_person

GOOD = {"username": "viewer", "password": PASSWORD}
BAD = {"username": "viewer", "password": "wrong wrong wrong"}


def actions() -> list[str]:
    return list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))


def test_a_sign_in_leads_on_and_is_recorded_with_the_address(cast: Cast, client: Client) -> None:
    response = client.post("/sign-in/?next=/t/support/members/", {**GOOD, "next": "/t/support/members/"})
    assert response["Location"] == "/t/support/members/"
    event = AuditEvent.objects.get()
    assert (event.action, event.actor_id, event.address) == ("person.sign_in", cast.people["viewer"].pk, "127.0.0.1")
    client.post("/sign-out/")
    assert actions() == ["person.sign_in", "person.sign_out"]
    assert client.get("/t/support/").status_code == 302


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_a_sign_in_leads_to_no_other_site(cast: Cast, client: Client, target: str) -> None:
    assert client.post("/sign-in/", {**GOOD, "next": target})["Location"] == "/"


def test_a_failed_sign_in_says_nothing_about_who_exists_and_keeps_no_password(
    cast: Cast, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = client.post("/sign-in/", BAD)
    nobody = client.post("/sign-in/", {**BAD, "username": "nobody"})
    said = [str(page.context["form"].non_field_errors()) for page in (wrong, nobody)]
    assert said[0] == said[1] != ""
    assert wrong.status_code == 200
    assert actions() == []
    assert BAD["password"] not in caplog.text


def test_an_inactive_person_cannot_sign_in(cast: Cast, client: Client) -> None:
    User.objects.filter(username="viewer").update(is_active=False)
    client.post("/sign-in/", GOOD)
    assert "_auth_user_id" not in client.session


@override_settings(AXES_ENABLED=True, AXES_FAILURE_LIMIT=3)
def test_repeated_failures_lock_the_name_at_this_address(cast: Cast, client: Client) -> None:
    statuses = [client.post("/sign-in/", BAD).status_code for _ in range(3)]
    response = client.post("/sign-in/", GOOD)
    assert (statuses[-1], response.status_code) == (429, 429)
    assert int(response["Retry-After"]) == 900
    assert "_auth_user_id" not in client.session
    # The lock is for this name from this address: others get in.
    assert client.post("/sign-in/", {**GOOD, "username": "editor"}).status_code == 302


@override_settings(SIGN_IN_ATTEMPTS=2)
def test_attempts_from_one_address_are_limited_whatever_the_name(cast: Cast, client: Client) -> None:
    cache.clear()
    statuses = [client.post("/sign-in/", {**BAD, "username": f"n{number}"}).status_code for number in range(3)]
    assert statuses == [200, 200, 429]
    assert client.post("/sign-in/", GOOD, REMOTE_ADDR="192.0.2.7").status_code == 302


def test_who_is_signed_in_is_sent_on(cast: Cast) -> None:
    assert cast.client("viewer").get("/sign-in/")["Location"] == "/"


def invited(cast: Cast) -> str:
    _membership, path = member_invite(
        actor=cast.actor("owner"), team=cast.team, username="new", email="new@example.org", name="", role="editor"
    )
    return path


def set_password(client: Client, path: str, password: str = "quite another horse 7") -> object:
    form_url = client.get(path, follow=True).redirect_chain[-1][0]
    return client.post(form_url, {"new_password1": password, "new_password2": password})


def test_an_invited_person_sets_a_password_once_and_signs_in(cast: Cast, client: Client) -> None:
    path = invited(cast)
    response = set_password(client, path)
    assert response["Location"] == reverse("teams:sign-in")  # type: ignore[index]
    assert client.post("/sign-in/", {"username": "new", "password": "quite another horse 7"}).status_code == 302
    assert client.get("/t/support/").status_code == 200
    assert "person.password" in actions()
    again = Client().get(path, follow=True)
    assert b"has been used or has expired" in again.content


def test_the_link_is_in_no_audit_event(cast: Cast) -> None:
    path = invited(cast)
    token = path.strip("/").split("/")[-1]
    assert all(token not in str(row) for row in AuditEvent.objects.values())


def test_a_weak_first_password_is_refused(cast: Cast, client: Client) -> None:
    path = invited(cast)
    response = set_password(client, path, "password")
    assert response.status_code == 200  # type: ignore[attr-defined]
    assert not User.objects.get(username="new").has_usable_password()


def test_a_link_is_renewed_only_for_somebody_new_who_is_in_this_team_alone(cast: Cast) -> None:
    invited(cast)
    owner = cast.client("owner")
    url = "/t/support/members/new/link/"
    assert owner.post(url).status_code == 200
    assert owner.post("/t/support/members/viewer/link/").status_code == 409
    member_add(actor=cast.actor("outsider"), team=cast.other_team, user=User.objects.get(username="new"), role="viewer")
    assert owner.post(url).status_code == 409


def test_the_page_with_the_link_is_stored_nowhere(cast: Cast) -> None:
    data = {"username": "new", "email": "new@example.org", "role": "viewer"}
    response = cast.client("owner").post("/t/support/members/invite/", data)
    assert "/set-password/" in response.content.decode()
    assert "no-store" in response["Cache-Control"]


def test_changing_the_password_needs_the_old_one_and_ends_other_sessions(cast: Cast) -> None:
    here, elsewhere = cast.client("viewer"), cast.client("viewer")
    new = {"new_password1": "quite another horse 7", "new_password2": "quite another horse 7"}
    assert here.post("/profile/password/", {"old_password": "wrong", **new}).status_code == 422
    assert here.post("/profile/password/", {"old_password": PASSWORD, **new}).status_code == 302
    assert here.get("/profile/").status_code == 200
    assert elsewhere.get("/profile/").status_code == 302
    event = AuditEvent.objects.get(action="person.password")
    assert (event.before, event.after) == (None, None)


def test_the_chosen_language_is_kept_with_the_account(cast: Cast) -> None:
    client = cast.client("viewer")
    client.post("/i18n/setlang/", {"language": "zh-hans", "next": "/profile/"})
    assert User.objects.get(username="viewer").language == "zh-hans"
    assert '<html lang="zh-hans"' in client.get("/profile/").content.decode()
    client.post("/profile/", {"name": "V", "language": ""})
    assert User.objects.get(username="viewer").language == ""


def test_a_language_that_is_not_there_is_refused(cast: Cast) -> None:
    client = cast.client("viewer")
    client.post("/i18n/setlang/", {"language": "xx", "next": "/profile/"})
    assert client.post("/profile/", {"name": "V", "language": "xx"}).status_code == 422
    assert User.objects.get(username="viewer").language == ""


def test_nobody_signed_in_can_switch_the_language_too(client: Client, db: None) -> None:
    client.post("/i18n/setlang/", {"language": "zh-hans", "next": "/sign-in/"})
    assert '<html lang="zh-hans"' in client.get("/sign-in/").content.decode()


def test_somebody_in_no_team_is_told_what_to_do(db: None) -> None:
    make_person("alone")
    client = Client()
    client.login(username="alone", password=PASSWORD)
    assert "Ask an owner of your team" in client.get("/").content.decode()
