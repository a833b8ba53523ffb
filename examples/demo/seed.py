"""The demo's people and tokens: one team, a person in each role, a steward's token and a pipeline's.

The password is random, made at the first start and kept with the tokens in `demo.json` beside the database, readable by
its owner alone.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from core_app.actors import SYSTEM
from core_app.roles import Role
from teams_app.models import Membership, Team, User
from teams_app.selectors import actor_for_user
from teams_app.services import team_create, token_create

TEAM = "kestrelway"
STEWARD_SCOPES = [
    *("team:read", "datasets:read", "datasets:write", "datasets:steward", "runs:read"),
    *("gates:read", "gates:write", "gates:steward"),
]
PIPELINE_SCOPES = ["team:read", "datasets:read", "runs:read", "runs:write", "gates:read", "gates:check"]
PEOPLE = {
    Role.OWNER: ("olivia", "Olivia Brandt"),
    Role.STEWARD: ("stefan", "Stefan Mori"),
    Role.EDITOR: ("edith", "林爱迪"),
    Role.ANNOTATOR: ("anna", "Anna Lindqvist"),
    Role.VIEWER: ("victor", "王维"),
}


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the demo needs at its next start. `results` is filled once the story has been told."""

    password: str
    steward_token: str
    pipeline_token: str
    gate_check: str = ""


def load(home: Path) -> Credentials | None:
    """Return the stored credentials, None before the first start."""
    try:
        return Credentials(**json.loads((home / "demo.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def save(home: Path, credentials: Credentials) -> None:
    """Write the credentials, readable by the owner alone, in one step."""
    part = home / "demo.json.part"
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(asdict(credentials), file)
    part.replace(home / "demo.json")


@transaction.atomic
def seed() -> Credentials:
    """Make the team, its people and its tokens; the owner is a platform admin too, for the admin pages."""
    password = f"demo-{secrets.token_hex(5)}"
    users: dict[Role, User] = {}
    for role, (username, name) in PEOPLE.items():
        users[role] = User.objects.create_user(
            username=username, email=f"{username}@example.org", password=password, name=name
        )
    owner = users[Role.OWNER]
    owner.is_staff = owner.is_superuser = True
    owner.save()
    team = team_create(actor=actor_for_user(owner), slug=TEAM, name="Kestrelway support", owner=owner)
    for role, user in users.items():
        if role is not Role.OWNER:
            Membership.objects.create(team=team, user=user, role=role)
    expires = timezone.now() + timedelta(days=180)
    # Two makers: nobody grants access to a token of their own, so the steward's token is not the pipeline's maker's.
    _, steward = token_create(
        actor=SYSTEM,
        made_by=users[Role.STEWARD],
        team=team,
        name="demo-steward",
        scopes=STEWARD_SCOPES,
        expires_at=expires,
    )
    _, pipeline = token_create(
        actor=actor_for_user(owner), team=team, name="demo-pipeline", scopes=PIPELINE_SCOPES, expires_at=expires
    )
    return Credentials(password=password, steward_token=steward, pipeline_token=pipeline)


def team_exists() -> bool:
    return Team.objects.filter(slug=TEAM).exists()
