"""The native item: what each field may hold, and its one stored form.

Pure functions: nothing here asks the database. `parse_item` gives either an item or all of its faults, each with the
JSON pointer of the place. What depends on other rows (duplicates, perturbation targets, documents) is checked by
`datasets_app.imports.plan`.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from core_app.canonical import canonical_json
from core_app.errors import brief
from datasets_app.imports.values import Unstorable, clean, token
from datasets_app.states import ItemSource, QuestionType, Split, Tier
from scoring.answers import validate as validate_assertion
from scoring.errors import GoldError, PointerError
from scoring.gold import Gold

#: In the order in which items are shown and exported.
FIELDS = (
    "external_id",
    "question",
    "history",
    "context",
    "split",
    "tiers",
    "types",
    "language",
    "answerable",
    "reference",
    "query_time",
    "audience",
    "cluster",
    "source",
    "risk",
    "tags",
    "evidence",
    "relevance",
    "assertions",
    "claims",
    "nuggets",
    "subquestions",
    "copies",
    "perturbs",
    "metadata",
)
#: Where and how an item stands in a version; all other fields are the revision's content.
PLACEMENT = frozenset({"external_id", "split", "tiers"})
#: What our own exports add: `nonce` is taken over by a new revision, the others are ignored.
ECHOED = frozenset({"nonce", "item_id", "sha256"})
RISKS = ("low", "medium", "high", "critical")
HISTORY_ROLES = ("user", "assistant", "system", "tool")
UNANSWERABLE_TYPES = frozenset({QuestionType.UNANSWERABLE.value, QuestionType.FALSE_PREMISE.value})

MAX_ID = 200
MAX_QUESTION = 20_000
MAX_TEXT = 100_000
MAX_LIST = 1_000
MAX_METADATA = 65_536
#: A row with more faults than this is not read for more: naming each would cost more than the row is worth.
MAX_FAULTS_OF_A_ROW = 100

_LANGUAGE = re.compile(r"^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$")
_NONCE = re.compile(r"^[0-9a-f]{32}$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NOT_A_LABEL = re.compile(r"[\x00-\x1f\x7f|]")
_TIERS = tuple(Tier.values)
_TYPES = tuple(QuestionType.values)
_SPLITS = tuple(Split.values)
_SOURCES = tuple(ItemSource.values)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with an item."""

    pointer: str
    code: str
    detail: str


@dataclass(slots=True)
class NativeItem:
    """A well-formed item. `split` None: not said. `content` is the stored form, without placement."""

    external_id: str
    split: str | None
    tiers: list[str]
    content: dict[str, Any]
    nonce: str | None = None

    @property
    def perturbs_id(self) -> str | None:
        perturbs = self.content.get("perturbs")
        return perturbs["external_id"] if perturbs else None


class _Faults(list[Fault]):
    def add(self, pointer: str, code: str, detail: str) -> None:
        """Keep the fault, cut to what a report may quote; past the first hundred of a row, only their number grows."""
        if len(self) < MAX_FAULTS_OF_A_ROW:
            self.append(Fault(brief(pointer), code, brief(detail)))


def _near(word: str, known: tuple[str, ...] | list[str]) -> str:
    match = difflib.get_close_matches(word, known, n=1) if len(word) <= MAX_ID else []
    if match:
        return _("Did you mean “%(match)s”?") % {"match": match[0]}
    return _("Known are: %(known)s.") % {"known": ", ".join(known)}


def _no_field(name: str, known: tuple[str, ...] | list[str]) -> str:
    return _("There is no field “%(name)s” here.") % {"name": name[:80]} + " " + _near(name, known)


def _text(value: Any, pointer: str, faults: _Faults, *, limit: int, empty: bool = True) -> str | None:
    if not isinstance(value, str):
        faults.add(pointer, "not_text", _("This must be a text."))
        return None
    if not empty and not value.strip():
        faults.add(pointer, "empty", _("This may not be empty."))
        return None
    if len(value) > limit:
        faults.add(
            pointer,
            "too_long",
            _("At most %(limit)s characters; these are %(length)s.") % {"limit": limit, "length": len(value)},
        )
        return None
    return value


def _list(value: Any, pointer: str, faults: _Faults, *, limit: int = MAX_LIST) -> list[Any]:
    if not isinstance(value, list):
        faults.add(pointer, "not_list", _("This must be a list."))
        return []
    if len(value) > limit:
        faults.add(pointer, "too_many", _("At most %(limit)s entries.") % {"limit": limit})
        return []
    return value


def _words(value: Any, pointer: str, faults: _Faults, *, limit: int = 100, count: int = 100) -> list[str]:
    """A list of short labels, each once, in the order given."""
    words: dict[str, None] = {}
    for index, word in enumerate(_list(value, pointer, faults, limit=count)):
        place = f"{pointer}/{index}"
        text = _text(word, place, faults, limit=limit, empty=False)
        if text is not None and _NOT_A_LABEL.search(text):
            faults.add(place, "bad_text", _("Line breaks, control characters and “|” are not allowed here."))
        elif text is not None:
            words[text.strip()] = None
    return list(words)


def _closed(value: Any, pointer: str, faults: _Faults, known: tuple[str, ...]) -> str | None:
    if not isinstance(value, str) or value not in known:
        faults.add(
            pointer,
            "unknown_value",
            _("“%(value)s” is not known here.") % {"value": str(value)[:80]} + " " + _near(str(value), known),
        )
        return None
    return value


def _closed_list(value: Any, pointer: str, faults: _Faults, known: tuple[str, ...]) -> list[str]:
    words: dict[str, None] = {}
    for index, word in enumerate(_list(value, pointer, faults, limit=50)):
        text = _closed(word, f"{pointer}/{index}", faults, known)
        if text is not None:
            words[text] = None
    return list(words)


def _object(
    value: Any, pointer: str, faults: _Faults, required: tuple[str, ...], optional: tuple[str, ...] = ()
) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        faults.add(pointer, "not_object", _("This must be an object."))
        return None
    missing = [key for key in required if key not in value]
    for key in missing:
        faults.add(f"{pointer}/{key}", "required", _("This field is needed."))
    unknown = [key for key in value if key not in required and key not in optional]
    for key in unknown[:10]:
        faults.add(f"{pointer}/{token(key)}", "unknown_field", _no_field(key, required + optional))
    return None if missing or unknown else value


def _history(value: Any, pointer: str, faults: _Faults) -> list[dict[str, str]]:
    turns = []
    for index, raw in enumerate(_list(value, pointer, faults)):
        place = f"{pointer}/{index}"
        turn = _object(raw, place, faults, ("role", "content"))
        if turn is None:
            continue
        role = _closed(turn["role"], f"{place}/role", faults, HISTORY_ROLES)
        text = _text(turn["content"], f"{place}/content", faults, limit=MAX_TEXT)
        if role is not None and text is not None:
            turns.append({"role": role, "content": text})
    return turns


def _texts(value: Any, pointer: str, faults: _Faults) -> list[str]:
    texts = []
    for index, raw in enumerate(_list(value, pointer, faults)):
        text = _text(raw, f"{pointer}/{index}", faults, limit=MAX_TEXT, empty=False)
        if text is not None:
            texts.append(text)
    return texts


def _flagged(flag: str) -> Callable[[Any, str, _Faults], list[dict[str, Any]]]:
    """A list of `{"text", flag}` objects; the flag is true unless said otherwise."""

    def read(value: Any, pointer: str, faults: _Faults) -> list[dict[str, Any]]:
        rows = []
        for index, raw in enumerate(_list(value, pointer, faults)):
            place = f"{pointer}/{index}"
            row = _object(raw, place, faults, ("text",), (flag,))
            if row is None:
                continue
            text = _text(row["text"], f"{place}/text", faults, limit=MAX_TEXT, empty=False)
            if not isinstance(row.get(flag, True), bool):
                faults.add(f"{place}/{flag}", "not_bool", _("This must be true or false."))
            elif text is not None:
                rows.append({"text": text, flag: row.get(flag, True)})
        return rows

    return read


def _language(value: Any, pointer: str, faults: _Faults) -> str | None:
    if isinstance(value, str) and len(value) <= 16 and _LANGUAGE.match(value):
        return value
    faults.add(pointer, "bad_language", _("This must be a language tag such as “en” or “zh-Hans”."))
    return None


def utc_text(value: datetime) -> str:
    """Return a moment as ISO 8601 in UTC with `Z`, the form in which items keep it."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def moment(value: Any) -> datetime | None:
    """Return an aware moment from ISO 8601 text, None where it is none or lacks its time zone."""
    try:
        parsed = parse_datetime(value) if isinstance(value, str) else None
        # In UTC, where databases keep it: the first and the last day of the calendar have no moment in every zone.
        return parsed.astimezone(UTC) if parsed is not None and parsed.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def _time(value: Any, pointer: str, faults: _Faults) -> str | None:
    parsed = moment(value)
    if parsed is None:
        faults.add(pointer, "bad_time", _("This must be a time with its zone, such as 2026-03-01T00:00:00Z."))
        return None
    return utc_text(parsed)


def _bool(value: Any, pointer: str, faults: _Faults) -> bool | None:
    if isinstance(value, bool):
        return value
    faults.add(pointer, "not_bool", _("This must be true or false."))
    return None


def _assertions(value: Any, pointer: str, faults: _Faults) -> list[dict[str, Any]]:
    rows = []
    for index, raw in enumerate(_list(value, pointer, faults, limit=100)):
        try:
            validate_assertion(raw)
        except PointerError as error:
            faults.add(f"{pointer}/{index}{error.pointer}", "bad_assertion", error.reason)
        except (ArithmeticError, RecursionError):
            faults.add(f"{pointer}/{index}", "bad_assertion", _("A number is too large, or this nests too deeply."))
        else:
            rows.append(raw)
    return rows


def _perturbs(value: Any, pointer: str, faults: _Faults) -> dict[str, str] | None:
    row = _object(value, pointer, faults, ("external_id",), ("kind",))
    if row is None:
        return None
    target = _text(row["external_id"], f"{pointer}/external_id", faults, limit=MAX_ID, empty=False)
    kind = _text(row.get("kind", ""), f"{pointer}/kind", faults, limit=40)
    if target is None or kind is None:
        return None
    return {"external_id": target, "kind": kind} if kind else {"external_id": target}


def _metadata(value: Any, pointer: str, faults: _Faults) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        faults.add(pointer, "not_object", _("This must be an object."))
        return None
    if len(canonical_json(value)) > MAX_METADATA:
        faults.add(pointer, "too_long", _("At most %(limit)s characters of JSON.") % {"limit": MAX_METADATA})
        return None
    return value


def _as_is(value: Any, pointer: str, faults: _Faults) -> Any:
    """Evidence, relevance and copies are read together, by `Gold.from_native`."""
    return value


_READERS: dict[str, Callable[[Any, str, _Faults], Any]] = {
    "question": lambda v, p, f: _text(v, p, f, limit=MAX_QUESTION, empty=False),
    "history": _history,
    "context": _texts,
    "types": lambda v, p, f: _closed_list(v, p, f, _TYPES),
    "language": _language,
    "answerable": _bool,
    "reference": lambda v, p, f: _text(v, p, f, limit=MAX_TEXT),
    "query_time": _time,
    "audience": _words,
    "cluster": lambda v, p, f: _text(v, p, f, limit=200),
    "source": lambda v, p, f: _closed(v, p, f, _SOURCES),
    "risk": lambda v, p, f: _closed(v, p, f, RISKS),
    "tags": _words,
    "evidence": _as_is,
    "relevance": _as_is,
    "assertions": _assertions,
    "claims": _flagged("needs_citation"),
    "nuggets": _flagged("vital"),
    "subquestions": _texts,
    "copies": _as_is,
    "perturbs": _perturbs,
    "metadata": _metadata,
}


def _external_id(raw: Mapping[str, Any], faults: _Faults) -> str:
    if "external_id" not in raw:
        faults.add("/external_id", "required", _("Every item needs an external_id of its own."))
        return ""
    text = _text(raw["external_id"], "/external_id", faults, limit=MAX_ID, empty=False)
    if text is not None and (_CONTROL.search(text) or text != text.strip()):
        faults.add("/external_id", "bad_text", _("No spaces at the ends, no line breaks, no control characters."))
    return text or ""


def _gold(raw: Mapping[str, Any], faults: _Faults) -> None:
    try:
        gold = Gold.from_native(raw.get("evidence"), raw.get("relevance"), raw.get("copies"))
    except GoldError as error:
        faults.add(error.pointer, "bad_evidence", error.reason)
        return
    if sum(len(requirement) for group in gold.groups for requirement in group) > 10 * MAX_LIST:
        faults.add("/evidence", "too_many", _("At most %(limit)s alternatives in all.") % {"limit": 10 * MAX_LIST})


def _answerable(content: dict[str, Any], said: bool, faults: _Faults) -> None:
    """Types and answerability may not contradict each other; types decide where nothing is said."""
    without_answer = UNANSWERABLE_TYPES & set(content.get("types", ()))
    if not said:
        content["answerable"] = not without_answer
    elif without_answer and content.get("answerable") is True:
        faults.add(
            "/answerable",
            "contradiction",
            _("An item of type %(type)s can't be answerable.") % {"type": ", ".join(sorted(without_answer))},
        )


def parse_item(raw: Any) -> tuple[NativeItem | None, list[Fault]]:
    """Return the item in its stored form, or None with everything that is wrong with it."""
    faults = _Faults()
    if not isinstance(raw, Mapping):
        faults.add("", "not_object", _("Each row must be a JSON object."))
        return None, faults
    try:
        raw = clean(dict(raw))
    except Unstorable as error:
        faults.add(error.pointer, error.code, str(error))
        return None, faults
    unknown = [key for key in raw if key not in _READERS and key not in PLACEMENT and key not in ECHOED]
    for key in unknown[:MAX_FAULTS_OF_A_ROW]:
        faults.add(f"/{token(key)}", "unknown_field", _no_field(key, FIELDS))
    external_id = _external_id(raw, faults)
    split = raw.get("split")
    if split is not None:
        split = _closed(split, "/split", faults, _SPLITS)
    tiers = _closed_list(raw["tiers"], "/tiers", faults, _TIERS) if raw.get("tiers") is not None else []
    nonce = raw.get("nonce")
    if nonce is not None and not (isinstance(nonce, str) and _NONCE.match(nonce)):
        faults.add("/nonce", "bad_nonce", _("A nonce is 32 hexadecimal digits."))
    if raw.get("question") is None:
        faults.add("/question", "required", _("Every item needs a question."))
    _gold(raw, faults)
    content: dict[str, Any] = {}
    for key, read in _READERS.items():
        value = raw.get(key)
        if value is None:
            continue
        value = read(value, f"/{key}", faults)
        if value or value is False or key == "answerable":
            content[key] = value
    _answerable(content, raw.get("answerable") is not None, faults)
    if faults:
        return None, faults
    tiers = [tier for tier in _TIERS if tier in tiers]
    return NativeItem(external_id=external_id, split=split, tiers=tiers, content=content, nonce=nonce), []


def facets_of(content: Mapping[str, Any], tiers: list[str]) -> str:
    """Return the filterable values as `|type:fact|tier:smoke|tag:x|`, found by a plain substring search."""
    parts = [f"type:{value}" for value in content.get("types", ())]
    parts += [f"tier:{value}" for value in tiers]
    parts += [f"tag:{value}" for value in content.get("tags", ())]
    parts += [f"lang:{content['language']}"] if content.get("language") else []
    parts += [f"source:{content['source']}"] if content.get("source") else []
    return f"|{'|'.join(parts)}|" if parts else ""


def native_of(external_id: str, content: Mapping[str, Any], split: str, tiers: list[str]) -> dict[str, Any]:
    """Return the native item with its fields in the documented order."""
    merged = {**content, "external_id": external_id, "split": split, "tiers": list(tiers)}
    return {key: merged[key] for key in FIELDS if key in merged}
