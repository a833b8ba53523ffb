"""The smallest difference that a version can detect, as pages and REST show it to this reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core_app.actors import Actor
from datasets_app.detecting import Assumptions, version_detectable
from datasets_app.models import DatasetVersion
from datasets_app.policies import DatasetAction, policy
from datasets_app.states import QuestionType, Split
from scoring.stats.detectable import DEFAULT_ICC, OVERALL, Detectable
from scoring.stats.power import design_effect


@dataclass(frozen=True, slots=True)
class Pilot:
    """What an earlier run on the split tells: `run` its id, `rate` its share of right answers over `n` items.

    `icc`: the intra-cluster correlation of its scores, None where no cluster holds two items. Both as the reader may
    see them.
    """

    run: str
    rate: float
    icc: float | None
    n: int


#: Takes the actor, the version and the split; None where the actor may read no run on it.
PilotSource = Callable[[Actor, DatasetVersion, str], Pilot | None]
_sources: list[PilotSource] = []


def register_pilot_source(source: PilotSource) -> None:
    """Add a place where pilots come from: runs stand above datasets, which know none of them."""
    if source not in _sources:
        _sources.append(source)


def assumptions_for(actor: Actor, version: DatasetVersion, split: str) -> Assumptions:
    """Return what is assumed of the split: from a pilot that the actor may read, else the defaults."""
    found = (source(actor, version, split) for source in _sources)
    pilot = next((one for one in found if one is not None and one.n > 1), None)
    if pilot is None:
        return Assumptions()
    # A run that got everything right, or nothing, tells no spread: one item more, right and wrong, does.
    least = 1.0 / (pilot.n + 2)
    rate = min(max(pilot.rate, least), 1.0 - least)
    return Assumptions(rate, DEFAULT_ICC if pilot.icc is None else max(0.0, pilot.icc), pilot.run)


def _sees_all(actor: Actor, version: DatasetVersion) -> bool:
    if version.is_open and policy.can(actor, DatasetAction.EDIT_TEST_ITEMS, version):
        return True
    return policy.may_read_protected(actor, version.dataset)


def _label(kind: str) -> str:
    return str(QuestionType(kind).label) if kind in QuestionType.values else kind


def _shown(row: Detectable, limit: int) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": row.type or None, "label": _label(row.type), "hidden": False}
    if row.type != OVERALL and row.n < limit:
        figures = ("n", "n_clusters", "cluster_size", "design_effect", "sd", "icc", "smallest", "needed")
        return {**shown, **dict.fromkeys(figures), "hidden": True}
    return {
        **shown,
        "n": row.n,
        "n_clusters": row.n_clusters,
        "cluster_size": row.cluster_size,
        "design_effect": design_effect(max(1.0, row.cluster_size), row.icc),
        "sd": row.sd,
        "icc": row.icc,
        "smallest": row.smallest,
        "needed": row.needed,
    }


def split_detectable(actor: Actor, version: DatasetVersion, split: str) -> dict[str, Any]:
    """Return `{"split", "assumptions", "rows"}`: all items first (`type` None), then each question type.

    A row: n, n_clusters, cluster_size (sum of m² / n), design_effect, sd of the paired difference, icc, `smallest`
    difference that is detected (None under two items), `needed` items for the wanted difference. On a test split a type
    with fewer items than the disclosure limit is `hidden` from those who may not read it.
    """
    assumed = assumptions_for(actor, version, split)
    is_closed = split == Split.FROZEN and not _sees_all(actor, version)
    limit = version.dataset.disclosure_limit if is_closed else 0
    rows = version_detectable(version, split, assumed)
    return {"split": split, "assumptions": assumed.as_dict(), "rows": [_shown(row, limit) for row in rows]}


def detectable_of(actor: Actor, version: DatasetVersion) -> list[dict[str, Any]]:
    """Return `split_detectable` of each split that holds items."""
    found = (split_detectable(actor, version, split) for split in Split.values)
    return [table for table in found if table["rows"] and table["rows"][0]["n"]]
