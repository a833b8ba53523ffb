"""Systems and suites over REST."""

from __future__ import annotations

from django.http import HttpResponseBase
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.rest.fields import validated
from core_app.rest.views import ApiView
from runs_app.models import Suite, System
from runs_app.policies import RunAction, policy
from runs_app.rest import rendering
from runs_app.rest.serializers import (
    SuiteSerializer,
    SuiteVersionSerializer,
    SystemSerializer,
    SystemVersionSerializer,
)
from runs_app.selectors.systems import suite_by_ref, suites_visible, system_by_ref, systems_visible
from runs_app.services.suites import suite_create, suite_version_create
from runs_app.services.systems import system_get_or_create, system_version_get_or_create
from teams_app.selectors import team_member_of

_TEAM = OpenApiParameter("team", str, description="Only this team's.")


class SystemsView(ApiView):
    """Systems under test."""

    @extend_schema(operation_id="systems_list", parameters=[_TEAM], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> HttpResponseBase:
        """List the systems that the caller may see."""
        systems = systems_visible(self.actor, request.query_params.get("team", ""))
        return self.paged(request, systems, rendering.system_row)

    @extend_schema(operation_id="systems_create", request=SystemSerializer, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Register a system; one of this name that is there already is returned with 200."""
        data = validated(SystemSerializer, request.data)
        team = team_member_of(self.actor, data.pop("team"))
        policy.require(self.actor, RunAction.SYSTEM_EDIT, team)
        system, created = system_get_or_create(actor=self.actor, team=team, **data)
        return _answer(rendering.system_row(system), created, "api:systems-detail", system=system.public_id)


class SystemView(ApiView):
    """One system."""

    @extend_schema(operation_id="systems_get", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, system: str) -> Response:
        """The system with its versions, newest first."""
        found: System = system_by_ref(self.actor, system)
        versions = found.versions.select_related("system__team").order_by("-id")[:500]
        return Response(
            {**rendering.system_row(found), "versions": [rendering.system_version_row(one) for one in versions]}
        )


class SystemVersionsView(ApiView):
    """Versions of a system."""

    @extend_schema(
        operation_id="systems_versions_create", request=SystemVersionSerializer, responses={201: OpenApiTypes.OBJECT}
    )
    def post(self, request: Request, system: str) -> Response:
        """Register a version; the same label with another configuration is a conflict."""
        found = system_by_ref(self.actor, system)
        policy.require(self.actor, RunAction.SYSTEM_EDIT, found)
        data = validated(SystemVersionSerializer, request.data)
        version, created = system_version_get_or_create(actor=self.actor, system=found, **data)
        return _answer(rendering.system_version_row(version), created, "api:systems-detail", system=found.public_id)


class SuitesView(ApiView):
    """Suites of metrics."""

    @extend_schema(operation_id="suites_list", parameters=[_TEAM], responses=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> HttpResponseBase:
        """List the suites that the caller may see."""
        suites = suites_visible(self.actor, request.query_params.get("team", ""))
        return self.paged(request, suites, rendering.suite_row)

    @extend_schema(operation_id="suites_create", request=SuiteSerializer, responses={201: OpenApiTypes.OBJECT})
    def post(self, request: Request) -> Response:
        """Create a suite with its first version."""
        data = validated(SuiteSerializer, request.data)
        team = team_member_of(self.actor, data.pop("team"))
        version = suite_create(actor=self.actor, team=team, **data)
        body = {**rendering.suite_row(version.suite), "version": rendering.suite_version_row(version)}
        return _answer(body, True, "api:suites-detail", suite=version.suite.public_id)


class SuiteView(ApiView):
    """One suite."""

    @extend_schema(operation_id="suites_get", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, suite: str) -> Response:
        """The suite with its versions, newest first."""
        found: Suite = suite_by_ref(self.actor, suite)
        versions = found.versions.select_related("suite__team").order_by("-number")[:500]
        return Response({**rendering.suite_row(found), "versions": [rendering.suite_version_row(v) for v in versions]})


class SuiteVersionsView(ApiView):
    """Versions of a suite."""

    @extend_schema(
        operation_id="suites_versions_create", request=SuiteVersionSerializer, responses={201: OpenApiTypes.OBJECT}
    )
    def post(self, request: Request, suite: str) -> Response:
        """Add a version with other metrics or settings."""
        found = suite_by_ref(self.actor, suite)
        policy.require(self.actor, RunAction.SUITE_EDIT, found)
        data = validated(SuiteVersionSerializer, request.data)
        version = suite_version_create(actor=self.actor, suite=found, **data)
        return _answer(rendering.suite_version_row(version), True, "api:suites-detail", suite=found.public_id)


def _answer(body: dict[str, object], created: bool, url_name: str, **kwargs: str) -> Response:
    headers = {"Location": reverse(url_name, kwargs=kwargs)}
    return Response(body, status=201 if created else 200, headers=headers)
