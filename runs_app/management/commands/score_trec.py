"""Score a TREC run file against a qrels file, printed as trec_eval prints it."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from scoring.errors import ScoringError
from scoring.trec import read_qrels, read_run, report


class Command(BaseCommand):
    help = "Score a TREC run file against a qrels file; the output can be diffed against trec_eval's."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("qrels", type=Path)
        parser.add_argument("run", type=Path)
        parser.add_argument("--per-query", action="store_true", help="Each topic's figures first (trec_eval -q).")
        parser.add_argument("--complete", action="store_true", help="Topics without results score 0 (trec_eval -c).")
        parser.add_argument("--level", type=int, default=1, help="Least label that is relevant (trec_eval -l).")
        parser.add_argument("--depth", type=int, help="Only the first so many results of a topic (trec_eval -M).")
        parser.add_argument("--judged-only", action="store_true", help="Leave out unjudged results (trec_eval -J).")
        parser.add_argument("--all", action="store_true", help="Every measure (trec_eval -m all_trec).")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lines = report(
                read_qrels(options["qrels"].read_text(encoding="utf-8").splitlines(), options["qrels"].name),
                read_run(options["run"].read_text(encoding="utf-8").splitlines(), options["run"].name),
                per_query=options["per_query"],
                complete=options["complete"],
                level=options["level"],
                max_docs=options["depth"],
                judged_only=options["judged_only"],
                measures="all" if options["all"] else "official",
            )
        except (ScoringError, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error)) from None
        self.stdout.write("\n".join(lines))
