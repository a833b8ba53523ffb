"""Structured logs: JSON lines in production, readable lines elsewhere, each with request id and actor."""

from __future__ import annotations

import logging.config
from collections.abc import Mapping, MutableMapping
from typing import Any

import structlog
from django.conf import settings

from core_app.context import actor_var, request_id_var


def _add_context(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in (("request_id", request_id_var.get()), ("actor", actor_var.get())):
        if value:
            event.setdefault(key, value)
    return event


def _drop_request(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    # Django hands its request object to the log; its text is of no use and may hold what was asked.
    event.pop("request", None)
    return event


_SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    _add_context,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.ExtraAdder(),
    _drop_request,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]


def _renderers(log_format: str) -> list[Any]:
    if log_format == "json":
        return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(ensure_ascii=False)]
    return [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]


def configure(options: Mapping[str, Any] | None = None) -> None:
    """Set up the standard library's logging and structlog; `LOGGING_CONFIG` of Django and Celery's workers call it.

    `options` is `settings.LOGGING`: `{"level": "INFO"}`. The form is `settings.LOG_FORMAT`, `json` or `console`.
    """
    level = str((options or {}).get("level", "INFO")).upper()
    log_format = getattr(settings, "LOG_FORMAT", "console")
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": _SHARED,
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_renderers(log_format)],
    }
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"main": formatter},
            "handlers": {"main": {"class": "logging.StreamHandler", "formatter": "main"}},
            "root": {"handlers": ["main"], "level": level},
            "loggers": {
                # Django's defaults write to the console by themselves; one line for each event is enough.
                "django": {"handlers": [], "level": level, "propagate": True},
                "django.server": {"handlers": [], "level": "WARNING", "propagate": True},
                "django.request": {"level": "ERROR"},
                "axes": {"level": "WARNING"},
                "kombu": {"level": "WARNING"},
                "amqp": {"level": "WARNING"},
            },
        }
    )
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
