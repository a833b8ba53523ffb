"""`kill -9` of every worker process in the middle of scoring: the run completes, each score there once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from typing import Any

import pytest

from tests.live.server import ROOT, LiveServer

pytestmark = pytest.mark.live
ITEMS = 6000


def job(server: LiveServer, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.live.scoring_job", *arguments],
        cwd=ROOT,
        env=server.env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{done.stderr}\n{server.logs()}"
    return dict(json.loads(done.stdout.splitlines()[-1]))


def state_of(server: LiveServer, token: str, run: str) -> dict[str, Any]:
    request = urllib.request.Request(
        f"{server.url}api/v1/runs/{run}", headers={"Authorization": f"Bearer {token}", "Accept": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return dict(json.load(answer))


def wait_for(server: LiveServer, token: str, run: str, done: Any, timeout_s: float = 240) -> dict[str, Any]:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        state = state_of(server, token, run)
        if done(state):
            return state
        time.sleep(0.05)
    raise AssertionError(f"still {state['status']} {state['progress']}\n{server.logs()}")


def test_a_run_completes_with_each_score_once_after_kill_9_of_the_workers(server: LiveServer) -> None:
    token = server.seed()["steward_token"]
    run = job(server, "begin", str(ITEMS))["run"]
    wait_for(server, token, run, lambda state: state["progress"]["done"] > 0 and state["status"] != "collecting")
    for pid in server.worker_pids():
        os.kill(pid, signal.SIGKILL)
    state = state_of(server, token, run)
    assert state["status"] == "scoring", "the kill must hit the run in the middle: raise ITEMS"
    assert 0 < state["progress"]["done"] < ITEMS
    state = wait_for(server, token, run, lambda now: now["status"] not in {"scoring"})
    assert state["status"] == "completed", state["status_reason"]
    left = job(server, "verify", run)
    assert left["outputs"] == ITEMS
    assert left["scores"] == left["distinct"] == ITEMS * left["metrics"]
    assert set(left["batches"]) == {"done"}
    assert left["completed_events"] == 1
    assert left["aggregates"] > 0
