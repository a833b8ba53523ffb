"""Grants on a dataset's frozen splits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.errors import FieldError, Invalid
from core_app.rest.fields import validated
from core_app.rest.views import ApiView
from datasets_app.models import Grant
from datasets_app.policies import DatasetAction, policy
from datasets_app.rest import render
from datasets_app.rest.serializers import GrantIn, GrantOut
from datasets_app.selectors import dataset_by_ref, grant_holder, grants_of
from datasets_app.services import grant_create, grant_revoke


def _one_holder(data: Mapping[str, Any]) -> tuple[str, str]:
    given = [(kind, str(data[kind])) for kind in ("user", "token", "holder_team") if data.get(kind)]
    if len(given) != 1:
        detail = _("Name one holder: user, token or holder_team.")
        raise Invalid(detail, errors=[FieldError("/user", "one_holder", detail)])
    return given[0]


class GrantsView(ApiView):
    @extend_schema(operation_id="grants_list", responses=GrantOut(many=True), tags=["access"])
    def get(self, request: Request, dataset: str) -> HttpResponseBase:
        """List the grants on the dataset's frozen splits, ended ones too."""
        found = dataset_by_ref(self.actor, dataset)
        policy.require(self.actor, DatasetAction.GRANTS_VIEW, found)
        return self.paged(request, grants_of(found), render.grant)

    @extend_schema(operation_id="grants_create", request=GrantIn, responses={201: GrantOut}, tags=["access"])
    def post(self, request: Request, dataset: str) -> Response:
        """Give a person, a token or a team a level; never to oneself."""
        found = dataset_by_ref(self.actor, dataset)
        policy.require(self.actor, DatasetAction.GRANT, found)
        data = validated(GrantIn, request.data)
        grant = grant_create(
            actor=self.actor,
            dataset=found,
            holder=grant_holder(found, *_one_holder(data)),
            level=data["level"],
            reason=data["reason"],
            expires_at=data["expires_at"],
        )
        return Response(render.grant(grant), status=201)


class GrantView(ApiView):
    @extend_schema(operation_id="grants_revoke", responses={200: GrantOut}, tags=["access"])
    def delete(self, request: Request, dataset: str, grant: str) -> Response:
        """End a grant now; the record of it stays."""
        found = dataset_by_ref(self.actor, dataset)
        policy.require(self.actor, DatasetAction.GRANT, found)
        row = policy.get_visible(self.actor, Grant.objects.filter(dataset=found), public_id=grant)
        return Response(render.grant(grant_revoke(actor=self.actor, grant=row)))
