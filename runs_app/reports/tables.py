"""CSV tables of runs and comparisons: a header and rows, for `core_app.csv`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

RUN_HEADER = (
    "metric", "group", "group_value", "value", "low", "high", "n_scored", "n_total", "states",
)  # fmt: skip
COMPARISON_HEADER = (
    "metric", "origin", "calibrated", "higher_is_better", "group", "group_value", "baseline", "candidate", "difference",
    "low", "high", "p_value", "p_adjusted", "n", "n_total", "n_clusters", "eps", "noise", "noise_source", "judge_noise",
    "repeat_noise", "detectable", "verdict", "wins", "ties", "losses", "method", "hidden",
)  # fmt: skip
CHECK_HEADER = (
    "rule", "kind", "metric", "verdict", "observed", "low", "high", "worst", "limit", "n", "n_total", "n_missing",
    "noise", "reason",
)  # fmt: skip


def run_rows(view: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Yield one row for each aggregate of a run's view."""
    for row in view["summary"]:
        states = " ".join(f"{state}={'few' if n is None else n}" for state, n in row["states"].items())
        yield [*(row[name] for name in RUN_HEADER[:-1]), states]


def comparison_rows(view: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Yield one row for each metric and group of a comparison's view."""
    for row in view["results"]:
        flat = {
            **row,
            "baseline": row["baseline"]["value"],
            "candidate": row["candidate"]["value"],
            "difference": row["estimate"],
        }
        yield [flat[name] for name in COMPARISON_HEADER]


def check_rows(view: Mapping[str, Any]) -> Iterator[list[Any]]:
    """Yield one row for each rule of a gate check's view."""
    for rule in view["rules"]:
        low, high = rule["interval"] or (None, None)
        worst = rule["worst"]["observed"] if rule["worst"] else None
        flat = {**rule, "low": low, "high": high, "worst": worst}
        yield [flat[name] for name in CHECK_HEADER]
