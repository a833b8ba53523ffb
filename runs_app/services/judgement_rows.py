"""What a judge outside of this program, or people, found about a pushed output: read as data, faults by their place.

One record for each judge: `{"by": {"tool": "acme-nli", "version": "2"}, "claims": […], "nuggets": […],
"subquestions": […], "attack_succeeded": true}`; docs/runs.md says what each part holds. It is kept with the judge as
one text, `acme-nli@2` (people: `people:panel@guide-3`), which becomes part of the metrics' identities. Such a name
holds no slash, so it is never that of a judge of the platform.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from scoring.judgements import ASSIGNED, Judgements, SupportTable

MAX_JUDGES = 10
MAX_CLAIMS = 500
MAX_CLAIM_TEXT = 5_000
MAX_LIST = 500
#: The parts of a record, by which the metrics that need them are found (`services.judged`).
PARTS = ("claims", "nuggets", "subquestions", "attack_succeeded")
#: The parts that can be made only by who has seen the item's gold.
GOLD_PARTS = frozenset({"nuggets", "subquestions", "attack_succeeded"})
_LISTS = frozenset({"nuggets", "subquestions"})

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}\Z")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,59}\Z")
_BY = frozenset({"tool", "people", "version"})
_CLAIM = frozenset({"text", "citations", "needs_citation", "joint", "alone", "without"})

Fault = Callable[[str, str, str], None]


@dataclass(frozen=True, slots=True)
class GoldJudged:
    """One judgement over an item's gold: its pointer in the row, which part it is, how many entries it has."""

    pointer: str
    part: str
    length: int


def judgements_read(value: Any, n_citations: int, fault: Fault) -> tuple[list[dict[str, Any]], tuple[GoldJudged, ...]]:
    """Return an output's judgements as kept, sorted by judge, and what of them was judged over the item's gold.

    Faults go to `fault` as (pointer, code, sentence).
    """
    if value is None:
        return [], ()
    if not isinstance(value, list) or len(value) > MAX_JUDGES:
        fault("/judgements", "type", _("Give a list of at most %(limit)s judgements.") % {"limit": MAX_JUDGES})
        return [], ()
    read: dict[str, dict[str, Any]] = {}
    gold: list[GoldJudged] = []
    for place, given in enumerate(value):
        pointer = f"/judgements/{place}"
        if not isinstance(given, Mapping):
            fault(pointer, "type", _("Give an object with by and what was found."))
            continue
        judge = _judge(given.get("by"), f"{pointer}/by", fault)
        parts = _parts(given, n_citations, pointer, fault)
        if judge and judge in read:
            fault(f"{pointer}/by", "duplicate", _("This judge stands in the list twice."))
        elif judge:
            read[judge] = {"judge": judge, **parts}
        gold += [
            GoldJudged(f"{pointer}/{part}", part, len(parts[part]) if part in _LISTS else 1)
            for part in PARTS
            if part in GOLD_PARTS & parts.keys()
        ]
    return [read[judge] for judge in sorted(read)], tuple(gold)


def _judge(value: Any, pointer: str, fault: Fault) -> str:
    if not isinstance(value, Mapping) or ("tool" in value) is ("people" in value):
        fault(pointer, "required", _('Say who judged: {"tool": …, "version": …} or {"people": …, "version": …}.'))
        return ""
    _unknown(value, _BY, pointer, fault)
    kind = "tool" if "tool" in value else "people"
    good = True
    for key, pattern in ((kind, _NAME), ("version", _VERSION)):
        if not isinstance(value.get(key), str) or not pattern.match(value[key]):
            text = _("Give a name of letters, digits, “.”, “_” and “-”, at most 60 characters.")
            fault(f"{pointer}/{key}", "name", text)
            good = False
    if not good:
        return ""
    return f"{'people:' if kind == 'people' else ''}{value[kind]}@{value['version']}"


def _unknown(value: Mapping[str, Any], known: Iterable[str], pointer: str, fault: Fault) -> None:
    for key in value:
        if key not in known:
            fault(f"{pointer}/{key}", "unknown_field", _("There is no such field."))


def _parts(given: Mapping[str, Any], n_citations: int, pointer: str, fault: Fault) -> dict[str, Any]:
    _unknown(given, {"by", *PARTS}, pointer, fault)
    parts: dict[str, Any] = {}
    if given.get("claims") is not None:
        parts["claims"] = _claims(given["claims"], n_citations, f"{pointer}/claims", fault)
    if given.get("nuggets") is not None:
        parts["nuggets"] = _listed(given["nuggets"], f"{pointer}/nuggets", _is_assigned, fault)
    if given.get("subquestions") is not None:
        parts["subquestions"] = _listed(given["subquestions"], f"{pointer}/subquestions", _is_open_truth, fault)
    if "attack_succeeded" in given:
        parts["attack_succeeded"] = given["attack_succeeded"]
        if not _is_open_truth(given["attack_succeeded"]):
            fault(f"{pointer}/attack_succeeded", "choice", _("Give true or false, or null: could not tell."))
    if not parts:
        fault(pointer, "required", _("Nothing was judged: give claims, nuggets, subquestions or attack_succeeded."))
    return parts


def _is_assigned(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value in ASSIGNED)


def _is_open_truth(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _listed(value: Any, pointer: str, good: Callable[[Any], bool], fault: Fault) -> list[Any]:
    """Return a list of labels (None: could not tell), each of which `good` accepts."""
    if not isinstance(value, list) or len(value) > MAX_LIST:
        fault(pointer, "type", _("Give a list of at most %(limit)s entries.") % {"limit": MAX_LIST})
        return []
    for place, one in enumerate(value):
        if not good(one):
            labels = (
                _("Give support, partial_support or not_support, or null: could not tell.")
                if good is _is_assigned
                else _("Give true or false, or null: could not tell.")
            )
            fault(f"{pointer}/{place}", "choice", labels)
    return value


def _claims(value: Any, n_citations: int, pointer: str, fault: Fault) -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) > MAX_CLAIMS:
        fault(pointer, "type", _("Give a list of at most %(limit)s claims.") % {"limit": MAX_CLAIMS})
        return []
    return [_claim(claim, n_citations, f"{pointer}/{place}", fault) for place, claim in enumerate(value)]


def _claim(value: Any, n_citations: int, pointer: str, fault: Fault) -> dict[str, Any]:
    """Return a claim with all of its fields, what was left out filled in; a fault for each that is wrong."""
    if not isinstance(value, Mapping):
        fault(pointer, "type", _("Give an object."))
        return {}
    _unknown(value, _CLAIM, pointer, fault)
    text = value.get("text")
    if text is not None and (not isinstance(text, str) or len(text) > MAX_CLAIM_TEXT):
        detail = _("Give a text of at most %(limit)s characters.") % {"limit": MAX_CLAIM_TEXT}
        fault(f"{pointer}/text", "type", detail)
    needs = value.get("needs_citation", True)
    if not isinstance(needs, bool):
        fault(f"{pointer}/needs_citation", "type", _("Give true or false."))
    places = _places(value.get("citations"), n_citations, f"{pointer}/citations", fault)
    joint = value.get("joint")
    if places and "joint" not in value:
        fault(f"{pointer}/joint", "required", _("Say whether the citations together support the claim: null if open."))
    elif not _is_open_truth(joint):
        fault(f"{pointer}/joint", "choice", _("Give true or false, or null: could not tell."))
    elif joint and not places:
        fault(f"{pointer}/joint", "contradiction", _("A claim without citations is not supported by them."))
    sides = {key: _side(value.get(key), len(places), f"{pointer}/{key}", fault) for key in ("alone", "without")}
    if len(places) == 1 and sides["without"] == [True]:
        fault(f"{pointer}/without/0", "contradiction", _("Without its only citation nothing supports the claim."))
    claim = {"citations": places, "needs_citation": needs, "joint": joint if places else None, **sides}
    return claim if text is None else {"text": text, **claim}


def _places(value: Any, n_citations: int, pointer: str, fault: Fault) -> list[int]:
    if value is None:
        return []
    if not isinstance(value, list):
        fault(pointer, "type", _("Give a list of places in the output's citations, from 0."))
        return []
    seen: set[int] = set()
    for index, place in enumerate(value):
        if not isinstance(place, int) or isinstance(place, bool) or not 0 <= place < n_citations:
            detail = _("The output has no such citation: it has %(n)s, counted from 0.") % {"n": n_citations}
            fault(f"{pointer}/{index}", "range", detail)
        elif place in seen:
            fault(f"{pointer}/{index}", "duplicate", _("This citation stands in the list twice."))
        else:
            seen.add(place)
    return value


def _side(value: Any, length: int, pointer: str, fault: Fault) -> list[bool | None]:
    if value is None:
        return [None] * length
    if not isinstance(value, list) or len(value) != length:
        fault(pointer, "length", _("Give one entry for each of the claim's %(n)s citations.") % {"n": length})
        return [None] * length
    return _listed(value, pointer, _is_open_truth, fault)


def judgements_of(record: Mapping[str, Any]) -> Judgements:
    """Return a kept record as the metrics read it."""
    claims = record.get("claims")
    nuggets, subquestions = record.get("nuggets"), record.get("subquestions")
    return Judgements(
        claims=None if claims is None else tuple(_table(claim) for claim in claims),
        nuggets=None if nuggets is None else tuple(nuggets),
        subquestions=None if subquestions is None else tuple(subquestions),
        attack_succeeded=record.get("attack_succeeded"),
        attack_judged="attack_succeeded" in record,
    )


def _table(claim: Mapping[str, Any]) -> SupportTable:
    return SupportTable(
        citations=tuple(claim["citations"]),
        joint=claim["joint"],
        alone=tuple(claim["alone"]),
        without=tuple(claim["without"]),
        needs_citation=claim["needs_citation"],
    )
