"""Import MT-RAG's human-evaluation tasks as a dataset with its corpus (docs/custom-importers.md)."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from core_app.errors import DomainError
from datasets_app.services import corpus_create, dataset_create, documents_import, draft_get_or_create, items_import
from datasets_app.states import Split
from examples.mtrag import importer
from teams_app.models import User
from teams_app.selectors import actor_for_user, team_member_of


class Command(BaseCommand):
    help = "Make a team's dataset of MT-RAG's 100 human-evaluated tasks, with their passages as a corpus."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="The folder with tasks.jsonl and documents.jsonl.")
        parser.add_argument("--team", required=True)
        parser.add_argument("--as", dest="username", required=True, help="The person who imports (a steward).")
        parser.add_argument("--dataset", default="mtrag")
        parser.add_argument("--split", choices=Split.values, default=Split.FROZEN)

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no person with the user name {options['username']}.")
        try:
            report = self._import(actor_for_user(user), folder, options)
        except FileNotFoundError as error:
            raise CommandError(f"{error.filename} is not there.") from None
        except DomainError as error:
            faults = "\n".join(f"  line {row.line} {row.pointer}: {row.detail}" for row in error.errors[:20])
            raise CommandError(f"{error.detail}\n{faults}".rstrip()) from None
        self.stdout.write(f"{options['team']}/{options['dataset']}@draft: {report.accepted} items imported.")

    @transaction.atomic
    def _import(self, actor: Any, folder: Path, options: dict[str, Any]) -> Any:
        team = team_member_of(actor, options["team"])
        slug = options["dataset"]
        corpus = corpus_create(actor=actor, team=team, slug=slug, name="MT-RAG passages")
        documents_import(actor=actor, corpus=corpus, rows=importer.documents(folder))
        dataset = dataset_create(
            actor=actor, team=team, slug=slug, name="MT-RAG human evaluation", language="en", corpus=corpus
        )
        version = draft_get_or_create(actor=actor, dataset=dataset)
        return items_import(
            actor=actor,
            version=version,
            rows=importer.items(folder, split=options["split"]),
            default_split=None,
            on_error="abort",
            dry_run=False,
        )
