"""Metrics over what was judged outside of this program: one for each judge found in a run's outputs.

A suite names such a metric without a judge (`citations.recall v1`); a run computes it for each judge that gave what it
needs, under the identity with the judge (`citations.recall judge=acme-nli@2 v1`) and as an external metric, which is
uncalibrated and so without a vote in a gate.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection

from runs_app.models import MetricRecord, Run
from runs_app.services.bulk import rows_write
from runs_app.services.judgement_rows import PARTS, judgements_of
from scoring.identity import MetricIdentity
from scoring.judgements import Judgements
from scoring.registry import METRICS

#: Each judge makes metrics of its own, so their number is limited: the first by name.
MAX_RUN_JUDGES = 20
#: What a metric's `needs` says → the part of a judgement that it reads.
PART_OF_NEED = {
    "claims": "claims",
    "nuggets": "nuggets",
    "subquestions": "subquestions",
    "attacks": "attack_succeeded",
}


def judged_part(name: str) -> str:
    """Return the part of a judgement that a registered metric reads, "" where it needs none."""
    spec = METRICS.get(name)
    return next((PART_OF_NEED[need] for need in (spec.needs if spec else ()) if need in PART_OF_NEED), "")


@dataclass(frozen=True, slots=True)
class JudgedMetric:
    """`base` is how the suite names the metric, `identity` what its scores stand under."""

    base: MetricIdentity
    judge: str

    @property
    def identity(self) -> MetricIdentity:
        return replace(self.base, judge=self.judge)


def judges_reported(run: Run) -> list[dict[str, Any]]:
    """Return who judged the run's outputs, each with the parts that at least one output carries, both sorted."""
    pairs = (
        "SELECT DISTINCT one.value ->> 'judge', part FROM runs_app_output AS o, "
        "jsonb_array_elements(o.judgements) AS one(value), jsonb_object_keys(one.value) AS part WHERE o.run_id = %s"
        if connection.vendor == "postgresql"
        else "SELECT DISTINCT json_extract(one.value, '$.judge'), part.key FROM runs_app_output AS o, "
        "json_each(o.judgements) AS one, json_each(one.value) AS part WHERE o.run_id = %s"
    )
    found: dict[str, set[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(pairs, [run.pk])
        for judge, part in cursor.fetchall():
            if part in PARTS:
                found.setdefault(judge, set()).add(part)
    return [{"judge": judge, "parts": sorted(found[judge])} for judge in sorted(found)]


def suite_split(run: Run) -> tuple[list[MetricIdentity], list[JudgedMetric]]:
    """Return the suite's metrics that need no judgement, and the judged ones for each of the run's judges."""
    plain: list[MetricIdentity] = []
    judged: list[JudgedMetric] = []
    for text in run.suite_version.metrics:
        base = MetricIdentity.parse(text)
        part = judged_part(base.name)
        if not part:
            plain.append(base)
            continue
        judged += [JudgedMetric(base, one["judge"]) for one in run.judges if part in one["parts"]]
    return plain, judged


def judge_warnings(run: Run, reported: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return warnings of metrics that nobody judged anything for, and of judges beyond the limit."""
    parts = {part for one in reported for part in one["parts"]}
    names = dict.fromkeys(MetricIdentity.parse(text).name for text in run.suite_version.metrics)
    absent = [name for name in names if judged_part(name) and judged_part(name) not in parts]
    left_out = [one["judge"] for one in reported[MAX_RUN_JUDGES:]]
    return [
        *([{"code": "judgements_absent", "metrics": absent}] if absent else []),
        *([{"code": "judges_left_out", "judges": left_out, "limit": MAX_RUN_JUDGES}] if left_out else []),
    ]


def judgements_by_judge(
    rows: Iterable[tuple[str, int, Sequence[Mapping[str, Any]]]],
) -> dict[str, dict[tuple[str, int], Judgements]]:
    """Return judge → (external id, repeat) → what it found, from rows of external id, repeat, kept judgements."""
    found: dict[str, dict[tuple[str, int], Judgements]] = {}
    for external_id, repeat, records in rows:
        for record in records:
            found.setdefault(record["judge"], {})[external_id, repeat] = judgements_of(record)
    return found


def external_records_make(identities: Iterable[MetricIdentity]) -> None:
    """Make the records of judged or composed metrics that are new, as external ones."""
    wanted = {identity.text: identity for identity in identities}
    known = set(MetricRecord.objects.filter(identity__in=sorted(wanted)).values_list("identity", flat=True))
    rows = []
    for text in sorted(wanted.keys() - known):
        identity = wanted[text]
        spec = METRICS.get(identity.name)
        family = spec.family if spec else identity.name.partition(".")[0]
        higher = spec.higher_is_better if spec else True
        rows.append((text, identity.name, family, identity.stage or "", "external", higher))
    rows_write(MetricRecord, ("identity", "name", "family", "stage", "origin", "higher_is_better"), rows)
