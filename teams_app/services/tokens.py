"""Service tokens: made with a secret that is shown once, revoked for ever."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from core_app.actors import Actor, ActorKind
from core_app.checked import save_checked
from core_app.errors import Conflict, FieldError, Invalid
from core_app.roles import Role
from core_app.services import audit_record
from teams_app.models import ServiceToken, Team, User
from teams_app.policies import TeamAction, policy
from teams_app.scopes import SCOPES

MAX_LIFE = timedelta(days=365)
_PREFIX = "evp_"
_SHOWN = 12


def scopes_for(role: Role | None) -> list[str]:
    """Return the scopes that somebody of this role may give out, in the order of the table."""
    return [scope for scope, least in SCOPES.items() if role is not None and role.includes(least)]


def _check_scopes(actor: Actor, team: Team, scopes: list[str]) -> None:
    role = Role.OWNER if actor.kind is ActorKind.SYSTEM else actor.role_in(team.pk)
    allowed = scopes_for(role)
    faults = []
    for index, scope in enumerate(scopes):
        if scope not in SCOPES:
            faults.append(FieldError(f"/scopes/{index}", "unknown_scope", _("There is no scope “%s”.") % scope))
        elif scope not in allowed:
            faults.append(FieldError(f"/scopes/{index}", "scope_too_wide", _("Your role can't give out “%s”.") % scope))
    if not scopes:
        faults.append(FieldError("/scopes", "required", _("Choose at least one scope.")))
    if faults:
        raise Invalid(_("The scopes are not valid."), errors=faults)


def _check_expiry(expires_at: datetime) -> None:
    now = timezone.now()
    # A minute's grace: 365 days counted by the caller a moment ago are 365 days.
    if not now < expires_at <= now + MAX_LIFE + timedelta(minutes=1):
        detail = _("A token expires within 365 days, and not in the past.")
        raise Invalid(detail, errors=[FieldError("/expires_at", "expiry_out_of_range", detail)])


def _maker(actor: Actor, made_by: User | None) -> User:
    if actor.kind is ActorKind.SYSTEM:
        if made_by is None:
            raise Invalid(_("Name the person who answers for this token."))
        return made_by
    if actor.id is None:
        raise Invalid(_("Only a person makes tokens."))
    return User.objects.get(pk=actor.id)


@transaction.atomic
def token_create(
    *,
    actor: Actor,
    team: Team,
    name: str,
    scopes: Iterable[str],
    expires_at: datetime,
    made_by: User | None = None,
) -> tuple[ServiceToken, str]:
    """Make a token; return it with its secret `evp_…`, which is stored as a hash alone and can't be had again.

    `made_by` is for the system, which is nobody. Raises `Forbidden`, `Invalid` (unknown scope, one beyond the maker's
    role, expiry not within 365 days), or `Conflict` where the team has had a token of this name.
    """
    policy.require(actor, TeamAction.TOKENS_CHANGE, team)
    wanted = list(dict.fromkeys(scopes))
    _check_scopes(actor, team, wanted)
    _check_expiry(expires_at)
    secret = _PREFIX + secrets.token_urlsafe(32)
    token = save_checked(
        ServiceToken(
            team=team,
            name=name.strip(),
            prefix=secret[:_SHOWN],
            digest=hashlib.sha256(secret.encode()).hexdigest(),
            scopes=sorted(wanted),
            created_by=_maker(actor, made_by),
            expires_at=expires_at,
        )
    )
    after = {"name": token.name, "scopes": token.scopes, "expires_at": expires_at.isoformat()}
    audit_record(actor=actor, action="token.create", obj=token, team_id=team.pk, label=token.name, after=after)
    return token, secret


@transaction.atomic
def token_revoke(*, actor: Actor, token: ServiceToken) -> ServiceToken:
    """End a token at once and for ever. Raises `Conflict` where it has been revoked."""
    policy.require(actor, TeamAction.TOKENS_CHANGE, token)
    now = timezone.now()
    if not ServiceToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
        raise Conflict(_("The token has been revoked already."), code="already_revoked")
    token.revoked_at = now
    audit_record(actor=actor, action="token.revoke", obj=token, team_id=token.team_id, label=token.name)
    return token
