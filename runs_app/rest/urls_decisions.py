"""REST calls about decisions: comparisons, gates, reports. Included by `runs_app.rest.urls`."""

from django.urls import path

from core_app import converters  # noqa: F401  (registers <ref:…>)
from runs_app.rest.comparisons import ComparisonItemsView, ComparisonsView, ComparisonView
from runs_app.rest.gates import (
    GateChecksView,
    GateCheckView,
    GatePoliciesView,
    GatePolicyActivateView,
    GatesView,
    GateView,
)
from runs_app.rest.reports import RunReportView

urlpatterns = [
    path("runs/<str:run>/report", RunReportView.as_view(), name="run-report"),
    path("comparisons", ComparisonsView.as_view(), name="comparisons"),
    path("comparisons/<str:comparison>", ComparisonView.as_view(), name="comparison"),
    path("comparisons/<str:comparison>/items", ComparisonItemsView.as_view(), name="comparison-items"),
    path("gates", GatesView.as_view(), name="gates"),
    path("gates/<ref:gate>", GateView.as_view(), name="gate"),
    path("gates/<ref:gate>/policies", GatePoliciesView.as_view(), name="gate-policies"),
    path(
        "gates/<ref:gate>/policies/<int:version>/activate",
        GatePolicyActivateView.as_view(),
        name="gate-policy-activate",
    ),
    path("gates/<ref:gate>/checks", GateChecksView.as_view(), name="gate-checks"),
    path("gates/<ref:gate>/checks/<str:check>", GateCheckView.as_view(), name="gate-check"),
]
