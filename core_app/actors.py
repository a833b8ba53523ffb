"""Who acts: a person, a service token, the system itself, or nobody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from core_app.roles import Role


class ActorKind(StrEnum):
    PERSON = "person"
    TOKEN = "token"  # noqa: S105
    SYSTEM = "system"
    ANONYMOUS = "anonymous"


@dataclass(frozen=True, slots=True)
class Actor:
    """One acting party with its rights, fixed for the length of a request or a task.

    `roles` maps team ids to roles (persons; a token holds no role). `team_id` and `scopes` are a token's.
    `id` is the user's or token's primary key, None for the system and for nobody.
    """

    kind: ActorKind
    label: str
    id: int | None = None
    roles: Mapping[int, Role] = field(default_factory=dict)
    team_id: int | None = None
    scopes: frozenset[str] = frozenset()
    is_platform_admin: bool = False
    #: What others name the party by: a person's user name, a token's opaque id.
    public_id: str = ""
    request_id: str = ""
    address: str = ""

    @property
    def is_token(self) -> bool:
        return self.kind is ActorKind.TOKEN

    @property
    def is_person(self) -> bool:
        return self.kind is ActorKind.PERSON

    @property
    def key(self) -> str:
        """Return a stable name such as `person:3`, used where two acts must not be by the same party."""
        return f"{self.kind}:{self.id}"

    def role_in(self, team_id: int) -> Role | None:
        """Return the person's role in the team; platform admins act as owners everywhere."""
        if self.is_platform_admin:
            return Role.OWNER
        return self.roles.get(team_id)


ANONYMOUS = Actor(kind=ActorKind.ANONYMOUS, label="anonymous")
SYSTEM = Actor(kind=ActorKind.SYSTEM, label="system")
