"""Who may do what with teams, members, tokens, the audit trail, and what belongs to nobody's team."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from core_app.actors import SYSTEM
from core_app.roles import Role
from core_app.services import audit_record
from teams_app.models import User
from teams_app.services import member_invite
from tests.conftest import PASSWORD, Cast, make_person
from tests.permissions.harness import Expectation, Table, form, page, rest

APPS = ("teams_app",)


def seed(cast: Cast) -> dict[str, Any]:
    if not User.objects.filter(username="newcomer").exists():
        make_person("newcomer")
        member_invite(
            actor=cast.actor("owner"), team=cast.team, username="invited", email="i@example.org", name="", role="viewer"
        )
        audit_record(actor=SYSTEM, action="platform.event", obj=cast.team, team_id=None)
        audit_record(actor=SYSTEM, action="team.event", obj=cast.other_team, team_id=cast.other_team.pk)
    return {
        "team": cast.team.slug,
        "username": "viewer",
        "token": cast.token.public_id,
        "teams:member-link": {"username": "invited"},
        "teams:set-password": {"uidb64": "MQ", "token": "set-password"},
    }


def _expiry(cast: Cast, seeded: Mapping[str, Any]) -> dict[str, Any]:
    expires = timezone.now() + timedelta(days=3)
    return {"name": "new", "scopes": ["team:read"], "expires_at": expires.isoformat()}


_PUBLIC = Expectation(public=True)
_ADMIN_ONLY = dict.fromkeys([*Role.values, "outsider"], 403)

TABLE: Table = {
    "core:healthz": {"GET": _PUBLIC},
    "core:readyz": {"GET": Expectation(public=True, allowed=(200, 503))},
    "core:metrics": {"GET": _PUBLIC},
    # The kit is shown to staff; nobody else need know of it.
    "core:styleguide": {"GET": Expectation(public=True, allowed=404, statuses={"admin": 200})},
    "set_language": {
        # Django answers a GET with a redirect and changes nothing.
        "GET": Expectation(public=True, allowed=302),
        "POST": Expectation(public=True, allowed=302, data={"language": "en", "next": "/"}, content_type="form"),
        "PUT": Expectation(public=True, allowed=302),
        "PATCH": Expectation(public=True, allowed=302),
        "DELETE": Expectation(public=True, allowed=302),
    },
    "teams:home": {"GET": Expectation(anyone=True, allowed=(200, 302))},
    "teams:sign-in": {
        # Who is signed in is sent on.
        "GET": Expectation(public=True, allowed=(200, 302)),
        "POST": Expectation(
            public=True, allowed=302, data={"username": "viewer", "password": PASSWORD}, content_type="form"
        ),
        "PUT": Expectation(public=True, allowed=(200, 302)),
    },
    "teams:sign-out": {
        "GET": _PUBLIC,
        "POST": Expectation(public=True, allowed=302, content_type="form"),
    },
    "teams:set-password": {
        "GET": _PUBLIC,
        "POST": Expectation(public=True, content_type="form"),
        "PUT": _PUBLIC,
        "PATCH": _PUBLIC,
        "DELETE": _PUBLIC,
    },
    "teams:profile": {
        "GET": Expectation(anyone=True),
        "POST": Expectation(anyone=True, allowed=302, data={"name": "Me", "language": "en"}, content_type="form"),
    },
    "teams:password": {
        "GET": Expectation(anyone=True),
        "POST": Expectation(
            anyone=True,
            allowed=302,
            content_type="form",
            data={
                "old_password": PASSWORD,
                "new_password1": "quite another horse 7",
                "new_password2": "quite another horse 7",
            },
        ),
    },
    "teams:create": {
        "GET": Expectation(anyone=True, statuses=_ADMIN_ONLY),
        "POST": Expectation(
            anyone=True,
            allowed=302,
            statuses=_ADMIN_ONLY,
            data={"slug": "third", "name": "Third", "owner": "newcomer"},
            content_type="form",
        ),
    },
    "teams:team": {"GET": page(Role.VIEWER)},
    "teams:settings": {
        "GET": page(Role.VIEWER),
        "POST": form(Role.OWNER, {"name": "Renamed", "four_eyes": "on"}),
    },
    "teams:members": {
        "GET": page(Role.VIEWER),
        "POST": form(Role.OWNER, {"person": "newcomer", "role": "viewer"}),
    },
    "teams:member-invite": {
        "GET": page(Role.OWNER),
        "POST": form(Role.OWNER, {"username": "x", "email": "x@example.org", "role": "viewer"}, 200),
    },
    "teams:member-change": {"GET": page(Role.OWNER), "POST": form(Role.OWNER, {"role": "editor"})},
    "teams:member-remove": {"POST": form(Role.OWNER)},
    "teams:member-link": {"POST": form(Role.OWNER, allowed=200)},
    "teams:tokens": {
        "GET": page(Role.OWNER),
        "POST": form(Role.OWNER, {"name": "new", "scopes": ["team:read"], "days": "3"}, 200),
    },
    "teams:token-revoke": {"POST": form(Role.OWNER)},
    "teams:audit": {"GET": page(Role.STEWARD)},
    "teams:audit-export": {"GET": page(Role.STEWARD)},
    "teams:audit-check": {"POST": form(Role.STEWARD)},
    "api:schema": {"GET": _PUBLIC},
    "api:docs": {"GET": _PUBLIC},
    "api:me": {"GET": Expectation(anyone=True)},
    # A list over all teams: an outsider gets one without this team in it (tests/teams_app/test_rest_teams.py).
    "api:teams": {"GET": Expectation(anyone=True)},
    "api:team": {"GET": rest(Role.VIEWER, "team:read")},
    "api:members": {
        "GET": rest(Role.VIEWER),
        "POST": rest(Role.OWNER, None, 201, data={"person": "newcomer", "role": "viewer"}),
    },
    "api:member": {
        "GET": rest(Role.VIEWER),
        "PATCH": rest(Role.OWNER, data={"role": "editor"}),
        "DELETE": rest(Role.OWNER, None, 204),
    },
    "api:tokens": {"GET": rest(Role.OWNER), "POST": rest(Role.OWNER, None, 201, data=_expiry)},
    "api:token": {"GET": rest(Role.OWNER), "DELETE": rest(Role.OWNER, None, 204)},
    "api:audit-events": {"GET": rest(Role.STEWARD, "audit:read", query="?team=support")},
}
