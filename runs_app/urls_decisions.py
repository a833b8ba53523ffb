"""Pages about decisions: comparisons and gates. Included by `runs_app.urls`."""

from django.urls import path

from runs_app.views.comparisons import ComparePage, ComparisonPage, ComparisonsPage
from runs_app.views.gates import (
    GateCheckCreateView,
    GateCheckPage,
    GateCreatePage,
    GatePage,
    GatesPage,
    PolicyActivateView,
    PolicyDraftPage,
)

urlpatterns = [
    path("t/<slug:team>/comparisons/", ComparisonsPage.as_view(), name="comparisons"),
    path("t/<slug:team>/comparisons/new/", ComparePage.as_view(), name="compare"),
    path("t/<slug:team>/comparisons/<str:comparison>/", ComparisonPage.as_view(), name="comparison"),
    path("t/<slug:team>/gates/", GatesPage.as_view(), name="gates"),
    path("t/<slug:team>/gate-new/", GateCreatePage.as_view(), name="gate-create"),
    path("t/<slug:team>/gates/<slug:gate>/", GatePage.as_view(), name="gate"),
    path("t/<slug:team>/gates/<slug:gate>/policies/new/", PolicyDraftPage.as_view(), name="gate-policy-draft"),
    path(
        "t/<slug:team>/gates/<slug:gate>/policies/<int:version>/activate/",
        PolicyActivateView.as_view(),
        name="gate-policy-activate",
    ),
    path("t/<slug:team>/gates/<slug:gate>/check/", GateCheckCreateView.as_view(), name="gate-check-create"),
    path("t/<slug:team>/gates/<slug:gate>/checks/<str:check>/", GateCheckPage.as_view(), name="gate-check"),
]
