"""REST calls of this app."""

from django.urls import URLPattern, URLResolver, include, path

from core_app import converters  # noqa: F401  (registers <ref:…>)
from runs_app.rest import runs, systems, thresholds

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("runs_app.rest.urls_decisions")),
    path("runs", runs.RunsView.as_view(), name="runs"),
    path("runs/<str:run>", runs.RunView.as_view(), name="runs-detail"),
    path("runs/<str:run>/outputs", runs.RunOutputsView.as_view(), name="runs-outputs"),
    path("runs/<str:run>/complete", runs.RunCompleteView.as_view(), name="runs-complete"),
    path("runs/<str:run>/cancel", runs.RunCancelView.as_view(), name="runs-cancel"),
    path("runs/<str:run>/retry-failed", runs.RunRetryFailedView.as_view(), name="runs-retry-failed"),
    path("runs/<str:run>/scores", runs.RunScoresView.as_view(), name="runs-scores"),
    path("runs/<str:run>/items", runs.RunItemsView.as_view(), name="runs-items"),
    path("runs/<str:run>/risk-coverage", thresholds.RiskCoverageView.as_view(), name="runs-risk-coverage"),
    path("runs/<str:run>/robustness", thresholds.RobustnessView.as_view(), name="runs-robustness"),
    path("systems", systems.SystemsView.as_view(), name="systems"),
    path("systems/<ref:system>", systems.SystemView.as_view(), name="systems-detail"),
    path("systems/<ref:system>/versions", systems.SystemVersionsView.as_view(), name="systems-versions"),
    path("systems/<ref:system>/thresholds", thresholds.ThresholdsView.as_view(), name="systems-thresholds"),
    path("suites", systems.SuitesView.as_view(), name="suites"),
    path("suites/<ref:suite>", systems.SuiteView.as_view(), name="suites-detail"),
    path("suites/<ref:suite>/versions", systems.SuiteVersionsView.as_view(), name="suites-versions"),
]
