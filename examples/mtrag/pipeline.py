"""A release pipeline over MT-RAG's three systems, by REST alone.

Freezes the imported version, registers the systems, pushes their recorded answers as three runs with the automatic
judges' figures as external scores, completes them, asks for two comparisons and a gate check, and saves the verdict as
JUnit and markdown. Standard library only:

    python -m examples.mtrag.pipeline --url http://localhost:8000/ --dataset support/mtrag \
        --data ../shared/data/mtrag_human_eval --out verdict/

Two tokens come from the environment: EVALPLATFORM_STEWARD_TOKEN freezes and grants, EVALPLATFORM_TOKEN runs and checks.
Exit codes: 0 pass, 1 fail, 2 inconclusive, 3 error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from examples.rest import Api, wait_for_run

EXIT = {"pass": 0, "waived": 0, "fail": 1, "inconclusive": 2, "error": 3}
SYSTEMS = {
    "reference": "Reference answers by people",
    "llama-3-1-405b": "Llama 3.1 405B Instruct",
    "gpt-4o": "GPT-4o",
}
_MODEL_IDS = {"reference": "reference", "llama-3.1-405b-instruct": "llama-3-1-405b", "gpt-4o": "gpt-4o"}
#: The automatic judges in MT-RAG's file and the names that their figures get here.
_EXTERNAL = {
    "RougeL": "external.rouge_l",
    "Bert-Rec": "external.bert_recall",
    "Bert-KPrec": "external.bert_k_precision",
    "conditional_idk": "external.conditional_idk",
    "rl_f": "external.rl_f",
    "rb_llm": "external.rb_llm",
    "rb_agg": "external.rb_agg",
}
GATE_RULES: list[dict[str, Any]] = [
    {"kind": "floor", "metric": "retrieval.hit@10 stage=prompt", "limit": 0.9, "on": "value"},
    {"kind": "max_missing", "share": 0.02},
    {"kind": "non_inferiority", "metric": "external.rb_agg", "margin": 0.05},
]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for text in file:
            if text.strip():
                yield json.loads(text)


def outputs_by_system(data: Path) -> dict[str, list[dict[str, Any]]]:
    """Return each system's recorded answers as rows for `POST runs/{id}/outputs`."""
    contexts = {task["task_id"]: task["contexts"] for task in _lines(data / "tasks.jsonl")}
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for record in _lines(data / "evaluations.jsonl"):
        scores = []
        for name, metric in _EXTERNAL.items():
            for kind, figure in record["annotations"].get(name, {}).items():
                identity = {"tool": "mt-rag", "metric": name, "kind": kind}
                scores.append({"metric": metric, "value": float(figure["value"]), "identity": identity})
        rows[_MODEL_IDS[record["model_id"]]].append(
            {
                "external_id": record["task_id"],
                "answer": record["model_response"],
                "retrieved": {"prompt": [{"id": row["document_id"]} for row in contexts[record["task_id"]]]},
                "scores": scores,
            }
        )
    return dict(rows)


def push_run(api: Api, *, dataset: str, team: str, system: str, rows: list[dict[str, Any]]) -> str:
    """Create a run, push the rows in batches, complete it; return the run's id once it is scored."""
    run = api.post(
        "runs",
        {
            "dataset": dataset,
            "split": "frozen",
            "suite": f"{team}/default",
            "system": {
                "ref": f"{team}/{system}",
                "name": SYSTEMS[system],
                "version": "2024-10",
                "config": {"generator": system},
            },
            "mode": "push",
            "purpose": "MT-RAG human evaluation",
        },
    )
    for start in range(0, len(rows), 40):
        api.post_lines(f"runs/{run['id']}/outputs", rows[start : start + 40])
    api.post(f"runs/{run['id']}/complete")
    state = wait_for_run(api, run["id"])
    if state["status"] != "completed":
        raise SystemExit(f"run {run['id']} {state['status']}: {state.get('status_reason', '')}")
    return str(run["id"])


def run_pipeline(*, steward: Api, api: Api, dataset: str, data: Path, out: Path, say: Any = print) -> str:
    """Do the whole of it; return the verdict."""
    team = dataset.split("/", maxsplit=1)[0]
    version = steward.post(f"versions/{dataset}@draft/freeze", {"note": "MT-RAG human evaluation, 100 tasks"})
    say(f"frozen {version['ref']} sha256 {version['content_sha256'][:16]}…")
    me = api.get("me")
    expires = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    grant = {"token": me["id"], "level": "questions", "reason": "release pipeline", "expires_at": expires}
    steward.post(f"datasets/{dataset}/grants", grant)
    runs = {}
    for system, rows in outputs_by_system(data).items():
        runs[system] = push_run(api, dataset=version["ref"], team=team, system=system, rows=rows)
        say(f"scored {system}: {len(rows)} answers, run {runs[system]}")
    for candidate in ("gpt-4o", "llama-3-1-405b"):
        comparison = api.post("comparisons", {"baseline": runs["reference"], "candidate": runs[candidate]})
        for row in comparison["results"]:
            if row["group"] == "all" and row["metric"].startswith("external.rb_agg"):
                say(
                    f"{candidate} against reference, {row['metric']}: {row['estimate']:+.3f} "
                    f"[{row['low']:+.3f}, {row['high']:+.3f}] {row['verdict']}"
                )
    gate = f"{team}/mtrag-release"
    steward.post("gates", {"team": team, "slug": "mtrag-release", "name": "MT-RAG release"})
    policy = steward.post(f"gates/{gate}/policies", {"rules": GATE_RULES})
    steward.post(f"gates/{gate}/policies/{policy['version']}/activate")
    check = api.post(f"gates/{gate}/checks", {"run": runs["gpt-4o"], "baseline": runs["reference"]})
    out.mkdir(parents=True, exist_ok=True)
    (out / "gate.xml").write_text(api.text(f"gates/{gate}/checks/{check['id']}?format=junit"), encoding="utf-8")
    (out / "gate.md").write_text(api.text(f"gates/{gate}/checks/{check['id']}?format=markdown"), encoding="utf-8")
    (out / "gate.json").write_text(json.dumps(check, ensure_ascii=False, indent=2), encoding="utf-8")
    say(f"gate verdict: {check['effective_verdict']} ({check['url']})")
    return str(check["effective_verdict"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://localhost:8000/")
    parser.add_argument("--dataset", default="support/mtrag")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("verdict"))
    options = parser.parse_args()
    verdict = run_pipeline(
        steward=Api(options.url, os.environ["EVALPLATFORM_STEWARD_TOKEN"]),
        api=Api(options.url, os.environ["EVALPLATFORM_TOKEN"]),
        dataset=options.dataset,
        data=options.data,
        out=options.out,
    )
    return EXIT[verdict]


if __name__ == "__main__":
    sys.exit(main())
