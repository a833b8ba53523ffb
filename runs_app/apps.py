from django.apps import AppConfig


class RunsAppConfig(AppConfig):
    name = "runs_app"
    verbose_name = "Runs"

    def ready(self) -> None:
        # The selectors import models, which exist only once the registry is filled.
        from core_app.metrics import register_source  # noqa: PLC0415
        from core_app.panels import register_attention, register_home_panel  # noqa: PLC0415
        from datasets_app.selectors import register_pilot_source  # noqa: PLC0415
        from runs_app import metrics  # noqa: PLC0415
        from runs_app.selectors import gates, home, pilots  # noqa: PLC0415

        register_home_panel(30, "runs_app/_home_runs.html", home.home_panel)
        register_home_panel(40, "runs_app/_home_gates.html", gates.home_panel)
        register_attention(gates.attention)
        register_pilot_source(pilots.pilot_of)
        register_source(metrics.run_metrics)
