"""Recompute a version's hash from its rows, each revision's hash included."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core_app.actors import SYSTEM
from core_app.errors import DomainError
from datasets_app.freezing import content_hash, wrong_revisions
from datasets_app.selectors import version_by_ref


class Command(BaseCommand):
    help = "Check that a frozen version's items still give its hash: verify_version team/dataset@3"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ref", help="team/dataset@number, @latest, or the version's id")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            version = version_by_ref(SYSTEM, options["ref"])
        except DomainError as error:
            raise CommandError(str(error.detail)) from None
        if version.is_open:
            raise CommandError(f"{version.ref} is {version.status}: only a frozen version has a hash.")
        wrong = wrong_revisions(version)
        if wrong:
            raise CommandError(f"{version.ref}: the content of {len(wrong)} items gives another hash: {wrong[:5]}")
        found = content_hash(version)
        if found != version.content_sha256:
            raise CommandError(f"{version.ref}: the items give {found}, frozen was {version.content_sha256}")
        self.stdout.write(f"{version.ref} is whole: {found}")
