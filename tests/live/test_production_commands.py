"""The commands of docker-compose.yml, read from the file and run as they are against a real PostgreSQL and Redis."""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
import redis
import yaml

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
HOST = "eval.example.org"
METRICS_TOKEN = secrets.token_urlsafe(24)
PATIENCE_SECONDS = 60
#: A database of the Redis server that no other test uses, so that no other worker takes these tasks.
REDIS_DATABASE = 3
SCHEDULE_A_TASK_EACH_SECOND = """
from django_celery_beat.models import IntervalSchedule, PeriodicTask
every = IntervalSchedule.objects.create(every=1, period="seconds")
PeriodicTask.objects.create(name="tick", task="celery.backend_cleanup", interval=every)
"""

DATABASE_URL, REDIS_URL = os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", "")
pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        not (DATABASE_URL.startswith("postgres") and REDIS_URL),
        reason="needs PostgreSQL and Redis in DATABASE_URL and REDIS_URL, which `make test-postgres` sets",
    ),
]


def with_path(url: str, path: str) -> str:
    """Return the URL with another path, which names the database."""
    return urlunsplit(urlsplit(url)._replace(path=path))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(ready: Callable[[], bool], *, what: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if ready():
            return
        if process.poll() is not None:
            break
        time.sleep(0.25)
    pytest.fail(f"{what}: did not come about (exit code {process.poll()}):\n{log.read_text(errors='replace')[-4000:]}")


@dataclass
class Production:
    """An environment as .env makes it, and the commands of the compose file run in it."""

    environment: dict[str, str]
    folder: Path
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def interpolate(self, text: str) -> str:
        """Fill in ${NAME:-default} from the environment and $$ as Compose does."""

        def value(match: re.Match[str]) -> str:
            return self.environment.get(match["name"]) or match["default"] or ""

        return re.sub(r"(?<!\$)\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?[^}]*\}", value, text).replace("$$", "$")

    def command(self, service: str) -> list[str]:
        return [self.interpolate(word) for word in COMPOSE["services"][service]["command"]]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    def start(self, service: str) -> tuple[subprocess.Popen[bytes], Path]:
        """Start a service's own command; return its process and its log."""
        log = self.folder / f"{service}-{len(self.processes)}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                self.command(service),
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.processes.append(process)
        return process, log

    def healthy(self, service: str) -> bool:
        """Run the health check of the compose file, on the port and pid file that this test uses."""
        kind, *words = COMPOSE["services"][service]["healthcheck"]["test"]
        words = [
            self.interpolate(word)
            .replace("127.0.0.1:8000", self.environment["WEB_BIND"])
            .replace("/tmp/beat.pid", self.environment["BEAT_PIDFILE"])
            for word in words
        ]
        return self.run(*(["sh", "-c", *words] if kind == "CMD-SHELL" else words)).returncode == 0

    def get(self, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        """Ask the web server as the proxy in front would; return status, body and headers."""
        connection = http.client.HTTPConnection(self.environment["WEB_BIND"], timeout=30)
        try:
            connection.request("GET", path, headers={"Host": HOST, **headers})
            response = connection.getresponse()
            return response.status, response.read(), dict(response.getheaders())
        finally:
            connection.close()

    def answers(self, path: str) -> bool:
        try:
            return self.get(path)[0] == http.client.OK
        except OSError:
            return False

    def stop(self, process: subprocess.Popen[bytes]) -> int:
        """Stop a service as Compose does, with SIGTERM; return its exit code."""
        process.send_signal(signal.SIGTERM)
        return process.wait(PATIENCE_SECONDS)

    def stop_all(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture(scope="module")
def production(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Production]:
    """A new database, an empty Redis database and a production host's environment, migrated by the migrate service."""
    folder = tmp_path_factory.mktemp("production")
    name = f"production_{os.getpid()}_{secrets.token_hex(3)}"
    broker = with_path(REDIS_URL, f"/{REDIS_DATABASE}")
    with psycopg.connect(DATABASE_URL, autocommit=True) as connection, redis.Redis.from_url(broker) as client:
        connection.execute(f'CREATE DATABASE "{name}"')
        client.flushdb()
        environment = {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
            "HOME": str(folder),
            "HOSTNAME": socket.gethostname(),
            "PYTHONUNBUFFERED": "1",
            "DJANGO_SETTINGS_MODULE": COMPOSE["x-app"]["environment"]["DJANGO_SETTINGS_MODULE"],
            "EVALPLATFORM_HOME": str(folder / "home"),
            "STATIC_ROOT": str(folder / "static"),
            "SECRET_KEY": secrets.token_urlsafe(48),
            "ALLOWED_HOSTS": HOST,
            "HTTPS": "terminated",
            "DATABASE_URL": with_path(DATABASE_URL, f"/{name}"),
            "REDIS_URL": broker,
            "WEB_BIND": f"127.0.0.1:{free_port()}",
            "WORKER_CONCURRENCY": "1",
            "BEAT_PIDFILE": str(folder / "beat.pid"),
            "PROMETHEUS_MULTIPROC_DIR": str(folder / "metrics"),
            "METRICS_TOKEN": METRICS_TOKEN,
        }
        (folder / "home").mkdir()
        place = Production(environment, folder)
        try:
            migrated = place.run(*place.command("migrate"))
            assert migrated.returncode == 0, migrated.stdout + migrated.stderr
            collected = place.run("python", "manage.py", "collectstatic", "--noinput", "--verbosity", "0")
            assert collected.returncode == 0, collected.stdout + collected.stderr
            yield place
        finally:
            place.stop_all()
            client.flushdb()
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture
def web(production: Production) -> Iterator[subprocess.Popen[bytes]]:
    process, log = production.start("web")
    try:
        wait_until(lambda: production.answers("/healthz"), what="/healthz answers 200", process=process, log=log)
        yield process
    finally:
        if process.poll() is None:
            production.stop(process)


@pytest.fixture
def worker(production: Production) -> Iterator[subprocess.Popen[bytes]]:
    process, log = production.start("worker")
    try:
        wait_until(lambda: production.healthy("worker"), what="the worker answers a ping", process=process, log=log)
        yield process
    finally:
        if process.poll() is None:
            production.stop(process)


def tasks_done(production: Production) -> int:
    """Return how many of the scheduled tasks the running worker has taken."""
    asked = production.run("celery", "--app=evalplatform", "inspect", "stats", "--json", "--timeout=8")
    if asked.returncode:
        return 0
    return sum(answer["total"].get("celery.backend_cleanup", 0) for answer in json.loads(asked.stdout).values())


def test_migrating_twice_changes_nothing(production: Production) -> None:
    again = production.run(*production.command("migrate"))
    assert again.returncode == 0, again.stderr
    assert "No migrations to apply" in again.stdout


def test_django_finds_nothing_to_warn_about_before_deployment(production: Production) -> None:
    checked = production.run("python", "manage.py", "check", "--deploy", "--fail-level", "ERROR")
    assert checked.returncode == 0, checked.stderr
    # Preloading binds a whole domain for years: the domain's owner decides that, not a default.
    assert set(re.findall(r"\((\w+\.\w\d+)\)", checked.stderr)) <= {"security.W021"}, checked.stderr


def test_the_web_command_serves_and_its_health_check_follows_it(
    production: Production, web: subprocess.Popen[bytes]
) -> None:
    assert production.get("/healthz")[0] == http.client.OK
    status, body, _ = production.get("/readyz")
    assert status == http.client.OK, body
    assert production.healthy("web")
    production.stop(web)
    assert web.returncode == 0
    assert not production.healthy("web")


def test_plain_http_is_sent_to_https_and_a_forged_host_is_refused(
    production: Production, web: subprocess.Popen[bytes]
) -> None:
    status, _, headers = production.get("/sign-in/")
    assert (status, headers["Location"]) == (301, f"https://{HOST}/sign-in/")
    status, _, headers = production.get("/sign-in/", **{"X-Forwarded-Proto": "https"})
    assert status == http.client.OK
    assert "max-age=" in headers["Strict-Transport-Security"]
    assert production.get("/sign-in/", Host="evil.example", **{"X-Forwarded-Proto": "https"})[0] == 400


def test_metrics_add_up_over_the_web_processes_and_count_runs_by_status(
    production: Production, web: subprocess.Popen[bytes]
) -> None:
    def figure(name: str) -> float:
        status, body, _ = production.get("/metrics", Authorization=f"Bearer {METRICS_TOKEN}")
        assert status == http.client.OK
        found = re.search(rf"^{re.escape(name)} ([\d.e+]+)$", body.decode(), re.M)
        return float(found[1]) if found else 0.0

    pages = 'evalplatform_requests_total{method="GET",status="200",view="teams:sign-in"}'
    before = figure(pages)
    for _asked in range(40):
        assert production.get("/sign-in/", **{"X-Forwarded-Proto": "https"})[0] == http.client.OK
    assert figure(pages) == before + 40
    assert figure('evalplatform_runs{status="scoring"}') == 0
    assert (
        'evalplatform_runs{status="scoring"}'
        in production.get("/metrics", Authorization=f"Bearer {METRICS_TOKEN}")[1].decode()
    )


def test_static_files_come_with_a_year_of_caching(production: Production, web: subprocess.Popen[bytes]) -> None:
    _, body, _ = production.get("/sign-in/", **{"X-Forwarded-Proto": "https"})
    found = re.search(rb'href="(/static/[^"]+\.[0-9a-f]{12}\.css)"', body)
    assert found, body[:2000]
    status, _, headers = production.get(found[1].decode(), **{"X-Forwarded-Proto": "https"})
    assert status == http.client.OK
    assert "immutable" in headers["Cache-Control"]


def test_beat_puts_due_tasks_in_the_queue_and_the_worker_takes_them(
    production: Production, worker: subprocess.Popen[bytes]
) -> None:
    scheduled = production.run("python", "manage.py", "shell", "-c", SCHEDULE_A_TASK_EACH_SECOND)
    assert scheduled.returncode == 0, scheduled.stderr
    assert not production.healthy("beat")
    beat, log = production.start("beat")
    wait_until(lambda: tasks_done(production) >= 2, what="two scheduled tasks are done", process=beat, log=log)
    assert production.healthy("beat")
    assert production.stop(beat) == 0
    assert not production.healthy("beat")
    assert production.stop(worker) == 0
    assert not production.healthy("worker")


@pytest.mark.parametrize("name", ["SECRET_KEY", "ALLOWED_HOSTS", "HTTPS", "DATABASE_URL", "REDIS_URL"])
def test_production_refuses_to_start_without(production: Production, name: str) -> None:
    environment = {key: value for key, value in production.environment.items() if key != name}
    refused = Production(environment, production.folder).run("python", "manage.py", "check")
    assert refused.returncode != 0
    assert name in refused.stderr
