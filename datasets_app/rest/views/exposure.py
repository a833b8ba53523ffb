"""The budget of a version's frozen split: how much is used, setting it, extending it."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from core_app.rest.fields import validated
from core_app.rest.views import ApiView
from datasets_app import services
from datasets_app.models import DatasetVersion
from datasets_app.policies import DatasetAction, policy
from datasets_app.rest import render
from datasets_app.rest.serializers import BudgetIn, BudgetOut, ExtensionIn, ExtensionOut
from datasets_app.selectors import exposure_usage, extensions_of, version_by_ref


class _VersionApiView(ApiView):
    def found(self, ref: str, action: DatasetAction) -> DatasetVersion:
        version = version_by_ref(self.actor, ref)
        policy.require(self.actor, action, version)
        return version


class BudgetView(_VersionApiView):
    @extend_schema(operation_id="versions_exposure_budget", responses=BudgetOut, tags=["versions"])
    def get(self, request: Request, version: str) -> Response:
        """Return the frozen split's state, its budget with what is used of it, and its rotation date."""
        return Response(render.budget(exposure_usage(self.found(version, DatasetAction.EXPOSURE_VIEW))))

    @extend_schema(
        operation_id="versions_exposure_budget_set", request=BudgetIn, responses=BudgetOut, tags=["versions"]
    )
    def put(self, request: Request, version: str) -> Response:
        """Set the budget and the rotation date; later versions take the numbers over."""
        found = self.found(version, DatasetAction.EXPOSURE_EXTEND)
        services.exposure_budget_set(actor=self.actor, version=found, **validated(BudgetIn, request.data))
        return Response(render.budget(exposure_usage(found)))


class ExtensionsView(_VersionApiView):
    @extend_schema(operation_id="versions_exposure_extensions", responses=ExtensionOut(many=True), tags=["versions"])
    def get(self, request: Request, version: str) -> HttpResponseBase:
        """List what stewards added to the budget, newest first."""
        found = self.found(version, DatasetAction.EXPOSURE_VIEW)
        return self.paged(request, extensions_of(found), render.extension)

    @extend_schema(
        operation_id="versions_exposure_extend", request=ExtensionIn, responses={201: ExtensionOut}, tags=["versions"]
    )
    def post(self, request: Request, version: str) -> Response:
        """Add runs to the budget, with a reason."""
        found = self.found(version, DatasetAction.EXPOSURE_EXTEND)
        row = services.exposure_extend(actor=self.actor, version=found, **validated(ExtensionIn, request.data))
        return Response(render.extension(row), status=201)
