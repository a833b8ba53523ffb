"""JUnit XML of a gate check: one test case a rule, so that build servers show each and stop on what does not pass."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from runs_app.reports.text import count, counts, interval, number, verdict_counts

#: XML 1.0 allows no other control characters, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _clean(text: Any) -> str:
    return _NOT_XML.sub("�", str(text))


def check_junit(view: Mapping[str, Any]) -> bytes:
    """Return the verdict as JUnit XML in UTF-8.

    The name of a case is its place and kind with metric and group, in no language, so that it stays the same from one
    check to the next. `fail` is a failure; `inconclusive` is a failure of type `inconclusive`, because a pipeline must
    stop on it too; `error` is an error.
    """
    found = verdict_counts(view["rules"])
    totals = {
        "tests": str(len(view["rules"])),
        "failures": str(found.get("fail", 0) + found.get("inconclusive", 0)),
        "errors": str(found.get("error", 0)),
        "skipped": "0",
        "time": "0",
    }
    root = ElementTree.Element("testsuites", {"name": _clean(view["gate"]), **totals})
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        {"name": _clean(view["gate"]), "timestamp": f"{view['created_at']:%Y-%m-%dT%H:%M:%S}", **totals},
    )
    properties = ElementTree.SubElement(suite, "properties")
    for name in ("verdict", "effective_verdict", "policy_version", "run", "baseline", "manifest_sha256", "url"):
        value = view[name]
        ElementTree.SubElement(properties, "property", {"name": name, "value": "" if value is None else _clean(value)})
    for rule in view["rules"]:
        _case(suite, view, rule)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def case_name(rule: Mapping[str, Any]) -> str:
    """Return the stable name of a rule, for example `floor retrieval.hit@5 stage=prompt v1 type=fact`."""
    group = rule["group"] or {}
    return " ".join(
        [rule["kind"], *([rule["metric"]] if rule["metric"] else []), *(f"{k}={v}" for k, v in group.items())]
    )


def _case(suite: ElementTree.Element, view: Mapping[str, Any], rule: Mapping[str, Any]) -> None:
    case = ElementTree.SubElement(
        suite, "testcase", {"classname": _clean(view["gate"]), "name": _clean(case_name(rule)), "time": "0"}
    )
    body = _clean(_figures(rule))
    message = _clean(f"{rule['rule']}: {rule['reason']}")
    if rule["verdict"] == "pass":
        ElementTree.SubElement(case, "system-out").text = body
    elif rule["verdict"] == "error":
        ElementTree.SubElement(case, "error", {"type": _clean(rule["code"]), "message": message}).text = body
    else:
        kind = "fail" if rule["verdict"] == "fail" else "inconclusive"
        ElementTree.SubElement(case, "failure", {"type": kind, "message": message}).text = body


def _figures(rule: Mapping[str, Any]) -> str:
    low, high = rule["interval"] or (None, None)
    lines = [
        rule["rule"],
        f"observed {number(rule['observed'])} {interval(low, high)}".rstrip(),
        f"limit {number(rule['limit'])}",
        f"n {count(rule['n'])} of {count(rule['n_total'])}",
    ]
    if rule["worst"]:
        low, high = rule["worst"]["interval"] or (None, None)
        lines.append(f"missing as worst {number(rule['worst']['observed'])} {interval(low, high)}".rstrip())
    if rule["states"]:
        lines.append(counts(rule["states"]))
    if rule["noise_note"]:
        lines.append(rule["noise_note"])
    return "\n".join(lines)
