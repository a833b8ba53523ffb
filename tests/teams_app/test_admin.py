"""The admin: who gets in, what it may write, what it only shows."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.urls import reverse

from core_app.models import AuditEvent
from core_app.services import audit_seal_pending
from teams_app.models import Membership, ServiceToken, Team, User
from tests.conftest import Cast


def test_the_admin_has_no_sign_in_of_its_own(cast: Cast) -> None:
    from django.test import Client

    response = Client().get("/admin/teams_app/team/", follow=True)
    assert response.redirect_chain[-1][0].startswith("/sign-in/?next=")


@pytest.mark.parametrize("name", ["owner", "viewer", "outsider"])
def test_people_who_are_no_staff_get_403(cast: Cast, name: str) -> None:
    assert cast.client(name).get("/admin/", follow=True).status_code == 403


def test_every_model_of_the_product_opens_and_searches(cast: Cast) -> None:
    client = cast.client("admin")
    audit_seal_pending()
    for model in admin.site._registry:
        if not model._meta.app_label.endswith("_app"):
            continue
        url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        response = client.get(url, {"q": "1"})
        assert response.status_code == 200, url


def test_a_team_is_made_and_changed_through_the_services(cast: Cast) -> None:
    client = cast.client("admin")
    client.post("/admin/teams_app/team/add/", {"slug": "third", "name": "Third"})
    team = Team.objects.get(slug="third")
    client.post(f"/admin/teams_app/team/{team.pk}/change/", {"name": "Third", "four_eyes": "on"})
    events = AuditEvent.objects.filter(team_id=team.pk).order_by("pk")
    assert [event.action for event in events] == ["team.create", "team.change"]
    assert {event.actor_label for event in events} == {"admin"}
    assert client.get(f"/admin/teams_app/team/{team.pk}/delete/").status_code == 403


def test_an_account_is_made_without_a_password_and_its_link_shown_once(cast: Cast) -> None:
    client = cast.client("admin")
    data = {"username": "new", "email": "new@example.org", "name": "New", "is_staff": "on"}
    response = client.post("/admin/teams_app/user/add/", data, follow=True)
    user = User.objects.get(username="new")
    assert (user.is_staff, user.has_usable_password()) == (True, False)
    assert "/set-password/" in response.content.decode()
    assert "/set-password/" not in client.get("/admin/teams_app/user/").content.decode()
    client.post(f"/admin/teams_app/user/{user.pk}/change/", {"email": "new@example.org", "name": "New"})
    assert AuditEvent.objects.get(action="person.change").after == {"is_staff": False, "is_active": False}
    assert client.get(f"/admin/teams_app/user/{user.pk}/delete/").status_code == 403


def test_a_refusal_of_a_service_changes_nothing_and_is_said(cast: Cast) -> None:
    client = cast.client("admin")
    row = Membership.objects.get(team=cast.team, user=cast.people["owner"])
    url = f"/admin/teams_app/membership/{row.pk}/"
    response = client.post(f"{url}change/", {"role": "viewer"})
    assert "needs an owner" in response.content.decode()
    response = client.post(f"{url}delete/", {"post": "yes"})
    assert "needs an owner" in response.content.decode()
    row.refresh_from_db()
    assert row.role == "owner"
    assert not AuditEvent.objects.exists()


def test_a_member_is_added_and_removed_through_the_services(cast: Cast) -> None:
    client = cast.client("admin")
    data = {"team": cast.team.pk, "user": cast.people["outsider"].pk, "role": "viewer"}
    client.post("/admin/teams_app/membership/add/", data)
    row = Membership.objects.get(team=cast.team, user=cast.people["outsider"])
    client.post(f"/admin/teams_app/membership/{row.pk}/delete/", {"post": "yes"})
    actions = list(AuditEvent.objects.order_by("pk").values_list("action", flat=True))
    assert actions == ["member.add", "member.remove"]


def test_a_token_is_shown_without_its_hash_and_revoked_through_the_service(cast: Cast) -> None:
    client = cast.client("admin")
    page = client.get(f"/admin/teams_app/servicetoken/{cast.token.pk}/change/").content.decode()
    assert cast.token.name in page
    assert cast.token.digest not in page
    client.post("/admin/teams_app/servicetoken/", {"action": "revoke", "_selected_action": [cast.token.pk]})
    assert ServiceToken.objects.get(pk=cast.token.pk).revoked_at is not None
    assert AuditEvent.objects.get().action == "token.revoke"


@pytest.mark.parametrize("model", ["auditevent", "auditseal"])
def test_the_trail_is_only_shown(cast: Cast, model: str, client: Any) -> None:
    asker = cast.client("admin")
    assert asker.get(f"/admin/core_app/{model}/add/").status_code == 403
    assert "delete_selected" not in asker.get(f"/admin/core_app/{model}/").content.decode()
