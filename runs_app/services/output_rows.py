"""From a pushed row to the columns of an output: every fault named by its place, nothing guessed."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from runs_app.services.bulk import to_json
from runs_app.services.external_scores import scores_read
from runs_app.services.judgement_rows import GoldJudged, judgements_read
from runs_app.states import Outcome
from scoring.refusal.detect import IDENTITY as REFUSAL_RULE
from scoring.refusal.detect import detect

MAX_ANSWER = 200_000
MAX_TEXT = 100_000
MAX_UNITS = 2_000
MAX_STAGES = 12
MAX_CITATIONS = 1_000
MAX_ID = 500
#: An answer without a word in it: the system returned nothing, whatever it declared.
EMPTY_RULE = "platform.empty@1"
DECLARED = frozenset({Outcome.ANSWERED, Outcome.PARTIAL, Outcome.REFUSED, Outcome.FAILED})

_READ = frozenset(
    {
        "external_id", "item_id", "id", "repeat", "answer", "response", "outcome", "confidence",
        "retrieved", "contexts", "retrieved_contexts", "retrieved_context_ids", "citations", "scores",
        "judgements", "latency_ms", "tokens", "cost", "trace_id", "error",
    }
)  # fmt: skip
#: Columns of a ragas-style record that belong to the item, not to the output: accepted and left alone.
_IGNORED = frozenset(
    {
        "question", "user_input", "reference", "ground_truth", "ground_truths", "reference_contexts",
        "reference_context_ids", "metadata",
    }
)  # fmt: skip
_STAGE = re.compile(r"^[a-z][a-z0-9_]{0,39}$")
#: Where the judgements stand among the columns.
_JUDGEMENTS = 8
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_UNIT_TEXTS = frozenset({"doc_id", "version_id", "text"})
_UNIT_FIELDS = _UNIT_TEXTS | {"start", "end", "tokens", "score"}


@dataclass(slots=True)
class OutputRow:
    """One readable row: whom it answers, its columns from `answer` to `error`, and the hash over them.

    `judged` has the places and lengths of the judgements that are made over the item's gold, to be held against it.
    """

    index: int
    key: str
    key_is_public: bool
    repeat: int
    columns: tuple[Any, ...] = ()
    content_sha256: str = ""
    judged: tuple[GoldJudged, ...] = ()


@dataclass(slots=True)
class _Faults:
    """Collects the faults of one row as (pointer inside the row, code, sentence)."""

    found: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, pointer: str, code: str, detail: str) -> None:
        self.found.append((pointer, code, detail))


def _text(row: Mapping[str, Any], key: str, limit: int, faults: _Faults) -> str:
    value = row.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        faults.add(f"/{key}", "type", _("Give a text."))
        return ""
    if len(value) > limit:
        faults.add(f"/{key}", "too_long", _("At most %(limit)s characters.") % {"limit": limit})
        return ""
    return value


def finite(value: Any) -> float | None:
    """Return a JSON number as a finite float, or None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _number(row: Mapping[str, Any], key: str, faults: _Faults, *, least: float | None = 0.0) -> float | None:
    value = row.get(key)
    if value is None:
        return None
    number = finite(value)
    if number is None:
        faults.add(f"/{key}", "number", _("Give a finite number."))
    elif least is not None and number < least:
        faults.add(f"/{key}", "range", _("Must not be below %(least)s.") % {"least": f"{least:g}"})
    return number


def _unit(value: Any, pointer: str, faults: _Faults) -> dict[str, Any] | None:
    """Return a unit's known fields. Outputs bring tens of units each: this is the loop that taking them in hangs on."""
    if isinstance(value, str):
        value = {"id": value}
    if not isinstance(value, dict):
        faults.add(pointer, "type", _("A retrieved unit is an id, or an object with an id."))
        return None
    unit_id = value.get("id")
    if isinstance(unit_id, int) and not isinstance(unit_id, bool):
        unit_id = str(unit_id)
    if not isinstance(unit_id, str) or not 0 < len(unit_id) <= MAX_ID:
        detail = _("Give the unit's id, at most %(limit)s characters.") % {"limit": MAX_ID}
        faults.add(f"{pointer}/id", "required", detail)
        return None
    unit: dict[str, Any] = {"id": unit_id}
    for key, part in value.items():
        if part is None or key not in _UNIT_FIELDS:
            continue
        if key in _UNIT_TEXTS:
            if not isinstance(part, str) or len(part) > MAX_TEXT:
                detail = _("Give a text of at most %(limit)s characters.") % {"limit": MAX_TEXT}
                faults.add(f"{pointer}/{key}", "type", detail)
        elif key == "score":
            part = finite(part)
            if part is None:
                faults.add(f"{pointer}/score", "number", _("Give a finite number."))
        elif not isinstance(part, int) or isinstance(part, bool) or not 0 <= part < 2**53:
            faults.add(f"{pointer}/{key}", "number", _("Give a whole number from 0 up."))
        unit[key] = part
    return unit


def _stages(value: Any, faults: _Faults) -> dict[str, list[dict[str, Any]]]:
    if value is None:
        return {}
    flat = isinstance(value, list)
    given = {"retrieved": value} if flat else value
    if not isinstance(given, Mapping):
        faults.add("/retrieved", "type", _("Give an object of stage to list, or one list."))
        return {}
    if len(given) > MAX_STAGES:
        faults.add("/retrieved", "too_many", _("At most %(limit)s stages.") % {"limit": MAX_STAGES})
        return {}
    stages: dict[str, list[dict[str, Any]]] = {}
    for stage, units in given.items():
        pointer = "/retrieved" if flat else f"/retrieved/{stage}"
        if not _STAGE.match(stage):
            faults.add("/retrieved", "stage", _("A stage's name has lower-case letters, digits and _, at most 40."))
        elif units is None:
            continue
        elif not isinstance(units, list):
            faults.add(pointer, "type", _("Give a list."))
        elif len(units) > MAX_UNITS:
            faults.add(pointer, "too_many", _("At most %(limit)s units.") % {"limit": MAX_UNITS})
        else:
            read = [_unit(unit, f"{pointer}/{place}", faults) for place, unit in enumerate(units)]
            stages[stage] = [unit for unit in read if unit is not None]
    return stages


def _contexts(row: Mapping[str, Any], stages: dict[str, list[dict[str, Any]]], faults: _Faults) -> list[str]:
    """Return the passages as texts; where they carry ids and no list was pushed, they become the stage `prompt`.

    Passages without ids stay texts: a made-up id could never meet a labelled one, so retrieval metrics over it would
    say 0 where nothing is known.
    """
    key = "contexts" if row.get("contexts") is not None else "retrieved_contexts"
    given = row.get(key)
    if given is None:
        return []
    if not isinstance(given, list) or len(given) > MAX_UNITS:
        faults.add(f"/{key}", "type", _("Give a list of at most %(limit)s texts.") % {"limit": MAX_UNITS})
        return []
    ids = row.get("retrieved_context_ids")
    if ids is not None and (not isinstance(ids, list) or len(ids) != len(given)):
        faults.add("/retrieved_context_ids", "length", _("Give one id for each passage."))
        return []
    texts: list[str] = []
    units: list[Any] = []
    for place, passage in enumerate(given):
        text = passage.get("text") if isinstance(passage, Mapping) else passage
        if not isinstance(text, str) or len(text) > MAX_TEXT:
            faults.add(
                f"/{key}/{place}", "type", _("Give a text of at most %(limit)s characters.") % {"limit": MAX_TEXT}
            )
            return []
        texts.append(text)
        if ids is not None:
            units.append({"id": ids[place], "text": text})
        elif isinstance(passage, Mapping) and passage.get("id") is not None:
            units.append(passage)
    if units and len(units) == len(texts) and not stages:
        read = [_unit(unit, f"/{key}/{place}", faults) for place, unit in enumerate(units)]
        stages["prompt"] = [unit for unit in read if unit is not None]
    return texts


def _citations(value: Any, faults: _Faults) -> list[dict[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > MAX_CITATIONS:
        faults.add("/citations", "type", _("Give a list of at most %(limit)s objects.") % {"limit": MAX_CITATIONS})
        return []
    for place, citation in enumerate(value):
        pointer = f"/citations/{place}"
        if not isinstance(citation, Mapping):
            faults.add(pointer, "type", _("Give an object."))
            continue
        for key in ("doc_id", "version_id", "claim"):
            if citation.get(key) is not None and not isinstance(citation[key], str):
                faults.add(f"{pointer}/{key}", "type", _("Give a text."))
        for key in ("start", "end"):
            part = citation.get(key)
            if part is not None and (not isinstance(part, int) or isinstance(part, bool) or part < 0):
                faults.add(f"{pointer}/{key}", "number", _("Give a whole number from 0 up."))
    return value


def _tokens(value: Any, faults: _Faults) -> dict[str, float]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or len(value) > 20:
        faults.add("/tokens", "type", _("Give an object of counts."))
        return {}
    for key, count in value.items():
        number = finite(count)
        if number is None or number < 0:
            faults.add(f"/tokens/{key}", "number", _("Give a number from 0 up."))
    return dict(value)


def _error(value: Any, faults: _Faults) -> str:
    if value is None or value is False or value == "":
        return ""
    if not isinstance(value, str):
        faults.add("/error", "type", _("Give a text."))
        return ""
    return value[:10_000]


def _outcome(row: Mapping[str, Any], answer: str, error: str, faults: _Faults) -> tuple[str, str]:
    """Return the outcome and who decided it: the system, or a rule of ours by its identity."""
    declared = row.get("outcome")
    if declared is not None and not (isinstance(declared, str) and declared in DECLARED):
        faults.add("/outcome", "choice", _("Choose answered, partial, refused or failed, or leave it out."))
        return Outcome.FAILED.value, "system"
    if error:
        return Outcome.FAILED.value, "system"
    if declared in {Outcome.REFUSED, Outcome.FAILED}:
        return str(declared), "system"
    if not answer.strip():
        return Outcome.FAILED.value, EMPTY_RULE
    if declared is not None:
        return str(declared), "system"
    return detect(answer).outcome, REFUSAL_RULE


def row_read(index: int, row: Any, repeats: int) -> tuple[OutputRow | None, list[tuple[str, str, str]]]:
    """Read one pushed row. Return it, or None with its faults as (pointer inside the row, code, sentence)."""
    faults = _Faults()
    if not isinstance(row, Mapping):
        return None, [("", "type", _("An output is an object."))]
    for key in row:
        if key not in _READ and key not in _IGNORED:
            faults.add(f"/{key}", "unknown_field", _("There is no such field."))
    public = row.get("external_id") is None
    key = row.get("external_id") if not public else (row.get("item_id") or row.get("id"))
    if not isinstance(key, str) or not key:
        faults.add("/external_id", "required", _("Name the item by external_id or item_id."))
    repeat = row.get("repeat", 1)
    if not isinstance(repeat, int) or isinstance(repeat, bool) or not 1 <= repeat <= repeats:
        faults.add("/repeat", "range", _("This run has the repeats 1 to %(limit)s.") % {"limit": repeats})
    answer = _text(row, "answer" if row.get("answer") is not None else "response", MAX_ANSWER, faults)
    error = _error(row.get("error"), faults)
    outcome, outcome_by = _outcome(row, answer, error, faults)
    stages = _stages(row.get("retrieved"), faults)
    contexts = _contexts(row, stages, faults)
    citations = _citations(row.get("citations"), faults)
    judgements, judged = judgements_read(row.get("judgements"), len(citations), faults.add)
    columns = (
        answer,
        outcome,
        outcome_by,
        _number(row, "confidence", faults, least=None),
        _dump(stages, "/retrieved", faults),
        _dump(contexts, "/contexts", faults),
        _dump(citations, "/citations", faults),
        _dump(scores_read(row.get("scores"), faults.add), "/scores", faults),
        _dump(judgements, "/judgements", faults),
        _number(row, "latency_ms", faults),
        _dump(_tokens(row.get("tokens"), faults), "/tokens", faults),
        _number(row, "cost", faults),
        _text(row, "trace_id", 120, faults),
        error,
    )
    digest = "" if faults.found else _digest(columns, faults)
    if faults.found:
        return None, faults.found
    return OutputRow(index, str(key), public, int(repeat), columns, digest, judged), []


def _dump(value: Any, pointer: str, faults: _Faults) -> str:
    if faults.found:
        return ""
    try:
        text = to_json(value)
    except ValueError:
        faults.add(pointer, "number", _("NaN and infinity are not numbers here."))
        return ""
    if "\\u0000" in text and _NUL.search(text):
        faults.add(pointer, "nul", _("The character U+0000 can't be stored."))
    return text


def _digest(columns: tuple[Any, ...], faults: _Faults) -> str:
    """Return the hash over the columns. That of judgements is left out where it is empty, so that what was stored
    before there were any, and is sent again, is still the same output.
    """
    parts = columns if columns[_JUDGEMENTS] != "[]" else columns[:_JUDGEMENTS] + columns[_JUDGEMENTS + 1 :]
    joined = "\x1f".join("" if part is None else str(part) for part in parts)
    if "\x00" in joined:
        faults.add("", "nul", _("The character U+0000 can't be stored."))
        return ""
    try:
        return hashlib.sha256(joined.encode()).hexdigest()
    except UnicodeEncodeError:
        faults.add("", "not_text", _("The row holds half of a surrogate pair, which is no character."))
        return ""
