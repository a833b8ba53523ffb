from django.apps import AppConfig


class CoreAppConfig(AppConfig):
    name = "core_app"
    verbose_name = "Core"
