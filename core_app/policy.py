"""The base of every app's policy: one table of needs, asked in two ways that a test holds together.

`can(actor, action, obj)` decides for one object, `visible_to(actor, queryset)` for a list. Outsiders (who may not
know that a thing exists) get `NotFound`; insiders without the right get `Forbidden`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from core_app.actors import Actor, ActorKind
from core_app.errors import Forbidden, NotFound
from core_app.roles import Role

M = TypeVar("M", bound=models.Model)


@dataclass(frozen=True, slots=True)
class Need:
    """What an action asks for: the least role of a person, and the scope of a token (None: never by token)."""

    role: Role
    scope: str | None = None


class Policy:
    """Decides by team membership and token scope; subclasses give the table and the way to the team.

    `team_paths` maps each model to the lookup that leads to its team's id, for example
    `{Dataset: "team_id", Item: "dataset__team_id"}`. `view_actions` maps each model to the action that shows it.
    """

    table: Mapping[StrEnum, Need] = {}
    team_paths: Mapping[type[models.Model], str] = {}
    view_actions: Mapping[type[models.Model], StrEnum] = {}

    def team_id_of(self, obj: models.Model) -> int:
        """Return the id of the team that owns the object, 0 (no team's id) for what belongs to the platform."""
        value: Any = obj
        for part in self.team_paths[type(obj)].split("__"):
            value = getattr(value, part)
        return int(value or 0)

    def allows(self, actor: Actor, action: StrEnum, team_id: int) -> bool:
        """Return whether the table grants the action inside the team."""
        need = self.table[action]
        if actor.kind is ActorKind.SYSTEM:
            return True
        if actor.kind is ActorKind.TOKEN:
            return actor.team_id == team_id and need.scope is not None and need.scope in actor.scopes
        role = actor.role_in(team_id)
        return role is not None and role.includes(need.role)

    def can(self, actor: Actor, action: StrEnum, obj: models.Model) -> bool:
        """Return whether the actor may do `action` to `obj` (a `Team` for creating inside it)."""
        return self.allows(actor, action, self.team_id_of(obj))

    def is_insider(self, actor: Actor, obj: models.Model) -> bool:
        """Return whether the actor may know that the object exists."""
        team_id = self.team_id_of(obj)
        if actor.kind is ActorKind.SYSTEM:
            return True
        if actor.kind is ActorKind.TOKEN:
            return actor.team_id == team_id
        return actor.role_in(team_id) is not None

    def require(self, actor: Actor, action: StrEnum, obj: models.Model) -> None:
        """Raise `NotFound` for an outsider and `Forbidden` for an insider without the right."""
        if self.can(actor, action, obj):
            return
        if not self.is_insider(actor, obj):
            raise NotFound(_("There is no such thing here."))
        raise Forbidden(self._refusal(actor, action))

    def _refusal(self, actor: Actor, action: StrEnum) -> str:
        """Return what is missing, so that people know whom and pipelines know what to ask for."""
        need = self.table[action]
        if actor.kind is not ActorKind.TOKEN:
            words = {"role": need.role.label, "action": action.value}
            return _("This needs the role “%(role)s” in the team (%(action)s).") % words
        if need.scope is None:
            return _("No token may do this, only people (%(action)s).") % {"action": action.value}
        return _("This needs a token with the scope %(scope)s (%(action)s).") % {
            "scope": need.scope,
            "action": action.value,
        }

    def visible_to(self, actor: Actor, queryset: models.QuerySet[M]) -> models.QuerySet[M]:
        """Return the rows that the actor may view."""
        model = queryset.model
        if actor.kind is ActorKind.SYSTEM or actor.is_platform_admin:
            return queryset
        action = self.view_actions[model]
        path = self.team_paths[model]
        if actor.kind is ActorKind.TOKEN:
            team_ids = [actor.team_id] if actor.team_id and self.allows(actor, action, actor.team_id) else []
        else:
            team_ids = [team_id for team_id in actor.roles if self.allows(actor, action, team_id)]
        return queryset.filter(**{f"{path}__in": team_ids})

    def get_visible(self, actor: Actor, queryset: models.QuerySet[M], **lookup: Any) -> M:
        """Return one visible row, or raise `NotFound` (outsider, absent) or `Forbidden` (insider without the right)."""
        obj = queryset.filter(**lookup).first()
        if obj is None:
            raise NotFound(_("There is no such thing here."))
        self.require(actor, self.view_actions[queryset.model], obj)
        return obj
