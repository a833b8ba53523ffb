"""REST calls about teams, members, tokens, the audit trail, and who is asking."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.models import AuditEvent
from core_app.rest.fields import validated
from core_app.rest.views import ApiView
from core_app.selectors import AUDIT_FILTERS, audit_event_dict, audit_events_filter
from teams_app.models import Membership, Team
from teams_app.policies import TeamAction, policy
from teams_app.rest import serializers as shape
from teams_app.selectors import member_get, members_of, person_find, team_for, token_in, tokens_of
from teams_app.services import member_add, member_change, member_remove, token_create, token_revoke

_AUDIT_PARAMETERS = [OpenApiParameter(name, str) for name in ("team", *AUDIT_FILTERS)]


class MeView(ApiView):
    """Who is asking."""

    @extend_schema(operation_id="me", tags=["teams"], responses=shape.ActorOutput)
    def get(self, request: Request) -> Response:
        slugs = dict(Team.objects.of(self.actor).values_list("pk", "slug"))
        return Response(shape.actor_dict(self.actor, slugs))


class TeamsView(ApiView):
    """The teams that the caller may see."""

    @extend_schema(operation_id="teams_list", tags=["teams"], responses=shape.TeamOutput(many=True))
    def get(self, request: Request) -> HttpResponseBase:
        teams = policy.visible_to(self.actor, Team.objects.all())
        return self.paged(request, teams, lambda team: shape.team_dict(team, self.actor), ordering="slug")


class TeamView(ApiView):
    """One team."""

    @extend_schema(operation_id="team_get", tags=["teams"], responses=shape.TeamOutput)
    def get(self, request: Request, team: str) -> Response:
        found = team_for(self.actor, team, TeamAction.VIEW)
        return Response(shape.team_dict(found, self.actor))


class MembersView(ApiView):
    """The team's members; for signed-in people, not for tokens."""

    @extend_schema(operation_id="members_list", tags=["teams"], responses=shape.MemberOutput(many=True))
    def get(self, request: Request, team: str) -> HttpResponseBase:
        found = team_for(self.actor, team, TeamAction.MEMBERS_VIEW)
        return self.paged(request, members_of(found), shape.member_dict, ordering="id")

    @extend_schema(
        operation_id="member_add", tags=["teams"], request=shape.MemberInput, responses={201: shape.MemberOutput}
    )
    def post(self, request: Request, team: str) -> Response:
        found = team_for(self.actor, team, TeamAction.MEMBERS_CHANGE)
        fields = validated(shape.MemberInput, request.data)
        person = person_find(fields["person"])
        membership = member_add(actor=self.actor, team=found, user=person, role=fields["role"])
        location = reverse("api:member", kwargs={"team": team, "username": person.username})
        return Response(shape.member_dict(membership), status=201, headers={"Location": location})


class MemberView(ApiView):
    """One member."""

    def _membership(self, team: str, username: str, action: TeamAction) -> Membership:
        return member_get(team_for(self.actor, team, action), username)

    @extend_schema(operation_id="member_get", tags=["teams"], responses=shape.MemberOutput)
    def get(self, request: Request, team: str, username: str) -> Response:
        return Response(shape.member_dict(self._membership(team, username, TeamAction.MEMBERS_VIEW)))

    @extend_schema(operation_id="member_change", tags=["teams"], request=shape.RoleInput, responses=shape.MemberOutput)
    def patch(self, request: Request, team: str, username: str) -> Response:
        membership = self._membership(team, username, TeamAction.MEMBERS_CHANGE)
        fields = validated(shape.RoleInput, request.data)
        return Response(shape.member_dict(member_change(actor=self.actor, membership=membership, **fields)))

    @extend_schema(operation_id="member_remove", tags=["teams"], responses={204: None})
    def delete(self, request: Request, team: str, username: str) -> Response:
        membership = self._membership(team, username, TeamAction.MEMBERS_CHANGE)
        member_remove(actor=self.actor, membership=membership)
        return Response(status=204)


class TokensView(ApiView):
    """The team's service tokens; for owners, not for tokens."""

    secret_fields = ("token",)

    @extend_schema(operation_id="tokens_list", tags=["teams"], responses=shape.TokenOutput(many=True))
    def get(self, request: Request, team: str) -> HttpResponseBase:
        found = team_for(self.actor, team, TeamAction.TOKENS_VIEW)
        return self.paged(request, tokens_of(found), shape.token_dict)

    @extend_schema(
        operation_id="token_create", tags=["teams"], request=shape.TokenInput, responses={201: shape.NewTokenOutput}
    )
    def post(self, request: Request, team: str) -> Response:
        found = team_for(self.actor, team, TeamAction.TOKENS_CHANGE)
        fields = validated(shape.TokenInput, request.data)
        token, secret = token_create(actor=self.actor, team=found, **fields)
        location = reverse("api:token", kwargs={"team": team, "token": token.public_id})
        return Response({**shape.token_dict(token), "token": secret}, status=201, headers={"Location": location})


class TokenView(ApiView):
    """One token; DELETE revokes it."""

    @extend_schema(operation_id="token_get", tags=["teams"], responses=shape.TokenOutput)
    def get(self, request: Request, team: str, token: str) -> Response:
        found = team_for(self.actor, team, TeamAction.TOKENS_VIEW)
        return Response(shape.token_dict(token_in(found, token)))

    @extend_schema(operation_id="token_revoke", tags=["teams"], responses={204: None})
    def delete(self, request: Request, team: str, token: str) -> Response:
        found = team_for(self.actor, team, TeamAction.TOKENS_CHANGE)
        token_revoke(actor=self.actor, token=token_in(found, token))
        return Response(status=204)


class AuditEventsView(ApiView):
    """The audit trail of one team, or of every team whose trail the caller may read; the newest first."""

    @extend_schema(
        operation_id="audit_events",
        tags=["audit"],
        parameters=_AUDIT_PARAMETERS,
        responses=shape.AuditEventOutput(many=True),
    )
    def get(self, request: Request) -> HttpResponseBase:
        events = policy.visible_to(self.actor, AuditEvent.objects.all())
        if slug := request.query_params.get("team", ""):
            events = AuditEvent.objects.filter(team_id=team_for(self.actor, slug, TeamAction.AUDIT_VIEW).pk)
        return self.paged(request, audit_events_filter(events, request.query_params), audit_event_dict)
