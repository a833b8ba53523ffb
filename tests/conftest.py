"""The cast: one team with a person in each role, a token, an outsider, a platform admin."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from rest_framework.test import APIClient

from core_app.actors import Actor
from core_app.roles import Role
from teams_app.models import Membership, ServiceToken, Team, User
from teams_app.scopes import SCOPES
from teams_app.selectors import actor_for_token, actor_for_user

PASSWORD = "correct horse battery"


@dataclass
class Cast:
    """Everyone who may act in a test. `people` maps a role's name (or outsider, admin) to the user."""

    team: Team
    other_team: Team
    people: dict[str, User]
    token: ServiceToken
    token_secret: str

    def actor(self, name: str) -> Actor:
        """Return the actor of `owner`, `steward`, `editor`, `annotator`, `viewer`, `outsider`, `admin` or `token`."""
        return actor_for_token(self.token) if name == "token" else actor_for_user(self.people[name])

    def client(self, name: str, *, language: str = "en") -> Client:
        """Return a signed-in browser client."""
        client = Client(headers={"Accept-Language": language})
        client.force_login(self.people[name], backend="django.contrib.auth.backends.ModelBackend")
        return client

    def api(self, name: str) -> APIClient:
        """Return a REST client: a session for people, a bearer token for `token`."""
        client = APIClient()
        if name == "token":
            client.credentials(HTTP_AUTHORIZATION=f"Bearer {self.token_secret}")
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


@pytest.fixture
def cast(db: None) -> Cast:
    team = Team.objects.create(slug="support", name="Support")
    other = Team.objects.create(slug="elsewhere", name="Elsewhere")
    people = {role.value: make_person(role.value, team=team, role=role) for role in Role}
    people["outsider"] = make_person("outsider", team=other, role=Role.OWNER)
    people["admin"] = make_person("admin", is_superuser=True, is_staff=True)
    token, secret = make_token(team, people["owner"])
    return Cast(team=team, other_team=other, people=people, token=token, token_secret=secret)
