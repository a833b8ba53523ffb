"""Pages of this app."""

from django.urls import URLPattern

app_name = "core"

urlpatterns: list[URLPattern] = []
