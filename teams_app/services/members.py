"""Who is in a team, and as what. A team never loses its last owner."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import Conflict, FieldError, Invalid
from core_app.roles import Role
from core_app.services import audit_record
from teams_app.models import Membership, Team, User
from teams_app.policies import TeamAction, policy
from teams_app.services.people import new_account, set_password_path


def _role_of(value: str) -> Role:
    try:
        return Role(value)
    except ValueError:
        detail = _("There is no such role.")
        raise Invalid(detail, errors=[FieldError("/role", "unknown_role", detail)]) from None


def _join(actor: Actor, team: Team, user: User, role: Role, action: str) -> Membership:
    membership, is_new = Membership.objects.get_or_create(team=team, user=user, defaults={"role": role})
    if not is_new:
        raise Conflict(_("%(person)s is in the team already.") % {"person": user.username}, code="already_member")
    audit_record(
        actor=actor,
        action=action,
        obj=membership,
        team_id=team.pk,
        label=user.username,
        after={"person": user.username, "role": role.value},
    )
    return membership


@transaction.atomic
def member_add(*, actor: Actor, team: Team, user: User, role: str) -> Membership:
    """Take an existing person into the team. Raises `Conflict` for somebody who is in it."""
    policy.require(actor, TeamAction.MEMBERS_CHANGE, team)
    return _join(actor, team, user, _role_of(role), "member.add")


@transaction.atomic
def member_invite(
    *, actor: Actor, team: Team, username: str, email: str, name: str, role: str
) -> tuple[Membership, str]:
    """Create an account in the team; return the membership and the path by which the person sets a password, once.

    Raises `Invalid`, or `Conflict` where the user name or the address is taken (then add that person instead).
    """
    policy.require(actor, TeamAction.MEMBERS_CHANGE, team)
    user = new_account(username=username, email=email, name=name)
    membership = _join(actor, team, user, _role_of(role), "member.invite")
    return membership, set_password_path(user)


@transaction.atomic
def invitation_renew(*, actor: Actor, membership: Membership) -> str:
    """Return a new path to set the first password, for somebody who never has.

    Only where this is the person's one team: an owner must not come by a link to an account that others trust too.
    """
    policy.require(actor, TeamAction.MEMBERS_CHANGE, membership)
    user = membership.user
    is_elsewhere = Membership.objects.filter(user=user).exclude(pk=membership.pk).exists()
    if user.has_usable_password() or is_elsewhere or user.is_staff or user.is_superuser:
        raise Conflict(_("This person has signed in before, or belongs to other teams too."), code="not_invited")
    audit_record(
        actor=actor, action="member.invite_again", obj=membership, team_id=membership.team_id, label=user.username
    )
    return set_password_path(user)


def _locked(membership: Membership) -> Membership:
    """Return the membership as it is now, the team's others waiting: two owners must not leave at once."""
    Team.objects.select_for_update().get(pk=membership.team_id)
    return Membership.objects.select_related("user").get(pk=membership.pk)


def _keep_an_owner(membership: Membership) -> None:
    others = Membership.objects.filter(team_id=membership.team_id, role=Role.OWNER).exclude(pk=membership.pk)
    if membership.role == Role.OWNER and not others.exists():
        raise Conflict(_("The team needs an owner: make somebody else owner first."), code="last_owner")


@transaction.atomic
def member_change(*, actor: Actor, membership: Membership, role: str) -> Membership:
    """Give a member another role. Raises `Conflict` (`last_owner`) where the team would be left without an owner."""
    policy.require(actor, TeamAction.MEMBERS_CHANGE, membership)
    wanted = _role_of(role)
    current = _locked(membership)
    if current.role == wanted:
        return current
    _keep_an_owner(current)
    before, current.role = current.role, wanted
    current.save(update_fields=["role"])
    audit_record(
        actor=actor,
        action="member.change",
        obj=current,
        team_id=current.team_id,
        label=current.user.username,
        before={"role": before},
        after={"role": wanted.value},
    )
    return current


@transaction.atomic
def member_remove(*, actor: Actor, membership: Membership) -> None:
    """Take somebody out of the team; the account stays. Raises `Conflict` (`last_owner`)."""
    policy.require(actor, TeamAction.MEMBERS_CHANGE, membership)
    current = _locked(membership)
    _keep_an_owner(current)
    before = {"person": current.user.username, "role": current.role}
    audit_record(
        actor=actor,
        action="member.remove",
        obj=current,
        team_id=current.team_id,
        label=current.user.username,
        before=before,
    )
    current.delete()
