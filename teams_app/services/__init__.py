"""Writes of this app, by noun."""

from teams_app.services.members import (
    invitation_renew,
    member_add,
    member_change,
    member_invite,
    member_remove,
)
from teams_app.services.people import (
    password_set,
    person_change,
    person_create,
    person_sign_in,
    person_sign_out,
    set_password_path,
)
from teams_app.services.teams import team_change, team_create
from teams_app.services.tokens import token_create, token_revoke

__all__ = [
    "invitation_renew",
    "member_add",
    "member_change",
    "member_invite",
    "member_remove",
    "password_set",
    "person_change",
    "person_create",
    "person_sign_in",
    "person_sign_out",
    "set_password_path",
    "team_change",
    "team_create",
    "token_create",
    "token_revoke",
]
