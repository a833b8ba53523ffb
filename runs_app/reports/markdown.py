"""Markdown, short enough for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from runs_app.reports.answering import answering_lines, risk_lines, robustness_lines
from runs_app.reports.text import NOTHING, count, counts, group_name, interval, number, run_name

#: What renderers take for an address: a scheme before `//`, `mailto:` and its like, or `www.`
_ADDRESS = re.compile(r"(?:https?|ftp)://|(?:mailto|xmpp):|www\.", re.IGNORECASE)
#: Shapes beside the words, so that a verdict is seen without colour.
SHAPES = {
    "pass": "✅",
    "fail": "❌",
    "inconclusive": "❔",
    "error": "⚠️",
    "improved": "▲",
    "regressed": "▼",
    "equivalent": "＝",
}


def cell(value: Any) -> str:
    """Return text that stays inside a table cell and is no markup: names come from people."""
    text = str(value)
    for sign, safe in (
        ("\\", "\\\\"),
        ("|", "\\|"),
        ("<", "&lt;"),
        (">", "&gt;"),
        ("`", "\\`"),
        ("[", "\\["),
        ("@", "@\u200b"),
    ):
        text = text.replace(sign, safe)
    # Renderers make links of bare addresses: a name from a person must not lead a reader anywhere.
    text = _ADDRESS.sub(lambda found: found[0].replace(":", ":\u200b").replace(".", ".\u200b"), text)
    return " ".join(text.split())


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    marks = ["---:" if index in right else "---" for index in range(len(header))]
    return [
        "| " + " | ".join(header) + " |",
        "| " + " | ".join(marks) + " |",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def _word(verdict: str | None) -> str:
    return NOTHING if verdict is None else f"{SHAPES.get(verdict, '')} {verdict}".strip()


def _foot(view: Mapping[str, Any]) -> list[str]:
    lines = []
    if view.get("rounded"):
        lines.append(_("Frozen split: values are rounded; groups and counts under the disclosure limit are left out."))
    return lines


def check_markdown(view: Mapping[str, Any]) -> str:
    """Return one gate verdict with each rule's figures."""
    lines = [
        f"## {_word(view['effective_verdict'])} · {cell(view['gate'])}",
        "",
        _("Run %(run)s, policy version %(version)s.")
        % {"run": cell(run_name(view["run_detail"])), "version": view["policy_version"]},
    ]
    if view["baseline_detail"]:
        lines.append(_("Baseline %(run)s.") % {"run": cell(run_name(view["baseline_detail"]))})
    header = [
        _("Rule"), _("Verdict"), _("Observed"), _("Interval (95 %)"), _("Missing as worst"), "n", _("Limit"),
        _("Reason"),
    ]  # fmt: skip
    lines += ["", *_table(header, [_rule_cells(rule) for rule in view["rules"]], right=(2, 3, 4, 5, 6))]
    lines += ["", *_foot(view), f"`manifest sha256 {view['manifest_sha256']}`", "", str(view["url"])]
    return "\n".join(lines) + "\n"


def _rule_cells(rule: Mapping[str, Any]) -> list[str]:
    low, high = rule["interval"] or (None, None)
    worst = rule["worst"] or {"observed": None}
    return [
        cell(rule["rule"]),
        _word(rule["verdict"]),
        number(rule["observed"]),
        cell(interval(low, high)),
        number(worst["observed"]),
        count(rule["n"]),
        number(rule["limit"]),
        cell(" ".join(part for part in (rule["reason"], rule["noise_note"]) if part)),
    ]


def comparison_markdown(view: Mapping[str, Any]) -> str:
    """Return a comparison: overall rows first, then groups, then what differs."""
    lines = [
        f"## {_('Comparison')}",
        "",
        _("Baseline %(run)s.") % {"run": cell(run_name(view["baseline"]))},
        _("Candidate %(run)s.") % {"run": cell(run_name(view["candidate"]))},
        "",
    ]
    if not view["comparable"]:
        lines.append(f"**{_('The runs can’t be compared, because these differ:')}**")
    elif view["hidden"]:
        lines.append(cell(view["hidden_reason"]))
    else:
        overall = [row for row in view["results"] if row["group"] == "all"]
        groups = [row for row in view["results"] if row["group"] != "all" and not row["hidden"]]
        lines += [*_comparison_table(overall), *_noise_lines(overall)]
        if groups:
            lines += [
                "",
                "<details><summary>" + _("By group") + "</summary>",
                "",
                *_comparison_table(groups),
                "",
                "</details>",
            ]
    if view["differences"]:
        rows = [
            [
                cell(row["field"]),
                cell(row["baseline"]),
                cell(row["candidate"]),
                _("yes") if row["blocking"] else _("no"),
            ]
            for row in view["differences"]
        ]
        lines += ["", f"### {_('What differs')}", ""]
        lines += _table([_("Field"), _("Baseline"), _("Candidate"), _("Keeps from comparing")], rows)
    lines += ["", *_foot(view), str(view["url"])]
    return "\n".join(lines) + "\n"


def _comparison_table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    header = [
        _("Metric"), _("Group"), _("Baseline"), _("Candidate"), _("Difference"), _("Interval (95 %)"), _("p (Holm)"),
        "n", _("Clusters"), "eps", _("Noise"), _("Verdict"),
    ]  # fmt: skip
    return _table(header, [_comparison_cells(row) for row in rows], right=range(2, 11))


def _comparison_cells(row: Mapping[str, Any]) -> list[str]:
    note = "" if row["calibrated"] else f" ({_('not calibrated')})"
    return [
        cell(row["metric"]) + note,
        cell(group_name(row)),
        number(row["baseline"]["value"]),
        number(row["candidate"]["value"]),
        number(row["estimate"], signed=True),
        cell(interval(row["low"], row["high"], signed=True)),
        number(row["p_adjusted"]),
        count(row["n"]),
        count(row["n_clusters"]),
        number(row["eps"]),
        _noise(row),
        " ".join([_word(row["verdict"]), *_detects(row)]),
    ]


def _noise(row: Mapping[str, Any]) -> str:
    if row["noise_source"] in {"judge", "repeats"}:
        return f"±{number(row['noise'])}"
    return _("unknown") if row["noise_source"] == "unknown" else NOTHING


def _detects(row: Mapping[str, Any]) -> list[str]:
    if row["detectable"] is None:
        return []
    return ["(" + _("this set can detect differences from %(least)s") % {"least": number(row["detectable"])} + ")"]


def _noise_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return one line for each metric with something to say about its noise."""
    notes = {row["metric"]: row["noise_note"] for row in rows if row["noise_note"]}
    lines = [f"- {cell(metric)}: {cell(note)}" for metric, note in notes.items()]
    return ["", *lines] if lines else []


def run_markdown(view: Mapping[str, Any]) -> str:
    """Return a run's figures over all items, then by group."""
    lines = [
        f"## {cell(run_name(view))}",
        "",
        f"{cell(view['dataset'])} · {view['split']}" + (f" · {view['tier']}" if view["tier"] else ""),
        "",
        *_table(
            [_("Metric"), _("Group"), _("Value"), _("Interval (95 %)"), _("n scored"), "n", _("Not scored")],
            [_summary_cells(row) for row in view["summary"]],
            right=(2, 3, 4, 5),
        ),
        *_noise_lines(view["summary"]),
        "",
        *answering_lines(view["answering"]),
        *risk_lines(view["risk_coverage"]),
        *robustness_lines(view["robustness"]),
        *_foot(view),
        f"`manifest sha256 {view['manifest_sha256']}`",
    ]
    return "\n".join(lines) + "\n"


def _summary_cells(row: Mapping[str, Any]) -> list[str]:
    return [
        cell(row["metric"]),
        cell(group_name(row)),
        number(row["value"]),
        cell(interval(row["low"], row["high"])),
        count(row["n_scored"]),
        count(row["n_total"]),
        cell(counts(row["states"])),
    ]
