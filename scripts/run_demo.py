#!/usr/bin/env python3
"""Run the demo for ``make demo``: serving at the end, or with DEMO_SERVE=0 stopping after the verdict.

Without serving, `manage.py demo --no-serve` exits with the gate's code, as a pipeline wants it. Here a verdict of any
kind is a demo that went well, so only a demo that broke, or a gate that could not be evaluated, is a failure.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import django
from django.core.management import CommandError, call_command, execute_from_command_line

VERDICTS = {0, 1, 2}


def main() -> int:
    """Return 0 where the demo came to a verdict."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalplatform.settings.dev")
    if os.environ.get("DEMO_SERVE", "1") != "0":
        execute_from_command_line(["manage.py", "demo", *sys.argv[1:]])
        return 0
    django.setup()
    try:
        call_command("demo", "--no-serve", *sys.argv[1:])
    except CommandError as problem:
        print(f"demo: {problem}", file=sys.stderr)
        return 1
    except SystemExit as stop:
        return 0 if stop.code in VERDICTS else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
