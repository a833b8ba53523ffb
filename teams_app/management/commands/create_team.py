"""`manage.py create_team SLUG NAME [--owner USERNAME]`."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core_app.actors import SYSTEM
from core_app.errors import DomainError
from teams_app.selectors import person_find
from teams_app.services import team_create


class Command(BaseCommand):
    help = "Create a team, with its first owner (an account that exists)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("name")
        parser.add_argument("--owner", metavar="USERNAME", help="user name or e-mail address")
        parser.add_argument("--four-eyes", action="store_true", help="freezing needs a second steward's approval")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            owner = person_find(options["owner"]) if options["owner"] else None
            team = team_create(
                actor=SYSTEM,
                slug=options["slug"],
                name=options["name"],
                owner=owner,
                four_eyes=options["four_eyes"],
            )
        except DomainError as error:
            details = "; ".join([str(error.detail), *(str(fault.detail) for fault in error.errors)])
            raise CommandError(details) from None
        self.stdout.write(f"created team {team.slug}")
