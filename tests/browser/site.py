"""A real server process on a private database, for browsers: started, seeded, stopped."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
#: Debian's Chromium, or another one named by the environment.
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--force-color-profile=srgb"]


def free_port() -> int:
    """Return a port that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Site:
    """One server on a home of its own. `sessions` maps a person's name to a signed-in session key."""

    def __init__(self, home: Path, *, settings: str = "evalplatform.settings.test") -> None:
        self.home = home
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        inherited = {k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL", "PYTHONWARNINGS"}}
        self.environment = {
            **inherited,
            "EVALPLATFORM_HOME": str(home),
            "DJANGO_SETTINGS_MODULE": settings,
            "DEBUG": "0",
            "PYTHONPATH": str(ROOT),
        }
        self.team = ""
        self.sessions: dict[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._log: Any = None

    def manage(self, *arguments: str, accept: tuple[int, ...] = (0,)) -> str:
        """Run a management command on this site's database; return what it printed. `accept`: good exit codes."""
        return self._run("manage.py", *arguments, accept=accept)

    def _run(self, *arguments: str, accept: tuple[int, ...] = (0,)) -> str:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode not in accept:
            raise RuntimeError(f"{arguments} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
        return done.stdout

    def fill(self) -> None:
        """Let `manage.py demo` set up a team with an eval set, runs, a comparison and a verdict."""
        filler = Site(self.home, settings="evalplatform.settings.dev")
        filler.manage("demo", "--no-serve", "--port", str(filler.port), accept=(0, 1, 2, 3))

    def seed(self) -> None:
        """Make the people and their sessions (in the first team there is, else in a new one)."""
        made = json.loads(self._run("-m", "tests.browser.seed").strip().splitlines()[-1])
        self.team, self.sessions = made["team"], made["sessions"]

    def start(self) -> None:
        """Start the server and wait until it answers."""
        self._log = (self.home / "server.log").open("wb")
        self._process = subprocess.Popen(
            [sys.executable, "manage.py", "runserver", "--noreload", str(self.port)],
            cwd=ROOT, env=self.environment, stdout=self._log, stderr=subprocess.STDOUT,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            with suppress(OSError):
                try:
                    urllib.request.urlopen(self.url + "/static/core_app/favicon.svg", timeout=5).close()
                except urllib.error.HTTPError as answered:
                    answered.close()
                return
            time.sleep(0.2)
        raise RuntimeError(f"the server did not start:\n{self.log()[-4000:]}")

    def log(self) -> str:
        """Return what the server has written."""
        return (self.home / "server.log").read_text(errors="replace")

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._log is not None:
            self._log.close()

    def cookies(self, name: str, language: str) -> list[dict[str, str]]:
        """Return the cookies of a person's browser that has chosen a language."""
        rows = [{"name": "django_language", "value": language, "url": self.url}]
        if name:
            rows.append({"name": "sessionid", "value": self.sessions[name], "url": self.url})
        return rows
