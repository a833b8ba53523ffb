"""Markdown of a run's refusals, risk against coverage and robustness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from runs_app.perturbations import perturbation_name
from runs_app.reports.text import NOTHING, count, counts, interval, number
from runs_app.selectors.risk_coverage import points_shown

#: Points of the curve in a report that has to fit a comment.
POINTS = 11


def _rate(part: Mapping[str, Any] | None) -> str:
    if part is None or part["value"] is None:
        return NOTHING
    n = part["n_scored"] if "n_scored" in part else part["n"]
    return f"{number(part['value'])} {interval(part['low'], part['high'])} (n {count(n)})"


def _change(part: Mapping[str, Any] | None) -> str:
    if part is None or part["estimate"] is None:
        return NOTHING
    figures = f"{number(part['estimate'], signed=True)} {interval(part['low'], part['high'], signed=True)}"
    clusters = "" if part["n_clusters"] is None else f", {_('clusters')} {part['n_clusters']}"
    return f"{figures} {part['verdict'] or ''} (n {count(part['n'])}{clusters})"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def answering_lines(view: Mapping[str, Any]) -> list[str]:
    """Return wrong answers and refusals beside each other, and the outputs by answerability and outcome."""
    lines = [
        f"### {_('Wrong answers and refusals')}",
        "",
        f"- {_('Wrong among the answers given')}: {_rate(view['hallucination'])}",
        f"- {_('Refused among the answerable items')}: {_rate(view['refusal'])}",
    ]
    if view["matrix"]:
        for name, label in (("answerable", _("Answerable")), ("unanswerable", _("Not answerable"))):
            lines.append(f"- {label}: {counts(view['matrix'][name])}")
    return [*lines, ""]


def risk_lines(view: Mapping[str, Any]) -> list[str]:
    """Return AURC, the curve at a few points, and what the locked threshold gives."""
    locked, at = view["threshold"], view["at_threshold"]
    lines: list[str] = []
    if view["points"]:
        lines += [f"AURC {number(view['aurc'])} (n {count(view['n'])})"]
        if view["left_out"]:
            lines += ["", _("Left out: %(counts)s") % {"counts": counts(view["left_out"])}]
        lines += ["", _line([_("Confidence from"), _("Coverage"), _("Risk"), "n"]), "| ---: | ---: | ---: | ---: |"]
        for point in points_shown(view["points"], POINTS):
            cells = [number(point["threshold"]), number(point["coverage"]), number(point["risk"])]
            lines.append(_line([*cells, count(point["answered"])]))
    if locked is not None:
        text = _("Threshold in force when this run was created:")
        lines += ["", f"{text} {number(locked['threshold'])} `{locked['id']}`"]
    if at is not None:
        lines += [f"- {_('Coverage')}: {_rate(at['coverage'])}", f"- {_('Risk')}: {_rate(at['risk'])}"]
    return [f"### {_('Risk against coverage')}", "", *lines, ""] if lines else []


def robustness_lines(view: Mapping[str, Any]) -> list[str]:
    """Return one row a kind of perturbation."""
    if not view["kinds"]:
        return []
    header = [
        _("Kind"), _("Pairs"), _("Task success"), _("False accepts"), _("Refusals"), _("Citations changed"),
        _("Attacks that succeeded"), _("Task success beside them"),
    ]  # fmt: skip
    lines = [f"### {_('Robustness')}", "", _line(header), _line(["---"] * len(header))]
    for row in view["kinds"]:
        changes = [_change(row[name]) for name in ("task_success", "false_accepts", "refusals")]
        rates = [_rate(row[name]) for name in ("citations_changed", "attack_success", "utility")]
        # Imported kinds are words of one team: what would end a cell or make a link is taken out.
        name = "".join(sign for sign in str(perturbation_name(row["kind"])) if sign.isalnum() or sign in " _-")
        lines.append(_line([name, count(row["pairs"]), *changes, *rates]))
    return [*lines, ""]
