from importlib import import_module

from django.apps import AppConfig


class CoreAppConfig(AppConfig):
    name = "core_app"
    verbose_name = "Core"

    def ready(self) -> None:
        # Connects the signals; by name, since models may only be imported from here on.
        import_module("core_app.celery_signals")
