"""`manage.py create_token TEAM NAME --scope runs:write …`: prints the secret, once."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from core_app.actors import SYSTEM
from core_app.errors import DomainError
from core_app.roles import Role
from teams_app.models import Team, User
from teams_app.scopes import SCOPES
from teams_app.selectors import members_of, person_find, team_member_of
from teams_app.services import token_create


class Command(BaseCommand):
    help = "Make a service token and print its secret, which can't be had again. Scopes: " + ", ".join(SCOPES)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("team", help="the team's short name")
        parser.add_argument("name")
        parser.add_argument("--scope", action="append", required=True, dest="scopes", metavar="SCOPE")
        parser.add_argument("--days", type=int, default=90, help="expires after so many days, at most 365")
        parser.add_argument("--made-by", metavar="USERNAME", help="who answers for it; default: the team's first owner")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            team = team_member_of(SYSTEM, options["team"])
            token, secret = token_create(
                actor=SYSTEM,
                team=team,
                name=options["name"],
                scopes=options["scopes"],
                expires_at=timezone.now() + timedelta(days=options["days"]),
                made_by=self._maker(team, options["made_by"]),
            )
        except DomainError as error:
            details = "; ".join([str(error.detail), *(str(fault.detail) for fault in error.errors)])
            raise CommandError(details) from None
        self.stderr.write(f"token {token.public_id} of team {team.slug}, expires {token.expires_at:%Y-%m-%d}")
        self.stdout.write(secret)

    def _maker(self, team: Team, username: str | None) -> User:
        if username:
            return person_find(username)
        owner = members_of(team).filter(role=Role.OWNER).order_by("pk").first()
        if owner is None:
            raise CommandError(f"team {team.slug} has no owner: name somebody with --made-by")
        return owner.user
