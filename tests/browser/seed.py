"""Fill an empty, migrated database with a team and a person in each role, and print their session keys as JSON.

Run as a program inside the home of a `Site`: `python -m tests.browser.seed`.
"""

from __future__ import annotations

import json
import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalplatform.settings.test")
django.setup()

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402

from core_app.roles import Role  # noqa: E402
from teams_app.models import Membership, Team, User  # noqa: E402

PASSWORD = "correct horse battery"


def session_of(user: User) -> str:
    """Return the key of a new signed-in session."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def person(name: str, **extra: object) -> User:
    user = User.objects.filter(username=name).first()
    return user or User.objects.create_user(
        username=name, email=f"{name}@example.org", password=PASSWORD, name=name.capitalize(), **extra
    )


def main() -> int:
    team = Team.objects.order_by("pk").first() or Team.objects.create(slug="support", name="Support")
    keys = {}
    for role in Role:
        user = person(role.value)
        Membership.objects.get_or_create(team=team, user=user, defaults={"role": role})
        keys[role.value] = session_of(user)
    keys["admin"] = session_of(person("admin", is_staff=True, is_superuser=True))
    print(json.dumps({"team": team.slug, "sessions": keys}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
