"""Private services: the command gets their addresses, and nothing is left when it ends, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "with_services.py"
SHOW = "import os; print(os.environ['DATABASE_URL']); print(os.environ['REDIS_URL'])"
ASK_BOTH = """
import os, psycopg, redis
with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
    print(connection.execute("SELECT rolcreatedb FROM pg_roles WHERE rolname = current_user").fetchone()[0])
with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
    print(client.ping())
"""
needs_postgres = pytest.mark.skipif(
    not (shutil.which("initdb") or list(Path("/usr/lib/postgresql").glob("*/bin/initdb"))),
    reason="PostgreSQL is not installed",
)
pytestmark = pytest.mark.live


@pytest.fixture
def folder() -> Iterator[Path]:
    """Give a folder that PostgreSQL's user may enter; those of ``tmp_path`` lie in one that only root may."""
    with tempfile.TemporaryDirectory(prefix="evalplatform-services-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


def environment(folder: Path, **given: str) -> dict[str, str]:
    """Return an environment without services, whose temporary folders lie in this one."""
    known = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    return known | {"TMPDIR": str(folder)} | given


def run(folder: Path, *command: str, **given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *command],
        env=environment(folder, **given),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_addresses_that_are_given_are_handed_on_unchanged(folder: Path) -> None:
    given = {"DATABASE_URL": "postgres://somewhere/db", "REDIS_URL": "redis://elsewhere/2"}
    done = run(folder, "--", sys.executable, "-c", SHOW, **given)
    assert done.stdout.split() == list(given.values())
    assert list(folder.iterdir()) == []


@needs_postgres
def test_the_command_reaches_both_services_and_its_exit_code_comes_back(folder: Path) -> None:
    done = run(folder, "--", sys.executable, "-c", ASK_BOTH + "\nraise SystemExit(7)")
    assert done.stdout.split() == ["True", "True"], done.stderr
    assert done.returncode == 7
    assert list(folder.iterdir()) == []


@needs_postgres
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_leaves_no_service_behind(folder: Path, number: signal.Signals) -> None:
    command = [sys.executable, str(SCRIPT), "--", sys.executable, "-c", SHOW + "\nimport time; time.sleep(600)"]
    with subprocess.Popen(
        [*command],
        env=environment(folder, PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("postgres://")
        # Ctrl-C reaches every process of the terminal's group, a service manager's SIGTERM only the first.
        if number == signal.SIGINT:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        assert process.wait(120) != 0
    assert list(folder.iterdir()) == []


@needs_postgres
def test_services_end_even_when_the_script_is_killed_outright(folder: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--", sys.executable, "-c", SHOW + "\nimport time; time.sleep(2)"]
    with subprocess.Popen(
        command, env=environment(folder, PYTHONUNBUFFERED="1"), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("postgres://")
        (pid_file,) = folder.glob("*/data/postmaster.pid")
        server = int(pid_file.read_text().split()[0])
        process.kill()
        process.wait(60)
    for _ in range(600):
        if not Path(f"/proc/{server}").exists():
            break
        time.sleep(0.1)
    assert not Path(f"/proc/{server}").exists()


def test_a_missing_postgres_is_one_line_and_a_code_of_its_own(folder: Path) -> None:
    # A name that is found nowhere stands for an empty machine; the command must not have run.
    blind = (
        "import sys, with_services as services\n"
        "services.find_postgres_bin = lambda: None\n"
        f"sys.exit(services.main(['--', 'touch', {str(folder / 'ran')!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", blind],
        env=environment(folder, PYTHONPATH=str(SCRIPT.parent)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.splitlines() == ["services: PostgreSQL is not installed (Debian: apt-get install postgresql)"]
    assert not (folder / "ran").exists()
