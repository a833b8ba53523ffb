from django.apps import AppConfig


class FeedbackAppConfig(AppConfig):
    name = "feedback_app"
    verbose_name = "Feedback"
