"""`kill -9` of the broker, then of the supervisor itself, in the middle of scoring: nothing lost, nothing doubled."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.live.server import LiveServer
from tests.live.test_kill9_worker import ITEMS, job, state_of, wait_for

pytestmark = pytest.mark.live


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def children(server: LiveServer, pattern: str) -> list[int]:
    assert server.process is not None
    found = subprocess.run(
        ["pgrep", "-f", pattern, "-P", str(server.process.pid)], capture_output=True, text=True, check=False
    )
    return [int(pid) for pid in found.stdout.split()]


def begin(server: LiveServer, token: str) -> str:
    """Return a run that is being scored, with some of it done."""
    run = str(job(server, "begin", str(ITEMS))["run"])
    wait_for(server, token, run, lambda state: state["progress"]["done"] > 0 and state["status"] != "collecting")
    return run


def verify(server: LiveServer, token: str, run: str) -> None:
    state = wait_for(server, token, run, lambda now: now["status"] != "scoring")
    assert state["status"] == "completed", state["status_reason"]
    left = job(server, "verify", run)
    assert left["outputs"] == ITEMS
    assert left["scores"] == left["distinct"] == ITEMS * left["metrics"]
    assert left["completed_events"] == 1


def test_a_killed_broker_is_started_again_and_the_run_completes(server: LiveServer) -> None:
    if os.environ.get("REDIS_URL"):
        pytest.skip("the broker of REDIS_URL is not the supervisor's to start again")
    token = server.seed()["steward_token"]
    run = begin(server, token)
    broker = children(server, "valkey-server")
    assert len(broker) == 1
    os.kill(broker[0], signal.SIGKILL)
    assert state_of(server, token, run)["status"] == "scoring", "the kill must hit the run in the middle: raise ITEMS"
    verify(server, token, run)
    assert children(server, "valkey-server") != broker


def test_a_killed_supervisor_leaves_nothing_behind_and_the_next_start_ends_the_run(server: LiveServer) -> None:
    token = server.seed()["steward_token"]
    run = begin(server, token)
    assert server.process is not None
    started = [pid for pid in children(server, "gunicorn|celery") if is_alive(pid)]
    assert started
    server.process.kill()
    server.process.wait()
    deadline = time.monotonic() + 60
    while any(is_alive(pid) for pid in started) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(is_alive(pid) for pid in started)
    server.start()
    verify(server, token, run)
