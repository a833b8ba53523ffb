from django.apps import AppConfig


class JudgesAppConfig(AppConfig):
    name = "judges_app"
    verbose_name = "Judges"
