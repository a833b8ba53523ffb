"""`manage.py audit_verify`: walk the audit trail's hash chain and name the first broken link."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from core_app.chain import chain_walk, head_export, head_fault


class Command(BaseCommand):
    help = "Walk the audit trail's hash chain and name the first broken link (exit 1); count events not sealed yet."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--export-head", metavar="FILE", help="write the chain's signed head to FILE ('-': print it)"
        )
        parser.add_argument(
            "--check-head", metavar="FILE", help="say whether the head in FILE is still part of the chain"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        report = chain_walk()
        if report.broken is not None:
            broken = report.broken
            raise CommandError(f"broken at link {broken.sequence} ({broken.kind}): {broken.detail}", returncode=1)
        if options["check_head"]:
            fault = head_fault(self._read(options["check_head"]))
            if fault:
                raise CommandError(fault, returncode=1)
            self.stdout.write("the exported head is part of the chain")
        if options["export_head"]:
            self._write(options["export_head"])
        # A head that is printed may be piped into a file: then nothing else stands beside it.
        say = self.stderr if options["export_head"] == "-" else self.stdout
        say.write(f"ok: {report.sealed} events sealed, {report.unsealed} waiting, head {report.head}")

    def _read(self, name: str) -> dict[str, Any]:
        try:
            head = json.loads(Path(name).read_text(encoding="utf-8"))
            return {"sequence": int(head["sequence"]), **head}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise CommandError(f"{name} is no exported head: {error}", returncode=2) from None

    def _write(self, name: str) -> None:
        text = json.dumps(head_export(timezone.now()), indent=1) + "\n"
        if name == "-":
            self.stdout.write(text)
        else:
            Path(name).write_text(text, encoding="utf-8")
