"""The policy that a new gate starts from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def _prefer(identities: Sequence[str], name: str, stage: str) -> str | None:
    found = [identity for identity in identities if identity.partition("@")[0].split()[0] == name]
    staged = [identity for identity in found if f"stage={stage}" in identity.split()]
    return next(iter([*staged, *found]), None)


def default_rules(identities: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return a first policy; with a retrieval floor where `identities` (a suite's metrics) has evidence recall.

    Task success must not fall by more than 0.05, at most 20 % of the unanswerable questions may be answered as fact,
    and at most 2 % of the outputs may be missing: figures to start from, to be set by what a release can bear.
    """
    rules: list[dict[str, Any]] = [
        {"kind": "non_inferiority", "metric": "answers.task_success", "margin": 0.05},
        {"kind": "ceiling", "metric": "refusal.false_accept", "limit": 0.2, "on": "value"},
    ]
    recall = _prefer(identities, "retrieval.evidence_recall", "prompt")
    if recall is not None:
        rules.append({"kind": "floor", "metric": recall, "limit": 0.5, "on": "low"})
    rules += [
        {"kind": "max_missing", "share": 0.02},
        {"kind": "split_not_spent"},
    ]
    return rules
