"""Teams."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from core_app.actors import Actor, ActorKind
from core_app.checked import save_checked
from core_app.errors import Forbidden
from core_app.roles import Role
from core_app.services import audit_record
from teams_app.models import Membership, Team, User
from teams_app.policies import TeamAction, policy


def require_platform_admin(actor: Actor) -> None:
    """Raise `Forbidden` unless the actor manages the platform (a superuser, or a command on the server)."""
    if not actor.is_platform_admin and actor.kind is not ActorKind.SYSTEM:
        raise Forbidden(_("Only platform administrators may do this."))


@transaction.atomic
def team_create(*, actor: Actor, slug: str, name: str, owner: User | None = None, four_eyes: bool = False) -> Team:
    """Create a team, with a first owner where given. Raises `Forbidden`, `Invalid`, or `Conflict` for a taken slug."""
    require_platform_admin(actor)
    team = save_checked(Team(slug=slug, name=name, four_eyes=four_eyes))
    if owner is not None:
        Membership.objects.create(team=team, user=owner, role=Role.OWNER)
    after = {"slug": slug, "name": name, "four_eyes": four_eyes, "owner": owner.username if owner else None}
    audit_record(actor=actor, action="team.create", obj=team, team_id=team.pk, label=team.slug, after=after)
    return team


@transaction.atomic
def team_change(*, actor: Actor, team: Team, name: str | None = None, four_eyes: bool | None = None) -> Team:
    """Change the team's name or its rule of four eyes; what is None stays, and so does the short name."""
    policy.require(actor, TeamAction.CHANGE, team)
    current = Team.objects.select_for_update().get(pk=team.pk)
    before = {"name": current.name, "four_eyes": current.four_eyes}
    current.name = current.name if name is None else name
    current.four_eyes = current.four_eyes if four_eyes is None else four_eyes
    after = {"name": current.name, "four_eyes": current.four_eyes}
    if after != before:
        save_checked(current)
        audit_record(
            actor=actor,
            action="team.change",
            obj=current,
            team_id=team.pk,
            label=team.slug,
            before=before,
            after=after,
        )
    return current
