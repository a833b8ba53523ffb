"""The REST API, version 1."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

app_name = "api"

urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("", include("teams_app.rest.urls")),
    path("", include("datasets_app.rest.urls")),
    path("", include("runs_app.rest.urls")),
]
