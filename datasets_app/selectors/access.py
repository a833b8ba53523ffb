"""Grants: who holds what, and who may be given something."""

from __future__ import annotations

from django.utils.translation import gettext as _

from core_app.errors import FieldError, Invalid
from datasets_app.models import Dataset, Grant
from datasets_app.models.access import GrantQuerySet
from teams_app.models import ServiceToken, Team, User


def grants_of(dataset: Dataset) -> GrantQuerySet:
    """Return the dataset's grants, newest first, with their holders."""
    return Grant.objects.filter(dataset=dataset).select_related("user", "token", "team").order_by("-id")


def grant_holder(dataset: Dataset, kind: str, name: str) -> User | ServiceToken | Team:
    """Return the holder named by a `user` name, a `token` id or a team's short name (`holder_team`).

    Persons and tokens are looked for inside the dataset's team alone, so that the answer tells nothing of others.
    """
    holder: User | ServiceToken | Team | None
    if kind == "user":
        holder = User.objects.filter(username=name, memberships__team_id=dataset.team_id).first()
    elif kind == "token":
        holder = ServiceToken.objects.filter(public_id=name, team_id=dataset.team_id, revoked_at=None).first()
    else:
        holder = Team.objects.filter(slug=name).first()
    if holder is None:
        detail = _("There is no such person or token in the team, or no such team.")
        raise Invalid(detail, errors=[FieldError(f"/{kind}", "unknown_holder", detail)])
    return holder
