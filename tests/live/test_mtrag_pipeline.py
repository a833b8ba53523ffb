"""The whole line on real data: import, freeze, three runs, two comparisons, a gate check, JUnit and markdown."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from examples.rest import Api, ApiError
from tests.live.server import ROOT, LiveServer

DATA = ROOT.parent / "shared" / "data" / "mtrag_human_eval"

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(not DATA.is_dir(), reason="../shared/data/mtrag_human_eval is not there"),
]


def _pipeline(server: LiveServer, tokens: dict[str, str], out: Path) -> subprocess.CompletedProcess[str]:
    env = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "EVALPLATFORM_STEWARD_TOKEN": tokens["steward_token"],
        "EVALPLATFORM_TOKEN": tokens["pipeline_token"],
    }
    command = [sys.executable, "-m", "examples.mtrag.pipeline", "--url", server.url, "--dataset", "support/mtrag"]
    command += ["--data", str(DATA), "--out", str(out)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, cwd=out.parent)


def test_the_three_systems_of_mtrag_go_from_import_to_a_verdict_over_rest(server: LiveServer, tmp_path: Path) -> None:
    tokens = server.seed()
    printed = server.manage("import_mtrag", str(DATA), "--team", "support", "--as", "steward")
    assert "100 items imported" in printed

    done = _pipeline(server, tokens, tmp_path / "out")

    # The gate's third rule reads a judge that nobody has calibrated, so the verdict is inconclusive: exit code 2.
    assert done.returncode == 2, f"{done.stdout}\n{done.stderr}\n{server.logs()}"
    assert "gate verdict: inconclusive" in done.stdout
    check = json.loads((tmp_path / "out" / "gate.json").read_text())
    assert [rule["verdict"] for rule in check["rules"]] == ["pass", "pass", "inconclusive"]
    suite = ElementTree.parse(tmp_path / "out" / "gate.xml").getroot()
    assert len(list(suite.iter("testcase"))) == 3
    assert "inconclusive" in (tmp_path / "out" / "gate.md").read_text()

    api = Api(server.url, tokens["pipeline_token"])
    runs = list(api.pages("runs"))
    assert len(runs) == 3
    state = api.get(f"runs/{runs[0]['id']}")
    assert state["status"] == "completed"
    success = next(
        row
        for row in state["summary"]["metrics"]
        if row["group"] == "all" and row["metric"].startswith("answers.task_success")
    )
    # No assertion says which answers are right, so the answered items are undetermined: counted, not dropped.
    assert success["n_total"] == 100
    assert success["n_scored"] + sum(count for count in success["states"].values() if isinstance(count, int)) <= 100
    external = next(
        row
        for row in state["summary"]["metrics"]
        if row["group"] == "all" and row["metric"].startswith("external.rb_agg")
    )
    assert external["n_scored"] == 100
    assert 0 < external["value"] < 1

    with pytest.raises(ApiError) as refused:
        api.get("versions/support/mtrag@latest/items?split=frozen")
    assert refused.value.status == 403
