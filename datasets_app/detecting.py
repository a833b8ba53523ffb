"""What difference a set of items can show: their clusters and types held against assumptions or a pilot run.

The statistics stand in `scoring.stats`; here items become what these take.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from datasets_app.models import DatasetVersion, VersionEntry
from scoring.stats.detectable import DEFAULT_ICC, Detectable, detectable_by_type
from scoring.types import EvalItem

POWER = 0.8
ALPHA = 0.05
#: Share of right answers taken where no pilot run tells.
DEFAULT_RATE = 0.8
#: Correlation of two systems' scores on the same item.
CORRELATION = 0.5
#: The smallest difference that matters by default (docs/comparisons.md): what `needed` is for.
WANTED = 0.03
#: A set that shows no difference of this size is worth a look: a release seldom moves more.
COARSE = 0.1


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What the figures rest on. `pilot` is the run that rate and intra-cluster correlation come from, "" for none."""

    rate: float = DEFAULT_RATE
    icc: float = DEFAULT_ICC
    pilot: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {
            "baseline_rate": self.rate,
            "icc": self.icc,
            "correlation": CORRELATION,
            "power": POWER,
            "alpha": ALPHA,
            "wanted_difference": WANTED,
            "pilot": self.pilot or None,
        }


def items_of(rows: Iterable[tuple[str, str, tuple[str, ...], str | None]]) -> list[EvalItem]:
    """Return items from (external id, cluster, types, id of the original that it perturbs).

    A perturbed item without a cluster takes its original's, as in comparisons.
    """
    listed = list(rows)
    clusters = {external_id: cluster for external_id, cluster, _types, _original in listed if cluster}
    return [
        EvalItem(
            external_id,
            types=types,
            cluster=cluster or (clusters.get(original, original) if original else ""),
        )
        for external_id, cluster, types, original in listed
    ]


def detectable(items: Iterable[EvalItem], assumed: Assumptions) -> list[Detectable]:
    """Return what the items can show: all of them first, then each question type."""
    return detectable_by_type(
        items,
        wanted=WANTED,
        rate=assumed.rate,
        correlation=CORRELATION,
        icc=assumed.icc,
        power=POWER,
        alpha=ALPHA,
    )


def _types(facets: str) -> tuple[str, ...]:
    return tuple(part[5:] for part in facets.strip("|").split("|") if part.startswith("type:"))


def split_items(version_id: int, split: str) -> list[EvalItem]:
    """Return the split's items with cluster and types alone."""
    rows = VersionEntry.objects.filter(version_id=version_id, split=split).order_by("id")
    names = (
        "item__external_id", "revision__cluster", "facets", "revision__content__perturbs__external_id",
    )  # fmt: skip
    return items_of(
        (external_id, cluster, _types(facets), original) for external_id, cluster, facets, original in
        rows.values_list(*names)
    )  # fmt: skip


@lru_cache(maxsize=256)
def _of_frozen(version_id: int, _digest: str, split: str, assumed: Assumptions) -> tuple[Detectable, ...]:
    return tuple(detectable(split_items(version_id, split), assumed))


def version_detectable(version: DatasetVersion, split: str, assumed: Assumptions) -> list[Detectable]:
    """Return what a split can show. A frozen version never changes, so its figures are computed once in a process."""
    if version.is_open or not version.content_sha256:
        return detectable(split_items(version.pk, split), assumed)
    return list(_of_frozen(version.pk, version.content_sha256, split, assumed))


def of_contents(contents: Mapping[str, Mapping[str, Any]]) -> Detectable:
    """Return what all of these items (external id → content) can show together, by the default assumptions."""
    rows = (
        (external_id, content.get("cluster") or "", (), (content.get("perturbs") or {}).get("external_id"))
        for external_id, content in contents.items()
    )
    return detectable(items_of(rows), Assumptions())[0]
