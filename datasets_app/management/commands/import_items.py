"""Import a file of any size into a dataset's draft, in bounded memory."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core_app.errors import DomainError
from datasets_app.imports.formats import FORMATS
from datasets_app.imports.sources import mapping_of, open_source
from datasets_app.selectors import dataset_by_ref
from datasets_app.services import dataset_import
from datasets_app.states import Split
from teams_app.models import User
from teams_app.selectors import actor_for_user


class Command(BaseCommand):
    help = "Import an evaluation set into a dataset's draft: import_items team/dataset FILE --as USER"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dataset", help="team/dataset, or the dataset's id")
        parser.add_argument("file", type=Path)
        parser.add_argument("--as", dest="username", required=True, help="The person who imports.")
        parser.add_argument("--format", choices=["auto", *FORMATS], default="auto")
        parser.add_argument("--mapping", default="", help="Of a table: column=field,column=field")
        parser.add_argument("--split", choices=Split.values, help="Where new items go that don't say.")
        parser.add_argument("--on-error", choices=["abort", "skip"], default="abort")
        parser.add_argument("--dry-run", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no person with the user name {options['username']}.")
        try:
            with options["file"].open("rb") as stream:
                self._import(actor_for_user(user), stream, options)
        except OSError as error:
            raise CommandError(str(error)) from None
        except DomainError as error:
            faults = "\n".join(f"  line {row.line} {row.pointer}: {row.detail}" for row in error.errors[:20])
            raise CommandError(f"{error.detail}\n{faults}".rstrip()) from None

    def _import(self, actor: Any, stream: Any, options: dict[str, Any]) -> None:
        with open_source(stream, format=options["format"], mapping=mapping_of(options["mapping"])) as source:
            report = dataset_import(
                actor=actor,
                dataset=dataset_by_ref(actor, options["dataset"]),
                rows=source.rows,
                default_split=options["split"],
                on_error=options["on_error"],
                dry_run=options["dry_run"],
            )
        for row in report.refused[:20]:
            self.stderr.write(f"line {row.line} {row.pointer}: {row.detail}")
        self.stdout.write(
            f"{report.version} ({source.format}, {source.encoding}): {report.created} created, "
            f"{report.updated} updated, {report.unchanged} unchanged, {report.refused_rows} refused"
            + (" (dry run)" if report.dry_run else "")
        )
