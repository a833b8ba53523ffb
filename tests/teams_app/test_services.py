"""What the services of teams, members and tokens accept, refuse and record."""

from __future__ import annotations

import hashlib
import threading
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from core_app.actors import SYSTEM
from core_app.errors import Conflict, DomainError, Forbidden, Invalid, NotFound
from core_app.models import AuditEvent
from core_app.roles import Role
from teams_app.models import Membership, ServiceToken, Team, User
from teams_app.scopes import SCOPE_WORDS, SCOPES
from teams_app.services import (
    member_add,
    member_change,
    member_invite,
    member_remove,
    person_change,
    person_create,
    team_change,
    team_create,
    token_create,
    token_revoke,
)
from teams_app.services.tokens import scopes_for
from tests.conftest import Cast, make_person


def membership(cast: Cast, name: str) -> Membership:
    return Membership.objects.get(team=cast.team, user=cast.people[name])


def last_event() -> AuditEvent:
    return AuditEvent.objects.latest("pk")


def make_token(cast: Cast, **more: Any) -> tuple[ServiceToken, str]:
    fields = {"name": "new", "scopes": ["team:read"], "expires_at": timezone.now() + timedelta(days=3), **more}
    return token_create(actor=cast.actor("owner"), team=cast.team, **fields)


def test_platform_admins_and_commands_create_teams_and_others_do_not(cast: Cast) -> None:
    team = team_create(actor=cast.actor("admin"), slug="third", name="Third", owner=cast.people["viewer"])
    assert Membership.objects.get(team=team).role == Role.OWNER
    assert last_event().after == {"slug": "third", "name": "Third", "four_eyes": False, "owner": "viewer"}
    for name in ("owner", "outsider", "token"):
        with pytest.raises(Forbidden):
            team_create(actor=cast.actor(name), slug="fourth", name="Fourth")


@pytest.mark.parametrize("slug", ["", "Upper", "-a", "a-", "a b", "x" * 51, "知识"])
def test_a_slug_that_is_none_is_refused(cast: Cast, slug: str) -> None:
    with pytest.raises(Invalid) as caught:
        team_create(actor=SYSTEM, slug=slug, name="A")
    assert "/slug" in {error.pointer for error in caught.value.errors}


def test_a_slug_that_is_taken_is_a_conflict(cast: Cast) -> None:
    with pytest.raises(Conflict):
        team_create(actor=SYSTEM, slug="support", name="A")


def test_a_change_of_the_team_is_recorded_with_before_and_after(cast: Cast) -> None:
    team_change(actor=cast.actor("owner"), team=cast.team, four_eyes=True)
    event = last_event()
    assert event.before == {"name": "Support", "four_eyes": False}
    assert event.after == {"name": "Support", "four_eyes": True}
    team_change(actor=cast.actor("owner"), team=cast.team, four_eyes=True)
    assert AuditEvent.objects.count() == 1, "a change that changes nothing is no event"


def test_a_member_is_added_changed_and_removed(cast: Cast) -> None:
    person, owner = make_person("newcomer"), cast.actor("owner")
    row = member_add(actor=owner, team=cast.team, user=person, role="viewer")
    member_change(actor=owner, membership=row, role="steward")
    assert last_event().before == {"role": "viewer"}
    assert last_event().after == {"role": "steward"}
    member_remove(actor=owner, membership=row)
    assert last_event().before == {"person": "newcomer", "role": "steward"}
    assert not Membership.objects.filter(user=person).exists()
    assert User.objects.filter(pk=person.pk).exists()


def test_nobody_is_added_twice_or_with_a_role_that_is_not_there(cast: Cast) -> None:
    with pytest.raises(Conflict):
        member_add(actor=cast.actor("owner"), team=cast.team, user=cast.people["viewer"], role="owner")
    assert membership(cast, "viewer").role == Role.VIEWER
    with pytest.raises(Invalid):
        member_add(actor=cast.actor("owner"), team=cast.team, user=cast.people["outsider"], role="king")


@pytest.mark.parametrize("name", ["steward", "viewer", "token"])
def test_only_owners_manage_members(cast: Cast, name: str) -> None:
    with pytest.raises(Forbidden):
        member_change(actor=cast.actor(name), membership=membership(cast, "viewer"), role="owner")
    with pytest.raises(NotFound):
        member_change(actor=cast.actor("outsider"), membership=membership(cast, "viewer"), role="owner")


def test_the_last_owner_is_neither_removed_nor_demoted(cast: Cast) -> None:
    row = membership(cast, "owner")
    for attempt in (
        lambda: member_remove(actor=cast.actor("owner"), membership=row),
        lambda: member_change(actor=cast.actor("admin"), membership=row, role="steward"),
    ):
        with pytest.raises(Conflict) as caught:
            attempt()
        assert caught.value.code == "last_owner"
    member_change(actor=cast.actor("owner"), membership=membership(cast, "steward"), role="owner")
    member_remove(actor=cast.actor("owner"), membership=row)
    assert Membership.objects.filter(team=cast.team, role=Role.OWNER).count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_owners_who_leave_at_once_leave_one(cast: Cast) -> None:
    Membership.objects.filter(team=cast.team, user=cast.people["steward"]).update(role=Role.OWNER)
    rows = [membership(cast, "owner"), membership(cast, "steward")]
    actor, barrier = cast.actor("admin"), threading.Barrier(2)
    refused: list[str] = []

    def leave(row: Membership) -> None:
        barrier.wait()
        try:
            member_remove(actor=actor, membership=row)
        except DomainError as error:
            refused.append(error.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=leave, args=(row,)) for row in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["last_owner"]
    assert Membership.objects.filter(team=cast.team, role=Role.OWNER).count() == 1


def test_an_invitation_never_touches_an_account_that_exists(cast: Cast) -> None:
    for taken in (
        {"username": "outsider", "email": "x@example.org"},
        {"username": "x", "email": "OUTSIDER@example.org"},
    ):
        with pytest.raises(Conflict):
            member_invite(actor=cast.actor("owner"), team=cast.team, name="", role="viewer", **taken)
    assert not AuditEvent.objects.exists()


def test_a_token_is_stored_as_a_hash_and_works(cast: Cast) -> None:
    token, secret = make_token(cast)
    assert secret.startswith("evp_")
    assert len(secret) >= 40
    assert token.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert secret not in str(ServiceToken.objects.values().get(pk=token.pk))
    assert secret not in str(list(AuditEvent.objects.values()))
    from rest_framework.test import APIClient

    client = APIClient(headers={"Authorization": f"Bearer {secret}"})
    me = client.get("/api/v1/me").json()
    assert (me["kind"], me["team"], me["scopes"]) == ("token", "support", ["team:read"])
    token_revoke(actor=cast.actor("owner"), token=token)
    assert client.get("/api/v1/me").status_code == 401
    with pytest.raises(Conflict):
        token_revoke(actor=cast.actor("owner"), token=token)


def test_an_expired_token_is_refused(cast: Cast) -> None:
    ServiceToken.objects.filter(pk=cast.token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert cast.api("token").get("/api/v1/me").status_code == 401


@pytest.mark.parametrize("days", [-1, 0, 366])
def test_a_token_expires_within_a_year(cast: Cast, days: int) -> None:
    with pytest.raises(Invalid) as caught:
        make_token(cast, expires_at=timezone.now() + timedelta(days=days))
    assert caught.value.errors[0].pointer == "/expires_at"
    make_token(cast, expires_at=timezone.now() + timedelta(days=365))


@pytest.mark.parametrize(("scopes", "code"), [(["nonsense"], "unknown_scope"), ([], "required")])
def test_scopes_are_known_and_at_least_one(cast: Cast, scopes: list[str], code: str) -> None:
    with pytest.raises(Invalid) as caught:
        make_token(cast, scopes=scopes)
    assert caught.value.errors[0].code == code


def test_a_token_never_exceeds_the_role_of_its_maker() -> None:
    for role in Role:
        assert scopes_for(role) == [scope for scope, least in SCOPES.items() if role.rank >= least.rank]
    assert scopes_for(None) == []


def test_each_scope_is_explained() -> None:
    assert set(SCOPE_WORDS) == set(SCOPES)


def test_a_name_is_used_once_even_after_the_token_is_revoked(cast: Cast) -> None:
    token, _secret = make_token(cast)
    token_revoke(actor=cast.actor("owner"), token=token)
    with pytest.raises(Conflict):
        make_token(cast)


@pytest.mark.parametrize("name", ["steward", "token"])
def test_only_owners_make_tokens(cast: Cast, name: str) -> None:
    with pytest.raises(Forbidden):
        token_create(
            actor=cast.actor(name),
            team=cast.team,
            name="x",
            scopes=["team:read"],
            expires_at=timezone.now() + timedelta(days=1),
        )


def test_people_change_their_own_name_and_nothing_that_gives_rights(cast: Cast) -> None:
    viewer = cast.people["viewer"]
    person_change(actor=cast.actor("viewer"), user=viewer, name="王维")
    assert last_event().after == {"name": "王维"}
    for fields in ({"is_superuser": True}, {"email": "x@example.org"}):
        with pytest.raises(Forbidden):
            person_change(actor=cast.actor("viewer"), user=viewer, **fields)
    with pytest.raises(Forbidden):
        person_change(actor=cast.actor("owner"), user=viewer, name="x")
    with pytest.raises(Forbidden):
        person_create(actor=cast.actor("owner"), username="x", email="x@example.org", name="")


def test_the_commands_make_a_team_and_a_token(cast: Cast) -> None:
    out, err = StringIO(), StringIO()
    call_command("create_team", "third", "Third", owner="viewer", stdout=out)
    call_command("create_token", "third", "pipeline", scopes=["runs:write"], stdout=out, stderr=err)
    secret = out.getvalue().splitlines()[-1]
    token = ServiceToken.objects.get(team__slug="third")
    assert token.digest == hashlib.sha256(secret.encode()).hexdigest()
    assert (token.created_by, token.scopes) == (cast.people["viewer"], ["runs:write"])
    assert last_event().actor_kind == "system"


@pytest.mark.parametrize(
    "arguments",
    [
        ["create_team", "support", "Again"],
        ["create_team", "fourth", "Fourth", "--owner", "nobody"],
        ["create_token", "nothing", "x", "--scope", "runs:write"],
        ["create_token", "support", "x", "--scope", "nonsense"],
        ["create_token", "support", "x", "--scope", "runs:write", "--days", "999"],
    ],
)
def test_the_commands_say_what_is_wrong(cast: Cast, arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command(*arguments, stdout=StringIO(), stderr=StringIO())
    assert Team.objects.count() == 2
