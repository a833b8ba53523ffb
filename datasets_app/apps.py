from django.apps import AppConfig


class DatasetsAppConfig(AppConfig):
    name = "datasets_app"
    verbose_name = "Datasets"

    def ready(self) -> None:
        # Only here are models loaded, which selectors import.
        from core_app.panels import register_attention, register_home_panel  # noqa: PLC0415
        from datasets_app.selectors.pages import attention, home_panel  # noqa: PLC0415

        register_home_panel(20, "datasets_app/_home_panel.html", home_panel)
        register_attention(attention)
