"""Reports as text: JUnit that parses, markdown that stays a table, CSV that runs nothing."""

from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils import translation

from core_app.csv import csv_lines
from runs_app.reports.junit import case_name, check_junit
from runs_app.reports.markdown import cell, check_markdown, comparison_markdown, run_markdown
from runs_app.reports.tables import CHECK_HEADER, COMPARISON_HEADER, RUN_HEADER, check_rows, comparison_rows, run_rows

RUN = {
    "id": "run_1",
    "system": "support/assistant",
    "version": "v2",
    "dataset": "support/kb@1",
    "split": "dev",
    "tier": "",
    "manifest_sha256": "f" * 64,
}


def rule(verdict: str, **fields: Any) -> dict[str, Any]:
    return {
        "rule": "task success is at least 0.5",
        "kind": "floor",
        "metric": "answers.task_success v1",
        "group": None,
        "verdict": verdict,
        "limit": 0.5,
        "observed": 0.61234,
        "interval": [0.55, 0.67],
        "worst": {"observed": 0.6, "interval": [0.5, 0.65]},
        "n": 40,
        "n_total": 42,
        "n_clusters": 40,
        "n_missing": 2,
        "states": {"judge_failed": 2},
        "noise": None,
        "noise_source": "",
        "noise_note": "",
        "code": "holds",
        "reason": "It holds.",
        "hidden": False,
        **fields,
    }


def check(*rules: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "id": "chk_1",
        "gate": "support/release",
        "policy_version": 3,
        "run": "run_1",
        "baseline": None,
        "verdict": "fail",
        "effective_verdict": "fail",
        "created_at": datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
        "url": "https://example.org/t/support/gates/release/checks/chk_1/",
        "rules": list(rules),
        "run_detail": RUN,
        "baseline_detail": None,
        "manifest_sha256": "a" * 64,
        "rounded": False,
        **fields,
    }


def test_junit_has_a_case_for_each_rule_and_stops_on_all_that_does_not_pass() -> None:
    view = check(
        rule("pass"),
        rule("fail", metric="a.b v1"),
        rule("inconclusive", metric="c.d v1", observed=None, interval=None, worst=None, n=None, states={}),
        rule("error", metric="e.f v1", code="metric_not_in_run"),
    )
    root = ElementTree.fromstring(check_junit(view))
    assert (root.tag, root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == (
        "testsuites",
        "4",
        "2",
        "1",
    )
    cases = list(root.iter("testcase"))
    assert [case.attrib["name"] for case in cases] == [
        "floor answers.task_success v1",
        "floor a.b v1",
        "floor c.d v1",
        "floor e.f v1",
    ]
    assert [child.tag for case in cases for child in case] == ["system-out", "failure", "failure", "error"]
    assert [case[0].attrib.get("type") for case in cases] == [None, "fail", "inconclusive", "metric_not_in_run"]
    properties = {row.attrib["name"]: row.attrib["value"] for row in root.iter("property")}
    assert (properties["verdict"], properties["baseline"], properties["policy_version"]) == ("fail", "", "3")
    assert "observed 0.612 [0.550, 0.670]" in (cases[1][0].text or "")


def test_names_of_cases_are_the_same_in_every_language() -> None:
    view = check(rule("fail", group={"type": "事实"}))
    with translation.override("zh-hans"):
        name = next(ElementTree.fromstring(check_junit(view)).iter("testcase")).attrib["name"]
    assert name == case_name(view["rules"][0]) == "floor answers.task_success v1 type=事实"


@pytest.mark.parametrize("nasty", ["<b>&\"'", "]]>", "\x00\x08\x1b", "\ud800", "表\u200b"])
def test_junit_stays_valid_xml_whatever_names_hold(nasty: str) -> None:
    view = check(rule("fail", rule=nasty, reason=nasty, metric=nasty), gate=nasty)
    root = ElementTree.fromstring(check_junit(view))
    assert len(list(root.iter("failure"))) == 1


def test_markdown_of_a_check_is_one_table_row_a_rule() -> None:
    text = check_markdown(check(rule("pass"), rule("fail", rule="a | b <img> `x`")))
    lines = text.splitlines()
    assert lines[0] == "## ❌ fail · support/release"
    rows = [line for line in lines if line.startswith("| ")]
    assert len(rows) == 4
    assert rows[2].startswith(
        "| task success is at least 0.5 | ✅ pass | 0.612 | \\[0.550, 0.670] | 0.600 | 40 | 0.500 |"
    )
    assert "a \\| b &lt;img&gt; \\`x\\`" in rows[3]
    assert text.rstrip().endswith("/t/support/gates/release/checks/chk_1/")


def test_a_cell_notifies_nobody_and_breaks_no_line() -> None:
    assert "@everyone" not in cell("@everyone")
    assert "\n" not in cell("a\nb")


COMPARED = {
    "metric": "answers.task_success v1",
    "origin": "ours",
    "calibrated": True,
    "higher_is_better": True,
    "group": "all",
    "group_value": "",
    "baseline": {"value": 0.5, "n": 40},
    "candidate": {"value": 0.75, "n": 40},
    "estimate": 0.25,
    "low": 0.12,
    "high": 0.38,
    "p_value": 0.001,
    "p_adjusted": 0.002,
    "n": 40,
    "n_total": 40,
    "n_clusters": 40,
    "eps": 0.03,
    "noise": 0.0,
    "noise_source": "none",
    "judge_noise": None,
    "repeat_noise": None,
    "noise_note": "",
    "detectable": None,
    "verdict": "improved",
    "wins": 10,
    "ties": 30,
    "losses": 0,
    "method": "cluster bootstrap, BCa",
    "hidden": "",
}
CLOSED = {
    **COMPARED,
    **dict.fromkeys(("estimate", "low", "high", "p_value", "p_adjusted", "n", "n_clusters", "verdict")),
    "baseline": {"value": None, "n": None},
    "candidate": {"value": None, "n": None},
    "hidden": "group_too_small",
}


def comparison(**fields: Any) -> dict[str, Any]:
    return {
        "comparable": True,
        "hidden": "",
        "hidden_reason": "",
        "rounded": False,
        "baseline": {**RUN, "version": "v1"},
        "candidate": RUN,
        "differences": [{"field": "system.version", "blocking": False, "baseline": "v1", "candidate": "v2"}],
        "results": [COMPARED, {**CLOSED, "group": "type", "group_value": "fact"}],
        "url": "/x",
        **fields,
    }


def test_markdown_of_a_comparison() -> None:
    text = comparison_markdown(comparison())
    figures = "0.500 | 0.750 | +0.250 | \\[+0.120, +0.380] | 0.002 | 40 | 40 | 0.030"
    assert f"| answers.task_success v1 | all | {figures} | – | ▲ improved |" in text
    assert "type: fact" not in text
    assert "| system.version | v1 | v2 | no |" in text


def test_markdown_of_a_comparison_says_the_noise_and_what_an_inconclusive_set_can_detect() -> None:
    note = "Values are for comparison; the judge's noise is ±0.020."
    fields = {"noise": 0.02, "noise_source": "judge", "verdict": "inconclusive", "detectable": 0.11, "noise_note": note}
    text = comparison_markdown(comparison(results=[{**COMPARED, **fields}]))
    assert "| 0.030 | ±0.020 | ❔ inconclusive (this set can detect differences from 0.110) |" in text
    assert f"- answers.task_success v1: {note}" in text
    once = comparison_markdown(comparison(results=[{**COMPARED, "noise_source": "unknown"}]))
    assert "| 0.030 | unknown | ▲ improved |" in once


@pytest.mark.parametrize(
    "name", ["see https://evil.example/x", "HTTP://evil.example", "www.evil.example", "mailto:a", "ftp://evil.example"]
)
def test_a_cell_makes_no_link_of_a_bare_address(name: str) -> None:
    assert name.rpartition(" ")[2] not in cell(name)
    assert cell(name).replace("\u200b", "") == name


def test_a_cell_leaves_other_colons_and_dots_alone() -> None:
    assert cell("type: fact v1.2 rerank@5".replace("@", "")) == "type: fact v1.2 rerank5"


def test_markdown_of_runs_that_cannot_be_compared_and_of_a_closed_comparison() -> None:
    assert "can’t be compared" in comparison_markdown(comparison(comparable=False, results=[]))
    closed = comparison_markdown(comparison(hidden="too_few_changes", hidden_reason="Too few answers differ"))
    assert "Too few answers differ" in closed
    assert "0.750" not in closed


def test_tables_have_a_cell_for_each_column() -> None:
    assert [len(row) for row in comparison_rows(comparison())] == [len(COMPARISON_HEADER)] * 2
    assert [len(row) for row in check_rows(check(rule("pass"), rule("fail", interval=None, worst=None)))] == [
        len(CHECK_HEADER)
    ] * 2


def test_a_run_as_markdown_and_csv() -> None:
    row = {
        "metric": "answers.task_success v1", "group": "type", "group_value": "=cmd()", "value": 0.5, "low": 0.4,
        "high": 0.6, "n_scored": 38, "n_total": 40, "states": {"undetermined": None},
        "noise_note": "Values are for comparison.",
    }  # fmt: skip
    view = {
        **RUN,
        "rounded": True,
        "summary": [row],
        "answering": {"matrix": None, "hallucination": None, "refusal": None},
        "risk_coverage": {"points": [], "threshold": None, "at_threshold": None},
        "robustness": {"kinds": []},
    }
    assert "| type: =cmd() | 0.500 | \\[0.400, 0.600] | 38 | 40 | undetermined few |" in run_markdown(view)
    assert "values are rounded" in run_markdown(view)
    text = "".join(csv_lines(RUN_HEADER, run_rows(view)))
    assert "'=cmd()" in text
    assert "undetermined=few" in text
