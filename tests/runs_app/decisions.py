"""Completed runs with chosen scores, for comparisons and gates: rows written directly, then the run closed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from core_app.canonical import sha256_hex
from datasets_app.models import DatasetVersion
from datasets_app.selectors import entries_of
from runs_app.models import Gate, MetricRecord, Output, Run, Score, SuiteVersion
from runs_app.services.gates import gate_create, gate_policy_activate
from runs_app.services.suites import suite_create
from runs_app.services.systems import system_get_or_create, system_version_get_or_create
from runs_app.states import Outcome, RunStatus
from scoring.identity import MetricIdentity
from scoring.registry import METRICS
from tests.conftest import Cast
from tests.datasets_app.factories import make_frozen

RECALL = "retrieval.evidence_recall@5 theta=0.5 stage=prompt v1"
JUDGED = "external.rl_f tool=raf v1"
TASK = "answers.task_success v1"
ACCEPT = "refusal.false_accept v1"

#: A value, or the name of the state in its place.
Given = float | str


def make_suite(cast: Cast, **settings: Any) -> SuiteVersion:
    """Return the team's small suite `gated`, made once."""
    found = SuiteVersion.objects.filter(suite__team=cast.team, suite__slug="gated").first()
    return found or suite_create(
        actor=cast.actor("editor"), team=cast.team, slug="gated", metrics=[TASK, RECALL, ACCEPT], settings=settings
    )


def record_of(identity: str) -> MetricRecord:
    """Return the stored metric of an identity; one in the name space `external` comes from outside."""
    parsed = MetricIdentity.parse(identity)
    spec = METRICS.get(parsed.name)
    record, _made = MetricRecord.objects.get_or_create(
        identity=identity,
        defaults={
            "name": parsed.name,
            "family": parsed.name.partition(".")[0],
            "stage": parsed.stage or "",
            "origin": "external" if spec is None else "ours",
            "higher_is_better": spec.higher_is_better if spec else True,
        },
    )
    return record


def make_scored_run(
    cast: Cast,
    version: DatasetVersion,
    scores: Mapping[str, Sequence[Given]],
    *,
    label: str = "v1",
    slug: str = "assistant",
    split: str = "dev",
    tier: str = "",
    outcomes: Mapping[int, Outcome] | None = None,
    answers: Sequence[str] | None = None,
    latency: Sequence[float | None] | None = None,
    costs: Sequence[float | None] | None = None,
    config: Mapping[str, Any] | None = None,
    suite: SuiteVersion | None = None,
    status: RunStatus = RunStatus.COMPLETED,
    warnings: Sequence[Mapping[str, Any]] = (),
    **extra: Any,
) -> Run:
    """Return a run with one output for each entry and these scores, in the order of the entries."""
    system, _made = system_get_or_create(actor=cast.actor("editor"), team=cast.team, slug=slug, name=slug)
    system_version, _made = system_version_get_or_create(
        actor=cast.actor("editor"), system=system, label=label, config=config or {}
    )
    entries = list(entries_of(version, split, tier))
    manifest = {"system": system_version.ref, "dataset": version.ref, "split": split}
    run = Run.objects.create(
        team=cast.team,
        dataset_version=version,
        split=split,
        tier=tier,
        suite_version=suite or make_suite(cast),
        system_version=system_version,
        status=RunStatus.SCORING,
        manifest=manifest,
        manifest_sha256=sha256_hex(manifest),
        scores_sha256=sha256_hex({name: list(values) for name, values in scores.items()}),
        warnings=list(warnings),
        expected_outputs=len(entries),
        created_by_key="person:1",
        created_by_label="editor",
        **extra,
    )
    outputs = []
    for index, entry in enumerate(entries):
        answer = answers[index] if answers else f"{label} answers {entry.item.external_id}"
        outputs.append(
            Output(
                run=run,
                entry=entry,
                answer=answer,
                outcome=(outcomes or {}).get(index, Outcome.ANSWERED),
                content_sha256=hashlib.sha256(answer.encode()).hexdigest(),
                latency_ms=latency[index] if latency else None,
                cost=costs[index] if costs else None,
            )
        )
    Output.objects.bulk_create(outputs)
    rows = []
    for identity, values in scores.items():
        record = record_of(identity)
        for output, given in zip(outputs, values, strict=True):
            state, value = (given, None) if isinstance(given, str) else ("scored", float(given))
            rows.append(Score(run=run, output=output, metric=record, state=state, value=value))
    Score.objects.bulk_create(rows, batch_size=5000)
    if status != RunStatus.SCORING:
        Run.objects.filter(pk=run.pk).update(status=status, finished_at=timezone.now())
        run.refresh_from_db()
    return run


def make_pair(
    cast: Cast,
    version: DatasetVersion,
    *,
    baseline: Mapping[str, Sequence[Given]],
    candidate: Mapping[str, Sequence[Given]],
    **extra: Any,
) -> tuple[Run, Run]:
    """Return a baseline and a candidate of one system."""
    return (
        make_scored_run(cast, version, baseline, label="v1", **extra),
        make_scored_run(cast, version, candidate, label="v2", **extra),
    )


def make_gate(cast: Cast, rules: list[dict[str, Any]], slug: str = "release", **extra: Any) -> Gate:
    """Return a gate whose policy is active."""
    gate = gate_create(actor=cast.actor("editor"), team=cast.team, slug=slug, name=slug.title(), rules=rules, **extra)
    gate_policy_activate(actor=cast.actor("steward"), gate=gate, version=1)
    return gate


def evens(count: int, share: float) -> list[float]:
    """Return `count` zeros and ones with that share of ones, spread evenly."""
    return [float(int((index + 1) * share) > int(index * share)) for index in range(count)]


def big_version(cast: Cast, *, dev: int = 40, frozen: int = 40) -> DatasetVersion:
    """Return a frozen version large enough for the bootstrap (20 clusters and more)."""
    return make_frozen(cast, dev=dev, frozen=frozen)
