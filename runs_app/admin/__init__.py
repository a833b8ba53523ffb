"""The admin of this app."""

from runs_app.admin import decisions, runs

__all__ = ["decisions", "runs"]
