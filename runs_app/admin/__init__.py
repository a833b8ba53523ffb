"""The admin of this app."""

from runs_app.admin import runs

__all__ = ["runs"]
