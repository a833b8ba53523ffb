from django.apps import AppConfig


class LabelsAppConfig(AppConfig):
    name = "labels_app"
    verbose_name = "Labels"
