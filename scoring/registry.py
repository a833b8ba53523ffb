"""Every metric the platform computes without a model, by name."""

from __future__ import annotations

from typing import Any

from scoring import attack_success
from scoring.answers.correct import CORRECT
from scoring.answers.task_success import TASK_SUCCESS
from scoring.citations import accessible, locatable, support
from scoring.errors import MetricError
from scoring.freshness import metrics as freshness
from scoring.identity import MetricIdentity
from scoring.nuggets import metrics as nuggets
from scoring.refusal import metrics as refusals
from scoring.refusal import question_coverage
from scoring.retrieval import (
    acl_violation,
    ann_recall,
    ap,
    bpref,
    evidence_complete,
    evidence_recall,
    evidence_recall_budget,
    hit,
    judged,
    mrr,
    ndcg,
    precision,
    precision_returned,
    r_precision,
    rbp,
    recall,
    set_f,
)
from scoring.spec import MetricSpec, Param

__all__ = ["METRICS", "MetricError", "MetricIdentity", "MetricSpec", "Param", "identity", "spec_of"]

_RETRIEVAL = (
    hit,
    recall,
    evidence_recall,
    evidence_complete,
    precision,
    precision_returned,
    mrr,
    ndcg,
    ap,
    judged,
    evidence_recall_budget,
    r_precision,
    bpref,
    rbp,
    set_f,
    acl_violation,
)

METRICS: dict[str, MetricSpec] = {
    spec.name: spec
    for spec in (
        TASK_SUCCESS,
        CORRECT,
        *refusals.SPECS,
        question_coverage.SPEC,
        locatable.SPEC,
        accessible.SPEC,
        *support.SPECS,
        *nuggets.SPECS,
        *freshness.SPECS,
        attack_success.SPEC,
        ann_recall.SPEC,
        *(module.SPEC for module in _RETRIEVAL),
    )
}


def identity(name: str, stage: str | None = None, **params: Any) -> MetricIdentity:
    """The full identity of a registered metric with these parameters.

    Raises MetricError for an unknown name, an unknown or wrong parameter (k=0), or a stage given to a metric without
    one. Worked example: ``identity("retrieval.ndcg", stage="reranked", k=10).text`` is
    ``retrieval.ndcg@10 gain=linear stage=reranked v1``.
    """
    spec = METRICS.get(name)
    if spec is None:
        raise MetricError(f"unknown metric {name!r}")
    return spec.identity(stage=stage, **params)


def spec_of(metric: MetricIdentity) -> tuple[MetricSpec, dict[str, Any]]:
    """The spec and the checked parameters behind an identity; raises MetricError where the registry lacks it."""
    spec = METRICS.get(metric.name)
    if spec is None:
        raise MetricError(f"unknown metric {metric.name!r}")
    if metric.version != spec.version:
        raise MetricError(f"{metric.name}: version {metric.version} asked, this program computes {spec.version}")
    if metric.variant is not None or metric.judge is not None:
        raise MetricError(f"{metric.text}: has no variant and no judge")
    if metric.stage is not None and not spec.staged:
        raise MetricError(f"{metric.name}: does not read a stage, but {metric.stage!r} was given")
    return spec, spec.validated(metric.params)
