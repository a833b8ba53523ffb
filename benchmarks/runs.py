"""Outputs to scores: how fast outputs are taken in, and how fast and small scoring a run of 10,000 outputs is.

`make bench B=runs` (`BENCH_N` items, 10,000 by default) on a fresh SQLite file, or a fresh database of DATABASE_URL's
server. Tasks run in line: one worker. What a figure must reach stands beside it as `peer_value`.
"""

from __future__ import annotations

import json
import logging
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

N = int(os.environ.get("BENCH_N", "10000"))
REQUEST = 500
STAGES = ("coarse", "reranked", "prompt")
DEPTH = {"coarse": 20, "reranked": 10, "prompt": 5}
METRICS = [
    "retrieval.hit@5 stage=coarse v1",
    "retrieval.recall@20 stage=coarse v1",
    "retrieval.evidence_recall@20 theta=0.5 stage=coarse v1",
    "retrieval.hit@5 stage=reranked v1",
    "retrieval.recall@10 stage=reranked v1",
    "retrieval.precision@5 stage=reranked v1",
    "retrieval.mrr@10 stage=reranked v1",
    "retrieval.ndcg@10 gain=linear stage=reranked v1",
    "retrieval.ap@10 stage=reranked v1",
    "retrieval.recall@5 stage=prompt v1",
    "retrieval.evidence_recall@5 theta=0.5 stage=prompt v1",
    "retrieval.evidence_complete@5 theta=0.5 stage=prompt v1",
]


def peak_mb() -> float:
    """Return the largest resident set of this process so far, in MB."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def report(name: str, n: int, ours: float, peer: str, peer_value: float, unit: str) -> None:
    """Print one row; for seconds a ratio above 1 means faster than asked, for rates likewise."""
    ratio = peer_value / ours if unit == "s" else ours / peer_value
    row = {
        "name": name,
        "n": n,
        "ours": round(ours, 3),
        "peer": peer,
        "peer_value": peer_value,
        "ratio": round(ratio, 2),
        "unit": unit,
        "memory_mb": peak_mb(),
    }
    print(json.dumps(row), flush=True)


def native_items(n: int, rng: random.Random) -> Iterator[dict[str, Any]]:
    kinds = ["fact", "multi_hop", "terms", "paraphrase"]
    for number in range(n):
        gold = [f"chunk-{rng.randrange(50_000)}" for _ in range(rng.choice([1, 1, 2, 3]))]
        yield {
            "external_id": f"q-{number:06d}",
            "question": f"Question {number}?",
            "split": "dev",
            "tiers": ["full"] + (["regression"] if number % 4 == 0 else []),
            "types": [kinds[number % 4]] if number % 50 else ["unanswerable" if number % 100 else "false_premise"],
            "language": "zh" if number % 2 else "en",
            "answerable": bool(number % 50),
            "source": "expert",
            "cluster": f"doc-{number % 400}",
            "evidence": [[[unit] for unit in dict.fromkeys(gold)]],
            "relevance": {unit: rng.choice([1, 2]) for unit in gold},
        }


def output_rows(items: list[dict[str, Any]], rng: random.Random) -> Iterator[dict[str, Any]]:
    for item in items:
        ranked = [f"chunk-{rng.randrange(50_000)}" for _ in range(DEPTH["coarse"])]
        for unit in item["relevance"]:
            if rng.random() < 0.7:
                ranked[rng.randrange(len(ranked))] = unit
        yield {
            "external_id": item["external_id"],
            "answer": "The device weighs 12 kg and is delivered within 30 days. 设备重 12 公斤。",
            "outcome": "answered",
            "confidence": round(rng.random(), 3),
            "retrieved": {
                stage: [
                    {"id": unit, "score": 10.0 - place, "doc_id": f"d{place}"} for place, unit in enumerate(ranked[:k])
                ]
                for stage, k in DEPTH.items()
            },
            "latency_ms": 500.0,
        }


def main() -> int:
    """Make a fresh database, then take in and score in a process each: one's memory does not show in the other's."""
    with tempfile.TemporaryDirectory(prefix="evalplatform-bench-") as home:
        os.environ["EVALPLATFORM_HOME"] = home
        setup()
        from django.db import connection
        from django.test.utils import setup_databases, teardown_databases

        if connection.vendor == "sqlite":
            # In memory it would leave out the disk and count as the process's memory.
            connection.settings_dict["TEST"]["NAME"] = str(Path(home) / "bench.sqlite3")
        old = setup_databases(verbosity=0, interactive=False)
        name = str(connection.settings_dict["NAME"])
        try:
            url = f"sqlite:///{name}"
            if connection.vendor != "sqlite":
                url = urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))
            environment = {**os.environ, "DATABASE_URL": url}
            for phase in ("push", "score"):
                command = [sys.executable, "-m", "benchmarks.runs", phase]
                if code := subprocess.run(command, env=environment, check=False).returncode:
                    return code
        finally:
            teardown_databases(old, verbosity=0)
    return 0


def setup() -> None:
    """Set Django up with the test settings: tasks run in line, logs stay quiet."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "evalplatform.settings.test"
    import django

    django.setup()
    logging.disable(logging.INFO)


def push() -> None:
    """Make a frozen version of N items and a run, and time taking the outputs in."""
    from django.test import Client

    from core_app.actors import SYSTEM
    from core_app.roles import Role
    from datasets_app.services import dataset_create, draft_get_or_create, items_import, version_freeze
    from runs_app.services.runs import run_create
    from runs_app.services.suites import suite_create
    from runs_app.services.systems import system_get_or_create, system_version_get_or_create
    from teams_app.models import Membership, Team, User

    rng = random.Random(7)
    team = Team.objects.create(slug="bench", name="Bench")
    user = User.objects.create_user(username="bench", email="bench@example.org")
    Membership.objects.create(team=team, user=user, role=Role.OWNER)
    dataset = dataset_create(actor=SYSTEM, team=team, slug="kb", name="KB")
    version = draft_get_or_create(actor=SYSTEM, dataset=dataset)
    items = list(native_items(N, rng))
    items_import(actor=SYSTEM, version=version, rows=list(enumerate(items, start=1)))
    version = version_freeze(actor=SYSTEM, version=version, note="bench")
    system, _made = system_get_or_create(actor=SYSTEM, team=team, slug="rag")
    system_version, _made = system_version_get_or_create(actor=SYSTEM, system=system, label="v1")
    suite = suite_create(actor=SYSTEM, team=team, slug="twelve", metrics=METRICS)
    run = run_create(
        actor=SYSTEM, dataset_version=version, split="dev", suite_version=suite, system_version=system_version
    )
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    rows = list(output_rows(items, rng))
    bodies = [json.dumps(rows[start : start + REQUEST]) for start in range(0, N, REQUEST)]
    del rows, items
    started, cpu = time.perf_counter(), time.process_time()
    for body in bodies:
        answer = client.post(f"/api/v1/runs/{run.public_id}/outputs", body, content_type="application/json")
        assert answer.status_code == 200, answer.content
    took = time.perf_counter() - started
    print(f"# pushed with {time.process_time() - cpu:.1f} s of processor time", file=sys.stderr)
    report("outputs pushed by REST, each stored", N, N / took, "asked", 1500.0, "outputs/s")


def score() -> None:
    """Time what lies between stored outputs and stored scores and figures, and measure this process's memory."""
    from core_app.actors import SYSTEM
    from runs_app.models import Aggregate, Run, Score
    from runs_app.services.runs import run_complete

    run = Run.objects.get()
    started, cpu = time.perf_counter(), time.process_time()
    # Tasks run in line, one after the other: what one worker does.
    run_complete(actor=SYSTEM, run=run)
    took = time.perf_counter() - started
    run.refresh_from_db()
    assert run.status == "completed", f"{run.status} {run.status_reason}"
    assert Score.objects.filter(run=run).count() == N * len(METRICS)
    figures = Aggregate.objects.filter(run=run).count()
    print(f"# {figures} figures with {time.process_time() - cpu:.1f} s of processor time", file=sys.stderr)
    report("stored outputs to stored scores and figures, 12 metrics", N, took, "asked", 20.0, "s")


if __name__ == "__main__":
    phases = {"push": push, "score": score}
    if sys.argv[1:]:
        setup()
        phases[sys.argv[1]]()
    else:
        sys.exit(main())
