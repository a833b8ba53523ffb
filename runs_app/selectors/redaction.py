"""What of a decision's figures a reader may see where the runs stand on a frozen split (docs/comparisons.md).

Holders of `read`, and everyone on a dev split, see all. Others see groups of at least k items, rounded values, and
nothing where fewer than k answers or scores differ, so that changing one answer gives no item's score away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import Forbidden
from datasets_app import policies as dataset_policies
from datasets_app.states import Level
from runs_app.models import Run
from runs_app.policies import policy

#: Decimals that those without `read` see of a frozen split's figures.
SHOWN_DIGITS = 2


def require_aggregates(actor: Actor, run: Run) -> None:
    """Raise `Forbidden` where the run is on a frozen split and the actor lacks the level `aggregate`."""
    if run.is_frozen_split and not dataset_policies.policy.has_level(
        actor, run.dataset_version.dataset, Level.AGGREGATE
    ):
        raise Forbidden(
            _("Results over this frozen split need the level “aggregate”. Ask a steward of the team for a grant."),
            code="level_required",
        )


@dataclass(frozen=True, slots=True)
class Redaction:
    """`limit` is the disclosure limit k; 0 where the reader may see everything."""

    limit: int

    @property
    def active(self) -> bool:
        return self.limit > 0

    def number(self, value: float | None) -> float | None:
        """Return the value, rounded where needed; a rounded zero has no sign."""
        if value is None or not self.active:
            return value
        return round(value, SHOWN_DIGITS) + 0.0

    def small(self, count: int | None) -> bool:
        """Return whether a count stands for fewer items than may be shown."""
        return count is not None and 0 < count < self.limit

    def count(self, count: int | None) -> int | None:
        """Return the count, or None where it is too small to be shown."""
        return None if self.small(count) else count

    def counts(self, counts: Mapping[str, int]) -> dict[str, int | None]:
        """Return counts by state, those that are too small as None."""
        return {state: self.count(n) for state, n in counts.items()}

    def part(self, n: int, total: int) -> int | None:
        """Return n of total, or None where n or what is left of the total is too small."""
        return None if self.small(n) or self.small(total - n) else n


def redaction_for(actor: Actor, run: Run) -> Redaction:
    """Return what is hidden from the actor in figures about this run."""
    if policy.may_read_items(actor, run):
        return Redaction(limit=0)
    return Redaction(limit=run.dataset_version.dataset.disclosure_limit)


def is_twin(run: Run) -> bool:
    """Return whether another run of the system differs from this one in too few outputs (found when the run completed)."""
    return any(warning.get("code") == "too_few_changes" for warning in run.warnings)


def shown_row(row: Mapping[str, Any], overall: Mapping[str, Any], redaction: Redaction, hidden: str) -> dict[str, Any]:
    """Return one comparison row as the reader may see it; `overall` is the same metric's row over all items.

    `hidden` is the reason for which the whole comparison is closed, if any; a row alone may be closed for its group's
    size or because too few of its items differ.
    """
    shown = {key: value for key, value in row.items() if key not in {"movers", "seed"}}
    if not redaction.active:
        return {**shown, "seed": row["seed"], "hidden": ""}
    n, of_all = row["n"], overall["n"]
    changed = row["wins"] + row["losses"] + _total(row["only_in_baseline"]) + _total(row["only_in_candidate"])
    if not hidden and (0 < n < redaction.limit or redaction.small(of_all - n)):
        hidden = "group_too_small"
    if not hidden and redaction.small(changed):
        hidden = "too_few_changes"
    if hidden:
        return {**shown, **_CLOSED, "hidden": hidden}
    triple = [row["wins"], row["ties"], row["losses"]]
    open_triple = not any(redaction.small(count) for count in triple)
    worst = row["worst_case"]
    return {
        **shown,
        **{key: redaction.number(row[key]) for key in ("estimate", "low", "high", "p_value", "p_adjusted")},
        **{side: _side(row[side], row["n_total"], redaction) for side in ("baseline", "candidate")},
        "worst_case": None if worst is None else {key: redaction.number(value) for key, value in worst.items()},
        "n": redaction.part(n, row["n_total"]),
        "both_missing": redaction.count(row["both_missing"]),
        "only_in_baseline": redaction.counts(row["only_in_baseline"]),
        "only_in_candidate": redaction.counts(row["only_in_candidate"]),
        **dict(zip(("wins", "ties", "losses"), triple if open_triple else [None] * 3, strict=True)),
        "warnings": [],
        "hidden": "",
    }


_CLOSED: dict[str, Any] = {
    **dict.fromkeys(
        ("estimate", "low", "high", "p_value", "p_adjusted", "n", "n_clusters", "verdict", "wins", "ties", "losses")
    ),
    **{side: {"value": None, "n": None} for side in ("baseline", "candidate")},
    "both_missing": None,
    "only_in_baseline": {},
    "only_in_candidate": {},
    "worst_case": None,
    "warnings": [],
}


def _side(side: Mapping[str, Any], total: int, redaction: Redaction) -> dict[str, Any]:
    return {"value": redaction.number(side["value"]), "n": redaction.part(side["n"], total)}


def _total(counts: Mapping[str, int]) -> int:
    return sum(counts.values())
