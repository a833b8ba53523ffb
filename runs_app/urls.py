"""Pages of this app."""

from django.urls import URLPattern, URLResolver, include, path

from runs_app.views import runs, suites, systems

app_name = "runs"

urlpatterns: list[URLPattern | URLResolver] = [
    path("t/<slug:team>/runs/", runs.RunListPage.as_view(), name="list"),
    path("t/<slug:team>/run-new/", runs.RunNewPage.as_view(), name="new"),
    path("t/<slug:team>/runs/<str:run>/", runs.RunDetailPage.as_view(), name="detail"),
    path("t/<slug:team>/runs/<str:run>/items/", runs.RunItemsPage.as_view(), name="items"),
    path("t/<slug:team>/runs/<str:run>/items/<str:item>/", runs.RunItemPage.as_view(), name="item"),
    path("t/<slug:team>/runs/<str:run>/complete/", runs.RunCompleteView.as_view(), name="complete"),
    path("t/<slug:team>/runs/<str:run>/cancel/", runs.RunCancelView.as_view(), name="cancel"),
    path("t/<slug:team>/runs/<str:run>/threshold/", runs.RunThresholdView.as_view(), name="threshold"),
    path("t/<slug:team>/runs/<str:run>/retry/", runs.RunRetryView.as_view(), name="retry"),
    path("t/<slug:team>/systems/", systems.SystemsPage.as_view(), name="systems"),
    path("t/<slug:team>/systems/<slug:system>/", systems.SystemPage.as_view(), name="system"),
    path("t/<slug:team>/suites/", suites.SuitesPage.as_view(), name="suites"),
    path("t/<slug:team>/suites/<slug:suite>/", suites.SuitePage.as_view(), name="suite"),
    path("", include("runs_app.urls_decisions")),
]
