from importlib import import_module

from django.apps import AppConfig


class TeamsAppConfig(AppConfig):
    name = "teams_app"
    verbose_name = "Teams"

    def ready(self) -> None:
        import_module("teams_app.rest.schema")
