"""The REST API, version 1."""

from django.urls import include, path

from core_app.api_docs import SchemaView, api_docs

app_name = "api"

urlpatterns = [
    path("schema/", SchemaView.as_view(), name="schema"),
    path("docs/", api_docs, name="docs"),
    path("", include("teams_app.rest.urls")),
    path("", include("datasets_app.rest.urls")),
    path("", include("runs_app.rest.urls")),
]
