"""Reading teams: who is acting, and with which roles."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_lazy as _

from core_app.actors import Actor, ActorKind
from core_app.context import actor_var, address_var, request_id_var
from core_app.errors import NotFound
from core_app.roles import Role
from teams_app.models import Membership, ServiceToken, Team, User
from teams_app.policies import TeamAction, policy


def actor_for_user(user: User) -> Actor:
    """Return the actor of a signed-in person, with the roles of the moment."""
    actor_var.set(f"{ActorKind.PERSON}:{user.pk}")
    rows = Membership.objects.filter(user=user).values_list("team_id", "role")
    return Actor(
        kind=ActorKind.PERSON,
        label=str(user),
        id=user.pk,
        public_id=user.username,
        roles={team_id: Role(role) for team_id, role in rows},
        is_platform_admin=user.is_superuser,
        request_id=request_id_var.get(),
        address=address_var.get(),
    )


def actor_for_token(token: ServiceToken) -> Actor:
    """Return the actor of a service token."""
    actor_var.set(f"{ActorKind.TOKEN}:{token.pk}")
    return Actor(
        kind=ActorKind.TOKEN,
        label=f"{token.team.slug}/{token.name}",
        id=token.pk,
        public_id=token.public_id,
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
    """Return a team inside which the actor acts, whatever its scopes; the caller asks what may be done there."""
    team = Team.objects.filter(slug=slug).first()
    if team is None or not policy.is_insider(actor, team):
        raise NotFound(_("There is no such team."))
    return team


def teams_of(actor: Actor) -> QuerySet[Team]:
    """Return the teams in which the actor acts, with the number of members, by name."""
    return Team.objects.of(actor).annotate(n_members=Count("memberships")).order_by("name", "slug")


def members_of(team: Team) -> QuerySet[Membership]:
    """Return the team's members by user name, each with its person."""
    return Membership.objects.filter(team=team).select_related("user", "team").order_by("user__username")


def tokens_of(team: Team) -> QuerySet[ServiceToken]:
    """Return the team's tokens, the newest first, each with its maker."""
    return ServiceToken.objects.filter(team=team).select_related("created_by", "team").order_by("-id")


def member_get(team: Team, username: str) -> Membership:
    """Return a membership by user name, or raise `NotFound`. The caller has asked the policy about the team."""
    membership = members_of(team).filter(user__username=username).first()
    if membership is None:
        raise NotFound(_("There is no such member."))
    return membership


def token_in(team: Team, public_id: str) -> ServiceToken:
    """Return one of the team's tokens, or raise `NotFound`. The caller has asked the policy about the team."""
    token = tokens_of(team).filter(public_id=public_id).first()
    if token is None:
        raise NotFound(_("There is no such token."))
    return token


def person_find(identifier: str) -> User:
    """Return the person with this user name or e-mail address, or raise `NotFound`."""
    wanted = identifier.strip()
    person = User.objects.filter(Q(username=wanted) | Q(email__iexact=wanted), is_active=True).first()
    if person is None:
        raise NotFound(_("Nobody here has this user name or e-mail address."), code="no_such_person")
    return person


def team_for(actor: Actor, slug: str, action: TeamAction) -> Team:
    """Return the team where the actor may do `action` in it; `NotFound` for outsiders, `Forbidden` for insiders."""
    team = team_member_of(actor, slug)
    policy.require(actor, action, team)
    return team
