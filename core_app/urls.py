"""Addresses for those who run the site."""

from django.urls import path

from core_app import views
from core_app.styleguide import styleguide

app_name = "core"

urlpatterns = [
    path("styleguide/", styleguide, name="styleguide"),
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.prometheus, name="metrics"),
]
