"""A real server for tests: `manage.py serve` with its web, worker, beat and broker processes, on a database of its own.

On SQLite everything lives in a temporary home. Where DATABASE_URL names a PostgreSQL server, a fresh database is made
there; where REDIS_URL is set, a database number of it that the rest of the suite does not use.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import redis

ROOT = Path(__file__).resolve().parent.parent.parent
_STARTED = itertools.count()


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


class LiveServer:
    """Start with `start()`, end with `stop()`; `manage()` runs a command in the same environment."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="evp-live-"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self.env = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "evalplatform.settings.dev",
            "EVALPLATFORM_HOME": str(self.home),
            "PYTHONPATH": str(ROOT),
        }
        self.process: subprocess.Popen[bytes] | None = None
        self._database = ""
        self._admin_url = ""
        self._make_database()

    def _make_database(self) -> None:
        url = os.environ.get("DATABASE_URL", "")
        if url.startswith("postgres"):
            self._database = f"live_{uuid.uuid4().hex[:12]}"
            self._admin_url = url
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(f'CREATE DATABASE "{self._database}"')
            parts = urlsplit(url)
            self.env["DATABASE_URL"] = urlunsplit(parts._replace(path=f"/{self._database}"))
        if redis_url := os.environ.get("REDIS_URL", ""):
            worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
            number = 4 + worker % 2 * 6 + next(_STARTED) % 6
            if redis_url.startswith("unix:"):
                self.env["REDIS_URL"] = redis_url.split("?")[0] + f"?db={number}"
            else:
                self.env["REDIS_URL"] = urlunsplit(urlsplit(redis_url)._replace(path=f"/{number}"))
            redis.Redis.from_url(self.env["REDIS_URL"]).flushdb()

    def start(self, timeout_s: float = 240) -> LiveServer:
        command = [sys.executable, "manage.py", "serve", "--port", str(self.port)]
        log = open(self.home / "serve.log", "ab")
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=log, stderr=log)
        log.close()
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.logs()
            try:
                with urllib.request.urlopen(f"{self.url}readyz", timeout=5) as answer:
                    if answer.status == 200:
                        return self
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        raise AssertionError(f"not ready in {timeout_s} s\n{self.logs()}")

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(90)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        # Its broker outlives a supervisor that was killed, so that the next start may take up what is queued.
        subprocess.run(["pkill", "-KILL", "-f", f"valkey-server.*{self.home}/"], check=False)
        if self._database:
            with psycopg.connect(self._admin_url, autocommit=True) as connection:
                connection.execute(f'DROP DATABASE IF EXISTS "{self._database}" WITH (FORCE)')
        shutil.rmtree(self.home, ignore_errors=True)

    def manage(self, *args: str, expect: int = 0) -> str:
        """Run a management command; return what it printed."""
        done = subprocess.run(
            [sys.executable, "manage.py", *args], cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == expect, f"{args}: {done.returncode}\n{done.stdout}\n{done.stderr}\n{self.logs()}"
        return done.stdout

    def seed(self) -> dict[str, Any]:
        """Make a team with people and two tokens; return `{"steward_token", "pipeline_token", "password"}`."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.live.seed"],
            cwd=ROOT,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return dict(json.loads(done.stdout))

    def worker_pids(self) -> list[int]:
        """Return the process ids of the Celery worker's main process and its children, main first."""
        assert self.process is not None
        found = subprocess.run(
            ["pgrep", "-f", "celery -A evalplatform worker", "-P", str(self.process.pid)],
            capture_output=True,
            text=True,
        )
        main = [int(pid) for pid in found.stdout.split()]
        children: list[int] = []
        for pid in main:
            listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True)
            children += [int(child) for child in listed.stdout.split()]
        return main + children

    def logs(self) -> str:
        """Return the ends of all logs, for a failing test's message."""
        parts = []
        for path in sorted([self.home / "serve.log", *self.home.glob("logs/*.log")]):
            if path.exists():
                parts.append(f"--- {path.name}\n{path.read_text(errors='replace')[-3000:]}")
        return "\n".join(parts)
