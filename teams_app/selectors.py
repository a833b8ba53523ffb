"""Reading teams: who is acting, and with which roles."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from core_app.actors import Actor, ActorKind
from core_app.context import address_var, request_id_var
from core_app.errors import NotFound
from core_app.roles import Role
from teams_app.models import Membership, ServiceToken, Team, User
from teams_app.policies import TeamAction, policy


def actor_for_user(user: User) -> Actor:
    """Return the actor of a signed-in person, with the roles of the moment."""
    rows = Membership.objects.filter(user=user).values_list("team_id", "role")
    return Actor(
        kind=ActorKind.PERSON,
        label=str(user),
        id=user.pk,
        roles={team_id: Role(role) for team_id, role in rows},
        is_platform_admin=user.is_superuser,
        request_id=request_id_var.get(),
        address=address_var.get(),
    )


def actor_for_token(token: ServiceToken) -> Actor:
    """Return the actor of a service token."""
    return Actor(
        kind=ActorKind.TOKEN,
        label=f"{token.team.slug}/{token.name}",
        id=token.pk,
        team_id=token.team_id,
        scopes=frozenset(token.scopes),
        request_id=request_id_var.get(),
        address=address_var.get(),
    )


def team_get(actor: Actor, slug: str) -> Team:
    """Return a team that the actor may view, or raise `NotFound`/`Forbidden`."""
    team = Team.objects.filter(slug=slug).first()
    if team is None:
        raise NotFound(_("There is no such team."))
    policy.require(actor, TeamAction.VIEW, team)
    return team


def team_member_of(actor: Actor, slug: str) -> Team:
    """Return a team inside which the actor acts, whatever its scopes; what may be done there is the caller's question."""
    team = Team.objects.filter(slug=slug).first()
    if team is None or not policy.is_insider(actor, team):
        raise NotFound(_("There is no such team."))
    return team
