"""Private services: the command gets their addresses, and nothing is left when it ends, however it ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
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


def environment(tmp_path: Path, **given: str) -> dict[str, str]:
    """Return an environment without services, whose temporary folders lie in one that PostgreSQL's user may enter."""
    known = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        folder.chmod(folder.stat().st_mode | 0o011)
    return known | {"TMPDIR": str(tmp_path)} | given


def run(tmp_path: Path, *command: str, **given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), *command],
        env=environment(tmp_path, **given),
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_addresses_that_are_given_are_handed_on_unchanged(tmp_path: Path) -> None:
    given = {"DATABASE_URL": "postgres://somewhere/db", "REDIS_URL": "redis://elsewhere/2"}
    done = run(tmp_path, "--", sys.executable, "-c", SHOW, **given)
    assert done.stdout.split() == list(given.values())
    assert list(tmp_path.iterdir()) == []


@needs_postgres
def test_the_command_reaches_both_services_and_its_exit_code_comes_back(tmp_path: Path) -> None:
    done = run(tmp_path, "--", sys.executable, "-c", ASK_BOTH + "\nraise SystemExit(7)")
    assert done.stdout.split() == ["True", "True"], done.stderr
    assert done.returncode == 7
    assert list(tmp_path.iterdir()) == []


@needs_postgres
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_command_leaves_no_service_behind(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, str(SCRIPT), "--", sys.executable, "-c", SHOW + "\nimport time; time.sleep(600)"]
    with subprocess.Popen(
        [*command],
        env=environment(tmp_path, PYTHONUNBUFFERED="1"),
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
    assert list(tmp_path.iterdir()) == []


@needs_postgres
def test_services_end_even_when_the_script_is_killed_outright(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "--", sys.executable, "-c", SHOW + "\nimport time; time.sleep(2)"]
    with subprocess.Popen(
        command, env=environment(tmp_path, PYTHONUNBUFFERED="1"), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("postgres://")
        (pid_file,) = tmp_path.glob("*/data/postmaster.pid")
        server = int(pid_file.read_text().split()[0])
        process.kill()
        process.wait(60)
    for _ in range(600):
        if not Path(f"/proc/{server}").exists():
            break
        time.sleep(0.1)
    assert not Path(f"/proc/{server}").exists()


def test_a_missing_postgres_is_one_line_and_a_code_of_its_own(tmp_path: Path) -> None:
    # A name that is found nowhere stands for an empty machine; the command must not have run.
    blind = (
        "import sys, with_services as services\n"
        "services.find_postgres_bin = lambda: None\n"
        f"sys.exit(services.main(['--', 'touch', {str(tmp_path / 'ran')!r}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", blind],
        env=environment(tmp_path, PYTHONPATH=str(SCRIPT.parent)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.splitlines() == ["services: PostgreSQL is not installed (Debian: apt-get install postgresql)"]
    assert not (tmp_path / "ran").exists()
