#!/usr/bin/env python3
"""Collect the translatable strings, compile the translations, and fail where one is missing or doubtful."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from babel.messages.catalog import Message
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
LANGUAGES = ("zh_Hans",)
IGNORED = (".venv", "var", "tests", "benchmarks", "scripts", "docs", "node_modules", "screenshots")


def manage(*arguments: str) -> None:
    """Run a management command and stop where it fails."""
    subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, check=True)


def is_incomplete(message: Message) -> bool:
    """Tell whether a message has no translation, a missing plural form, or one that msgmerge only guessed."""
    if not message.id:
        return False
    forms = message.string if isinstance(message.string, (list, tuple)) else [message.string]
    return message.fuzzy or not all(forms)


def main() -> int:
    """Return 1 and name the strings where a translation is missing."""
    missing_tools = [name for name in ("xgettext", "msgmerge", "msgfmt") if shutil.which(name) is None]
    if missing_tools:
        print(f"messages: needs {', '.join(missing_tools)} (Debian: apt-get install gettext)", file=sys.stderr)
        return 2
    (ROOT / "locale").mkdir(exist_ok=True)
    languages = [part for language in LANGUAGES for part in ("-l", language)]
    ignored = [part for folder in IGNORED for part in ("-i", folder)]
    manage("makemessages", *languages, *ignored, "--no-obsolete", "--add-location", "file", "--no-wrap")
    incomplete = []
    for language in LANGUAGES:
        catalogue = ROOT / "locale" / language / "LC_MESSAGES" / "django.po"
        with catalogue.open("rb") as source:
            incomplete += [(language, message.id) for message in read_po(source) if is_incomplete(message)]
    manage("compilemessages", *languages, *ignored)
    for language, text in incomplete:
        print(f"messages: {language}: not translated: {text!r}", file=sys.stderr)
    print(f"messages: {len(incomplete)} missing")
    return 1 if incomplete else 0


if __name__ == "__main__":
    sys.exit(main())
