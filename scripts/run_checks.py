#!/usr/bin/env python3
"""Run every check that this machine can run, go on after a failure, and end with one summary of what ran where.

``scripts/run_checks.py [--only NAME]... [-- PYTEST_ARGUMENTS]``. The tests run twice: on SQLite with the embedded
Valkey, and on PostgreSQL with Redis (from ``DATABASE_URL`` and ``REDIS_URL``, else private instances); what touches no
database runs the first time alone.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from with_services import MISSING_SERVICE, find_postgres_bin

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
#: What no database changes runs once: pure numbers, documents, scripts, and how pages look in a browser.
WITHOUT_DATABASE = ("tests/scoring", "tests/docs", "tests/examples", "tests/scripts", "tests/browser")
SUMMARY_LINE = re.compile(r"\b\d+ (?:passed|failed|errors?|skipped|deselected)\b.* in [\d.]+s")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one check: its exit code (None where it could not run) and one phrase for the summary."""

    name: str
    code: int | None
    note: str
    seconds: float


def tool(*arguments: str) -> list[str]:
    """Return the command line of a tool of this environment."""
    return [str(BIN / arguments[0]), *arguments[1:]]


def embedded_environment() -> dict[str, str]:
    """Return the environment without the services' addresses, so that SQLite and the wheel's Valkey are used."""
    return {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}


def run(name: str, command: list[str], environment: dict[str, str]) -> Result:
    """Run one command, showing what it prints, and keep the last line in which pytest counts its tests."""
    print(f"\n=== {name}: {shlex.join(command).replace(str(ROOT) + os.sep, '')}", flush=True)
    started, counted = time.monotonic(), ""
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            if found := SUMMARY_LINE.search(line):
                counted = re.sub(r"\x1b\[[\d;]*m", "", found.group(0)).strip("= ")
        code = process.wait()
    return Result(name, code, counted or ("ok" if code == 0 else f"exit code {code}"), time.monotonic() - started)


def pytest_command(arguments: list[str]) -> list[str]:
    """Return pytest on two processes, a file's tests staying together, unless the arguments choose otherwise."""
    spread = [] if any(argument.startswith("-n") for argument in arguments) else ["-n", "2", "--dist", "loadfile"]
    return [sys.executable, "-m", "pytest", "-q", *spread, *arguments]


def check_lint(_arguments: list[str]) -> Result:
    """Ruff's rules."""
    return run("lint", tool("ruff", "check", "."), dict(os.environ))


def check_format(_arguments: list[str]) -> Result:
    """Ruff's format."""
    return run("format", tool("ruff", "format", "--check", "--quiet", "."), dict(os.environ))


def check_types(_arguments: list[str]) -> Result:
    """Types, by mypy."""
    return run("types", tool("mypy"), embedded_environment())


def check_imports(_arguments: list[str]) -> Result:
    """Import directions, by import-linter."""
    return run("imports", tool("lint-imports", "--no-cache"), dict(os.environ))


def check_migrations(_arguments: list[str]) -> Result:
    """Models without a migration."""
    command = [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"]
    return run("migrations", command, embedded_environment() | {"DJANGO_SETTINGS_MODULE": "evalplatform.settings.test"})


def check_sqlite(arguments: list[str]) -> Result:
    """The tests on SQLite and the embedded Valkey."""
    return run("tests on SQLite and Valkey", pytest_command(arguments), embedded_environment())


def check_postgres(arguments: list[str]) -> Result:
    """The tests on PostgreSQL and Redis."""
    name = "tests on PostgreSQL and Redis"
    if not os.environ.get("DATABASE_URL") and find_postgres_bin() is None:
        return Result(name, None, "not run: PostgreSQL is not installed and DATABASE_URL is not set", 0)
    chosen = arguments or [f"--ignore={folder}" for folder in WITHOUT_DATABASE]
    command = [sys.executable, "scripts/with_services.py", "--", *pytest_command(chosen)]
    result = run(name, command, dict(os.environ))
    if result.code == MISSING_SERVICE and "passed" not in result.note:
        return Result(name, result.code, "the private instances did not start (see above)", result.seconds)
    return result


CHECKS: dict[str, Callable[[list[str]], Result]] = {
    "lint": check_lint,
    "format": check_format,
    "types": check_types,
    "imports": check_imports,
    "migrations": check_migrations,
    "sqlite": check_sqlite,
    "postgres": check_postgres,
}


def summarize(results: list[Result]) -> None:
    """Print one line a check, and what this machine could not run."""
    print("\n=== summary")
    for result in results:
        mark = {None: "----", 0: "ok  "}.get(result.code, "FAIL")
        print(f"  {mark} {result.name:<30} {result.note} ({result.seconds:.0f} s)")
    if not any(shutil.which(name) for name in CHROMIUM_NAMES):
        print("  ---- browser tests                  not run: Chromium is not installed")
    sys.stdout.flush()


def main() -> int:
    """Run the chosen checks; return 0 where none failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", action="append", choices=CHECKS, help="run this check alone; may be repeated")
    parser.add_argument("pytest_arguments", nargs="*", help="handed to pytest, after --")
    options = parser.parse_args()
    results: list[Result] = []
    try:
        for name in options.only or CHECKS:
            results.append(CHECKS[name](options.pytest_arguments))
    except KeyboardInterrupt:
        print("\ninterrupted")
        return 130
    finally:
        summarize(results)
    return 1 if any(result.code for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
