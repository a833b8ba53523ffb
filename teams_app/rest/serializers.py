"""What the calls of this app take and give."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core_app.actors import Actor
from core_app.rest.fields import StrictSerializer
from core_app.roles import Role
from teams_app.models import Membership, ServiceToken, Team


class MemberInput(StrictSerializer):
    """`person` is the user name or e-mail address of an account that exists."""

    person = serializers.CharField(max_length=254)
    role = serializers.ChoiceField(choices=Role.values)


class RoleInput(StrictSerializer):
    role = serializers.ChoiceField(choices=Role.values)


class TokenInput(StrictSerializer):
    name = serializers.CharField(max_length=80)
    scopes = serializers.ListField(child=serializers.CharField(max_length=60), allow_empty=False, max_length=50)
    expires_at = serializers.DateTimeField(help_text="At most 365 days from now.")


class TeamOutput(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    four_eyes = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    role = serializers.CharField(allow_null=True, help_text="The caller's role; null for a token.")


class MemberOutput(serializers.Serializer):
    username = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(choices=Role.values)
    since = serializers.DateTimeField()


class TokenOutput(serializers.Serializer):
    id = serializers.CharField()
    name = serializers.CharField()
    prefix = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField())
    made_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True)


class NewTokenOutput(TokenOutput):
    token = serializers.CharField(help_text="The secret, shown in this answer alone.")


class ActorOutput(serializers.Serializer):
    kind = serializers.CharField()
    id = serializers.CharField()
    label = serializers.CharField()
    is_platform_admin = serializers.BooleanField()
    roles = serializers.DictField(child=serializers.CharField(), help_text="Team → role, for a person.")
    team = serializers.CharField(allow_null=True, help_text="The team of a token.")
    scopes = serializers.ListField(child=serializers.CharField())


class AuditActorOutput(serializers.Serializer):
    kind = serializers.CharField()
    id = serializers.CharField(allow_null=True)
    label = serializers.CharField()


class AuditObjectOutput(serializers.Serializer):
    type = serializers.CharField()
    id = serializers.CharField()
    label = serializers.CharField()


class AuditEventOutput(serializers.Serializer):
    id = serializers.CharField()
    at = serializers.DateTimeField()
    actor = AuditActorOutput()
    action = serializers.CharField()
    object = AuditObjectOutput()
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)
    request_id = serializers.CharField()
    address = serializers.CharField()


def team_dict(team: Team, actor: Actor) -> dict[str, Any]:
    role = actor.role_in(team.pk) if actor.is_person else None
    return {
        "slug": team.slug,
        "name": team.name,
        "four_eyes": team.four_eyes,
        "created_at": team.created_at,
        "role": role.value if role is not None else None,
    }


def member_dict(membership: Membership) -> dict[str, Any]:
    return {
        "username": membership.user.username,
        "name": membership.user.name,
        "role": membership.role,
        "since": membership.created_at,
    }


def token_dict(token: ServiceToken) -> dict[str, Any]:
    return {
        "id": token.public_id,
        "name": token.name,
        "prefix": token.prefix,
        "scopes": token.scopes,
        "made_by": token.created_by.username,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "revoked_at": token.revoked_at,
        "last_used_at": token.last_used_at,
    }


def actor_dict(actor: Actor, slugs: dict[int, str]) -> dict[str, Any]:
    """Return who is asking; `slugs` maps the ids of the actor's teams to their short names."""
    return {
        "kind": actor.kind.value,
        "id": actor.public_id,
        "label": actor.label,
        "is_platform_admin": actor.is_platform_admin,
        "roles": {slugs[team_id]: role.value for team_id, role in actor.roles.items() if team_id in slugs},
        "team": slugs.get(actor.team_id) if actor.team_id is not None else None,
        "scopes": sorted(actor.scopes),
    }
