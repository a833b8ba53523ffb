"""What of a decision's figures a reader may see where the runs stand on a frozen split (docs/comparisons.md).

Holders of `read`, and everyone on a dev split, see all. Others see groups of at least k items, rounded values, and
nothing where fewer than k answers differ, so that changing one answer gives no item's score away.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
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
    """Return whether another run of the system differs from this one in too few outputs (found at its completion)."""
    return any(warning.get("code") == "too_few_changes" for warning in run.warnings)


def shown_rows(rows: Sequence[Mapping[str, Any]], redaction: Redaction, hidden: str) -> list[dict[str, Any]]:
    """Return a comparison's rows as the reader may see them; `hidden` is a reason to close all of them, if any."""
    if not redaction.active:
        kept = ({key: value for key, value in row.items() if key not in _ITEMS} for row in rows)
        return [{**_LATER, **row, "hidden": ""} for row in kept]
    overall = {row["metric"]: row for row in rows if row["group"] == "all"}
    reasons = [hidden or _reason(row, overall[row["metric"]], redaction) for row in rows]
    sets: dict[tuple[str, str], list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        if row["group"] != "all":
            sets[row["metric"], row["group"]].append(index)
    for members in sets.values():
        _close_second(rows, reasons, members, redaction)
    return [_shown(row, redaction, reason) for row, reason in zip(rows, reasons, strict=True)]


def _reason(row: Mapping[str, Any], overall: Mapping[str, Any], redaction: Redaction) -> str:
    small = redaction.small(row["n"]) or redaction.small(overall["n"] - row["n"])
    return "group_too_small" if small else ""


def _close_second(
    rows: Sequence[Mapping[str, Any]], reasons: list[str], members: Sequence[int], redaction: Redaction
) -> None:
    """Close further groups until those closed reach the limit: else the whole less the rest gives them away."""
    closed = [index for index in members if reasons[index]]
    size = sum(rows[index]["n"] for index in closed)
    for index in sorted(members, key=lambda one: (rows[one]["n"], rows[one]["group_value"])):
        if not closed or size >= redaction.limit:
            return
        if not reasons[index]:
            reasons[index] = "group_too_small"
            size += rows[index]["n"]


def _shown(row: Mapping[str, Any], redaction: Redaction, hidden: str) -> dict[str, Any]:
    shown = {**_LATER, **{key: value for key, value in row.items() if key not in {*_ITEMS, "seed"}}}
    if hidden:
        return {**shown, **_CLOSED, "n_total": row["n_total"] if row["group"] == "all" else None, "hidden": hidden}
    n = row["n"]
    triple = [row["wins"], row["ties"], row["losses"]]
    open_triple = not any(redaction.small(count) for count in triple)
    worst = row["worst_case"]
    return {
        **shown,
        **{key: redaction.number(shown[key]) for key in _ROUNDED},
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


#: What names items.
_ITEMS = frozenset({"movers", "unpaired"})
#: Fields that comparisons lack which were made before there were any.
_LATER: dict[str, Any] = {
    "noise_source": "none",
    **dict.fromkeys(("judge_noise", "repeat_noise", "detectable")),
}
_ROUNDED = (
    "estimate", "low", "high", "p_value", "p_adjusted", "noise", "judge_noise", "repeat_noise", "detectable",
)  # fmt: skip
_CLOSED: dict[str, Any] = {
    **dict.fromkeys(("n", "n_clusters", "verdict", "wins", "ties", "losses", "noise_source", *_ROUNDED)),
    **{side: {"value": None, "n": None} for side in ("baseline", "candidate")},
    "both_missing": None,
    "only_in_baseline": {},
    "only_in_candidate": {},
    "worst_case": None,
    "warnings": [],
}


def _side(side: Mapping[str, Any], total: int, redaction: Redaction) -> dict[str, Any]:
    return {"value": redaction.number(side["value"]), "n": redaction.part(side["n"], total)}
