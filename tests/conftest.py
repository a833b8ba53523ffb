"""The cast: one team with a person in each role, tokens, an outsider, a platform admin; and the rules of every test."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from core_app.actors import Actor
from core_app.roles import Role
from teams_app.models import Membership, ServiceToken, Team, User
from teams_app.scopes import SCOPES
from teams_app.selectors import actor_for_token, actor_for_user
from tests import flushing

PASSWORD = "correct horse battery"

flushing.install()


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """Rate limits and other counts start at nothing."""
    cache.clear()


@dataclass
class Cast:
    """Everyone who may act in a test.

    `people` maps a role's name to its person, and `second_steward`, `outsider` (owner of another team), `admin`.
    `token` holds every scope, `bare_token` none.
    """

    team: Team
    other_team: Team
    people: dict[str, User]
    token: ServiceToken
    token_secret: str
    bare_token: ServiceToken
    bare_token_secret: str

    def actor(self, name: str) -> Actor:
        """Return the actor of a person's name in `people`, of `token` or of `bare_token`."""
        if name in {"token", "bare_token"}:
            return actor_for_token(getattr(self, name))
        return actor_for_user(self.people[name])

    def client(self, name: str, *, language: str = "en") -> Client:
        """Return a signed-in browser client."""
        client = Client(headers={"Accept-Language": language})
        client.force_login(self.people[name], backend="django.contrib.auth.backends.ModelBackend")
        return client

    def api(self, name: str) -> APIClient:
        """Return a REST client: a session for people, a bearer token for `token` and `bare_token`, or `anonymous`."""
        client = APIClient()
        if name in {"token", "bare_token"}:
            secret = getattr(self, f"{name}_secret")
            client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
        elif name != "anonymous":
            client.force_login(self.people[name], backend="django.contrib.auth.backends.ModelBackend")
        return client


def make_person(name: str, *, team: Team | None = None, role: Role | None = None, **extra: object) -> User:
    user = User.objects.create_user(username=name, email=f"{name}@example.org", password=PASSWORD, name=name, **extra)
    if team is not None and role is not None:
        Membership.objects.create(team=team, user=user, role=role)
    return user


def make_token(
    team: Team, maker: User, *, name: str = "pipeline", scopes: list[str] | None = None
) -> tuple[ServiceToken, str]:
    secret = f"evp_test-{team.slug}-{name}"
    token = ServiceToken.objects.create(
        team=team,
        name=name,
        prefix=secret[:8],
        digest=hashlib.sha256(secret.encode()).hexdigest(),
        scopes=sorted(SCOPES) if scopes is None else scopes,
        created_by=maker,
        expires_at=timezone.now() + timedelta(days=30),
    )
    return token, secret


def make_cast() -> Cast:
    """Write the cast into the database."""
    team = Team.objects.create(slug="support", name="Support")
    other = Team.objects.create(slug="elsewhere", name="Elsewhere")
    people = {role.value: make_person(role.value, team=team, role=role) for role in Role}
    people["second_steward"] = make_person("second_steward", team=team, role=Role.STEWARD)
    people["outsider"] = make_person("outsider", team=other, role=Role.OWNER)
    people["admin"] = make_person("admin", is_superuser=True, is_staff=True)
    token, secret = make_token(team, people["owner"])
    bare_token, bare_secret = make_token(team, people["owner"], name="bare", scopes=[])
    return Cast(
        team=team,
        other_team=other,
        people=people,
        token=token,
        token_secret=secret,
        bare_token=bare_token,
        bare_token_secret=bare_secret,
    )


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def api(cast: Cast) -> Callable[[str], APIClient]:
    """Return `api("token")`, `api("viewer")` …: a REST client of somebody in the cast."""
    return cast.api
