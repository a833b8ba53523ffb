"""The product's main job, told once over REST: eval set → frozen split → two runs → comparison → gate verdict.

Everything here is what a team's own script would do with two tokens: the steward's freezes and grants, the pipeline's
sees questions without gold, pushes answers and asks for the verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from examples.demo.seed import TEAM
from examples.demo.terminal import Terminal
from examples.kb.system import CONFIGS, build_system, load_documents, load_items
from examples.rest import Api, ApiError, wait_for_run

DATASET = f"{TEAM}/kb-qa"
CORPUS = f"{TEAM}/kb"
SYSTEM = f"{TEAM}/assistant"
GATE = f"{TEAM}/release"
SNAPSHOT = "2026-06-15"
CHANGES = {
    "v1": "Fixed windows of 400 characters; every document version is searched",
    "v2": "Windows of whole sentences; only versions valid at the time of the question",
}
RULES: list[dict[str, Any]] = [
    {"kind": "non_inferiority", "metric": "answers.task_success", "margin": 0.05},
    {"kind": "floor", "metric": "answers.task_success", "limit": 0.45, "on": "low"},
    {"kind": "floor", "metric": "retrieval.evidence_recall@10 stage=prompt", "limit": 0.6, "on": "low"},
    {"kind": "ceiling", "metric": "refusal.false_accept", "limit": 0.5, "on": "value"},
    {"kind": "max_missing", "share": 0.02},
]
#: Shown in the terminal; the pages show all.
SHOWN = (
    "answers.task_success",
    "answers.correct",
    "retrieval.hit@10 stage=prompt",
    "retrieval.evidence_recall@10 theta=0.5 stage=prompt",
    "refusal.false_accept",
    "refusal.false_refusal",
)


def tell(*, steward: Api, pipeline: Api, terminal: Terminal) -> dict[str, Any]:
    """Do the whole of it and return the gate check as the API gives it."""
    version = _load_and_freeze(steward, terminal)
    _grant(steward, pipeline)
    runs: dict[tuple[str, str], str] = {}
    names: tuple[Literal["v1", "v2"], ...] = ("v1", "v2")
    for name in names:
        for split in ("dev", "frozen"):
            runs[name, split] = _run(pipeline, version, name, split, terminal)
    comparison = pipeline.post("comparisons", {"baseline": runs["v1", "frozen"], "candidate": runs["v2", "frozen"]})
    show_comparison(comparison, terminal)
    _make_gate(steward)
    check = pipeline.post(f"gates/{GATE}/checks", {"run": runs["v2", "frozen"], "baseline": runs["v1", "frozen"]})
    show_check(check, terminal)
    return dict(check)


def _make(api: Api, path: str, body: Mapping[str, Any]) -> None:
    """Create a thing, or go on with the one that an interrupted start has left."""
    try:
        api.post(path, body)
    except ApiError as error:
        if error.status != 409:
            raise


def _frozen_version(steward: Api) -> str | None:
    try:
        return str(steward.get(f"versions/{DATASET}@latest")["ref"])
    except ApiError as error:
        if error.status != 404:
            raise
        return None


def _load_and_freeze(steward: Api, terminal: Terminal) -> str:
    frozen = _frozen_version(steward)
    if frozen is not None:
        return frozen
    documents, items = load_documents(), load_items()
    _make(steward, "corpora", {"team": TEAM, "slug": "kb", "name": "Kestrelway knowledge base"})
    steward.post_lines(f"corpora/{CORPUS}/documents", documents)
    _make(steward, f"corpora/{CORPUS}/snapshots", {"name": SNAPSHOT, "as_of": f"{SNAPSHOT}T00:00:00Z"})
    _make(
        steward,
        "datasets",
        {
            "team": TEAM,
            "slug": "kb-qa",
            "name": "Knowledge base questions · 知识库问答",
            "language": "en",
            "description": "Questions of customers and dealers about bikes, batteries and service, in two languages.",
            "corpus": CORPUS,
        },
    )
    report = steward.post_lines(f"datasets/{DATASET}/imports", items)
    terminal.step(
        f"Imported {report['accepted']} items and {len(documents)} documents, refused {report['refused_rows']}"
    )
    version = steward.post(f"versions/{DATASET}@draft/freeze", {"note": "First frozen version of the demo"})
    terminal.step(f"Frozen {version['ref']}, sha256 {version['content_sha256'][:16]}…")
    return str(version["ref"])


def _grant(steward: Api, pipeline: Api) -> None:
    expires = (datetime.now(UTC) + timedelta(days=180)).isoformat()
    me = pipeline.get("me")
    steward.post(
        f"datasets/{DATASET}/grants",
        {"token": me["id"], "level": "questions", "reason": "Release pipeline of the demo", "expires_at": expires},
    )


def _run(pipeline: Api, version: str, name: Literal["v1", "v2"], split: str, terminal: Terminal) -> str:
    config = CONFIGS[name]
    run = pipeline.post(
        "runs",
        {
            "dataset": version,
            "split": split,
            "suite": f"{TEAM}/default",
            "system": {
                "ref": SYSTEM,
                "name": "Support assistant",
                "version": name,
                "change": CHANGES[name],
                "config": {
                    "retriever": "bm25",
                    "chunking": config.cut.__name__,
                    "respects_validity": config.respects_validity,
                    "generator": "extractive",
                },
            },
            "snapshot": f"{CORPUS}@{SNAPSHOT}",
            "mode": "push",
            "purpose": f"demo {name}",
        },
    )
    questions = list(pipeline.pages(f"versions/{version}/questions?split={split}&limit=200"))
    system = build_system(name, load_documents())
    rows = []
    for question in terminal.track(f"{name} answers the {split} split", questions):
        # The frozen split gives opaque ids alone: the answers go back under them.
        output = system.answer({**question, "external_id": question["item_id"]})
        del output["external_id"]
        rows.append({**output, "item_id": question["item_id"]})
    for start in range(0, len(rows), 50):
        pipeline.post_lines(f"runs/{run['id']}/outputs", rows[start : start + 50])
    pipeline.post(f"runs/{run['id']}/complete")
    state = wait_for_run(pipeline, run["id"])
    if state["status"] != "completed":
        raise RuntimeError(f"run {run['id']} {state['status']}: {state.get('status_reason', '')}")
    terminal.step(f"Scored {name} on the {split} split: run {run['id']}")
    return str(run["id"])


def _make_gate(steward: Api) -> None:
    _make(steward, "gates", {"team": TEAM, "slug": "release", "name": "Release of the assistant", "system": SYSTEM})
    policy = steward.post(f"gates/{GATE}/policies", {"rules": RULES})
    steward.post(f"gates/{GATE}/policies/{policy['version']}/activate")


def _figure(value: float | None, form: str = ".2f") -> str:
    return "–" if value is None else format(value, form)


def _interval(low: float | None, high: float | None, form: str = "+.2f") -> str:
    return "" if low is None or high is None else f"[{low:{form}}, {high:{form}}]"


def show_comparison(comparison: Mapping[str, Any], terminal: Terminal) -> None:
    """Print the overall rows of a comparison that a release is talked about by."""
    terminal.say()
    terminal.say("Comparison on the frozen split: v1 (baseline) → v2 (candidate)")
    if not comparison["comparable"]:
        terminal.say("  not comparable: " + "; ".join(str(row) for row in comparison["differences"]))
        return
    rows = []
    for row in comparison["results"]:
        if row["group"] == "all" and row["metric"].startswith(SHOWN):
            rows.append(
                [
                    row["metric"].rsplit(" v", 1)[0],
                    _figure(row["baseline"]["value"]),
                    _figure(row["candidate"]["value"]),
                    _figure(row["estimate"], "+.2f"),
                    _interval(row["low"], row["high"]),
                    str(row["n"]),
                    str(row["verdict"]),
                ]
            )
    terminal.table(["metric", "v1", "v2", "difference", "95 % interval", "n", "verdict"], rows)


def show_check(check: Mapping[str, Any], terminal: Terminal) -> None:
    """Print a gate verdict with each rule's figures."""
    terminal.say()
    terminal.say(f"Gate {GATE}, policy {check['policy_version']}: {check['effective_verdict'].upper()}")
    rows = []
    for rule in check["rules"]:
        low, high = rule["interval"] or (None, None)
        form = "+.2f" if rule["kind"] == "non_inferiority" else ".2f"
        rows.append(
            [
                str(rule["rule"]),
                _figure(rule["observed"], form),
                _interval(low, high, form),
                _figure(rule["limit"], form),
                str(rule["verdict"]),
            ]
        )
    terminal.table(["rule", "observed", "interval", "limit", "verdict"], rows)
    terminal.say()
