"""Metrics without one scored item: they leave the tables of figures and stand by themselves, with what they lack."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from core_app.actors import Actor
from runs_app.models import Comparison
from runs_app.selectors.disclosure import Figure
from runs_app.selectors.runs import figures_of


def is_unscored(figure: Figure) -> bool:
    """Return whether no item has a value; a figure that is hidden from the reader tells nothing of that."""
    return not figure.hidden and figure.n_scored == 0


def common_eps(rows: Sequence[dict[str, Any]]) -> float | None:
    """Return the smallest difference that matters, where all rows have the same; else None."""
    found = {row["eps"] for row in rows}
    return found.pop() if len(found) == 1 else None


def split_unscored(
    actor: Actor, comparison: Comparison, rows: Iterable[dict[str, Any]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows over all items, and the metrics that have no scored item in either run.

    The latter as `{"metric", "baseline", "candidate"}`, each side's counts by state as this reader may see them.
    """
    wholes = [row for row in rows if row["group"] == "all"]
    empty = {
        row["metric"] for row in wholes if not row["hidden"] and row["baseline"]["n"] == row["candidate"]["n"] == 0
    }
    if not empty:
        return wholes, []
    sides = {}
    for side, run in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        figures = figures_of(actor, run, groups=["all"])
        sides[side] = {figure.metric: figure.states for figure in figures if figure.metric in empty}
    unscored = [
        {"metric": row["metric"], **{side: states.get(row["metric"], {}) for side, states in sides.items()}}
        for row in wholes
        if row["metric"] in empty
    ]
    return [row for row in wholes if row["metric"] not in empty], unscored
