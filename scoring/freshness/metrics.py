"""freshness: were the document versions behind an answer valid when the question was asked?

The versions of an answer are those that it cites, and those of the units that reached its context (stage ``prompt``);
``versions=cited`` reads the citations alone. A version is valid on ``[valid_from, valid_to)`` unless withdrawn by then.

- valid_version_rate: 1 where all versions were valid at the item's query time, else 0.
- stale_use_rate: 1 where a version was used that had ended or been withdrawn by then (a stale cache or index), else 0.
- withdrawn_use_rate: 1 where a withdrawn version was used, else 0.
- date_stated: 1 where the answer states the date that the item asks for. An item asks by ``date`` assertions, which
  must all pass, or by the tag ``date_stated``: then any date with a year and a month outside of a negation counts.

``not_applicable``: no query time that can be read, no snapshot or one in which no version carries a validity, no
version cited or used, or a version that the snapshot lacks while none of the known ones decides; for date_stated, an
item that does not ask. Failed and refused outputs carry their states. A query time without a time zone is read as UTC,
a date as its first moment.

Source: scoring page, section 9. Worked example: query time 2026-03-01; version 1 valid until 2026-02-01, version 2 from
then on. Citing version 1 and 2: valid 0, stale 1, withdrawn 0. Citing version 2: 1, 0, 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import Any

from scoring.answers.date import check, dates
from scoring.answers.negation import negated
from scoring.batch import Batch
from scoring.errors import AssertionSpecError
from scoring.spec import MetricSpec, Param
from scoring.types import Document, EvalItem, Score, State, SystemOutput

PROMPT = "prompt"
ASKS_FOR_DATE = "date_stated"

_ZERO, _ONE = Score.of(0.0), Score.of(1.0)
_NO_TIME = Score.none(State.NOT_APPLICABLE, "the item has no query time that can be read")
_NO_DOCUMENTS = Score.none(State.NOT_APPLICABLE, "no snapshot of documents was given")
_UNDATED = Score.none(State.NOT_APPLICABLE, "no document of the snapshot carries a validity")
_NO_VERSIONS = Score.none(State.NOT_APPLICABLE, "no version was cited or used")
_UNKNOWN = Score.none(State.NOT_APPLICABLE, "a version that was cited or used is not in the snapshot")
_NOT_ASKED = Score.none(State.NOT_APPLICABLE, "the item asks for no date")
_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")
_REFUSED = Score.none(State.REFUSED, "the system declined to answer")


def moment_of(text: str | None) -> datetime | None:
    """The moment of an ISO 8601 text, in UTC where it names no zone; None where it cannot be read."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def withdrawn(document: Document, moment: datetime) -> bool:
    """Whether the version had been withdrawn by the moment."""
    return document.withdrawn_at is not None and document.withdrawn_at <= moment


def stale(document: Document, moment: datetime) -> bool:
    """Whether the version had ended or been withdrawn by the moment."""
    return withdrawn(document, moment) or (document.valid_to is not None and document.valid_to <= moment)


def valid(document: Document, moment: datetime) -> bool:
    """Whether the version had begun and was neither ended nor withdrawn."""
    return not stale(document, moment) and (document.valid_from is None or document.valid_from <= moment)


def versions_of(output: SystemOutput, versions: str) -> set[tuple[str, str]]:
    """The (document, version) pairs that an output cites, with ``cited_or_used`` also those of its prompt's units.

    What names no version is left out: an answer is not judged by what it does not say.
    """
    named: list[tuple[Any, Any]] = [(c.get("doc_id"), c.get("version_id")) for c in output.citations]
    if versions == "cited_or_used":
        named += [(unit.doc_id, unit.version_id) for unit in output.retrieved.get(PROMPT, ())]
    return {(doc, version) for doc, version in named if isinstance(doc, str) and isinstance(version, str)}


def _any(found: Iterable[Document | None], bad: Callable[[Document], bool]) -> bool | None:
    """Whether a version is bad; None where none of the known ones is and some are unknown."""
    documents = list(found)
    if any(document is not None and bad(document) for document in documents):
        return True
    return None if None in documents else False


def _pair(
    item: EvalItem,
    output: SystemOutput,
    documents: Mapping[tuple[str, str | None], Document] | None,
    bad: Callable[[Document, datetime], bool],
    versions: str,
    bad_is_one: bool,
    dated: bool,
) -> Score:
    if output.failed:
        return _FAILED
    if output.refused:
        return _REFUSED
    moment = moment_of(item.query_time)
    if moment is None:
        return _NO_TIME
    if documents is None:
        return _NO_DOCUMENTS
    if not dated:
        return _UNDATED
    named = versions_of(output, versions)
    if not named:
        return _NO_VERSIONS
    found = _any((documents.get(key) for key in named), lambda document: bad(document, moment))
    if found is None:
        return _UNKNOWN
    return _ONE if found is bad_is_one else _ZERO


def compute(
    batch: Batch, bad: Callable[[Document, datetime], bool], bad_is_one: bool, versions: str = "cited_or_used"
) -> list[Score]:
    """One score per pair."""
    dated = any(
        moment is not None
        for document in (batch.history or {}).values()
        for moment in (document.valid_from, document.valid_to, document.withdrawn_at)
    )
    return [
        _pair(item, output, batch.history, bad, versions, bad_is_one, dated)
        for item, output in zip(batch.items, batch.outputs, strict=True)
    ]


def _states_a_date(item: EvalItem, output: SystemOutput) -> Score:
    asked = [assertion for assertion in item.assertions if assertion.get("type") == "date"]
    if not asked and ASKS_FOR_DATE not in item.tags:
        return _NOT_ASKED
    if output.failed:
        return _FAILED
    if output.refused:
        return _REFUSED
    answer = output.answer or ""
    if asked:
        fields = ({key: value for key, value in one.items() if key not in ("type", "must")} for one in asked)
        try:
            return _ONE if all(check(one, answer, output).passed for one in fields) else _ZERO
        except AssertionSpecError as error:
            return Score.none(State.NOT_APPLICABLE, f"a date assertion cannot be used: {error}")
    stated = any(
        date.year is not None and date.month is not None and not negated(answer, date.start, date.end)
        for date in dates(answer, None)
    )
    return _ONE if stated else _ZERO


def date_stated(batch: Batch) -> list[Score]:
    """One score per pair."""
    return [_states_a_date(item, output) for item, output in zip(batch.items, batch.outputs, strict=True)]


_VERSIONS = Param("versions", "choice", default="cited_or_used", choices=("cited_or_used", "cited"), shown=False)


def _not_valid(document: Document, moment: datetime) -> bool:
    return not valid(document, moment)


def _spec(name: str, summary: str, compute_one: Callable[..., list[Score]], higher_is_better: bool) -> MetricSpec:
    return MetricSpec(
        name=f"freshness.{name}",
        family="freshness",
        summary=summary,
        compute=compute_one,
        parameters=(_VERSIONS,),
        needs=("documents", "query_time"),
        higher_is_better=higher_is_better,
        kind="proportion",
    )


SPECS = (
    _spec(
        "valid_version_rate",
        "Share of the answers whose cited and used versions were all valid when the question was asked.",
        partial(compute, bad=_not_valid, bad_is_one=False),
        higher_is_better=True,
    ),
    _spec(
        "stale_use_rate",
        "Share of the answers that cite or use a version which had ended or been withdrawn.",
        partial(compute, bad=stale, bad_is_one=True),
        higher_is_better=False,
    ),
    _spec(
        "withdrawn_use_rate",
        "Share of the answers that cite or use a withdrawn version.",
        partial(compute, bad=withdrawn, bad_is_one=True),
        higher_is_better=False,
    ),
    MetricSpec(
        name="freshness.date_stated",
        family="freshness",
        summary="Share of the answers that state the date which the item asks for.",
        compute=date_stated,
        needs=("date_asked",),
        kind="proportion",
    ),
)
