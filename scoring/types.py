"""Frozen data that every metric reads: scores, items, outputs. Plain values, no database."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from scoring.errors import GoldError, ItemError, OutputError, ScoringError
from scoring.gold import Alternative, Gold, Group, Requirement, Span
from scoring.identity import MetricIdentity
from scoring.reasons import code_of
from scoring.refusal.detect import IDENTITY as REFUSAL_RULES
from scoring.refusal.detect import detect

__all__ = [
    "Alternative",
    "Document",
    "EvalItem",
    "Gold",
    "Group",
    "MetricIdentity",
    "Requirement",
    "Score",
    "Span",
    "State",
    "SystemOutput",
    "Unit",
]


class State(StrEnum):
    """What became of one measurement: a value, or the reason why there is none."""

    SCORED = "scored"
    NOT_APPLICABLE = "not_applicable"
    NO_GOLD = "no_gold"
    REFUSED = "refused"
    NO_CLAIMS = "no_claims"
    UNDETERMINED = "undetermined"
    JUDGE_FAILED = "judge_failed"
    TARGET_FAILED = "target_failed"


_SCORED = State.SCORED


@dataclass(frozen=True, slots=True)
class Score:
    """A finite value with state ``scored``, or another state without a value. Anything else raises ScoringError."""

    state: State
    value: float | None = None
    detail: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.state is not _SCORED:
            if not isinstance(self.state, State):
                raise ScoringError(f"state {self.state!r} is not a State")
            if self.state is not _SCORED:
                if self.value is not None:
                    raise ScoringError(f"value {self.value!r} given with state {self.state}")
                return
        if self.value is None:
            raise ScoringError("state scored needs a value")
        if not math.isfinite(self.value):
            raise ScoringError(f"value {self.value!r} is not finite")

    @classmethod
    def of(cls, value: float, detail: Mapping[str, Any] | None = None) -> Score:
        """A scored value. Raises ScoringError on NaN or infinity."""
        return cls(State.SCORED, float(value), detail)

    @classmethod
    def none(cls, state: State, reason: str = "") -> Score:
        """A state without a value; ``reason`` is kept in the detail, beside its code of ``scoring.reasons``."""
        if not reason:
            return cls(State(state))
        code = code_of(reason)
        return cls(State(state), None, {"reason": reason} if code is None else {"reason": reason, "code": code})

    @property
    def scored(self) -> bool:
        """True where there is a value."""
        return self.state is _SCORED


@dataclass(frozen=True, slots=True)
class Unit:
    """One entry of a ranked list: a chunk id, optionally where it stands in which document, and its token count."""

    id: str
    doc_id: str | None = None
    version_id: str | None = None
    start: int | None = None
    end: int | None = None
    tokens: int | None = None
    score: float | None = None
    text: str | None = None

    @classmethod
    def from_native(cls, value: object, pointer: str = "") -> Unit:
        """Read ``"chunk-1"`` or ``{"id": …, "doc_id": …, …}``. Raises OutputError with a JSON pointer."""
        if isinstance(value, str) and value:
            return cls(id=value)
        if not isinstance(value, Mapping):
            raise OutputError(pointer, "a retrieved unit is an id or an object with an id")
        unit_id = value.get("id")
        if isinstance(unit_id, int) and not isinstance(unit_id, bool):
            unit_id = str(unit_id)
        if not isinstance(unit_id, str) or not unit_id:
            raise OutputError(f"{pointer}/id", "a retrieved unit needs an id")
        for key in ("doc_id", "version_id", "text"):
            if value.get(key) is not None and not isinstance(value[key], str):
                raise OutputError(f"{pointer}/{key}", "must be a text")
        for key in ("start", "end", "tokens"):
            number = value.get(key)
            if number is not None and (not isinstance(number, int) or isinstance(number, bool) or number < 0):
                raise OutputError(f"{pointer}/{key}", "must be a whole number from 0 up")
        score = _finite(value.get("score"), f"{pointer}/score")
        return cls(
            id=unit_id,
            doc_id=value.get("doc_id"),
            version_id=value.get("version_id"),
            start=value.get("start"),
            end=value.get("end"),
            tokens=value.get("tokens"),
            score=score,
            text=value.get("text"),
        )


@dataclass(frozen=True, slots=True)
class Document:
    """One version of a source document in the snapshot: its length in characters, who may open it, and when it holds.

    ``audience`` empty means open to everyone. The version is valid on ``[valid_from, valid_to)`` unless withdrawn by
    then; None leaves that side open. Times have a time zone (else ItemError).
    """

    doc_id: str
    version_id: str | None = None
    length: int | None = None
    audience: frozenset[str] = frozenset()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    withdrawn_at: datetime | None = None

    def __post_init__(self) -> None:
        for name in ("valid_from", "valid_to", "withdrawn_at"):
            moment = getattr(self, name)
            if moment is not None and moment.tzinfo is None:
                raise ItemError(f"/{name}", "a time without a time zone")


def _finite(value: object, pointer: str) -> float | None:
    if value is None:
        return None
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not math.isfinite(value):
        raise OutputError(pointer, "must be a finite number")
    return float(value)


def _texts(value: object, pointer: str, error: type[ItemError] | type[OutputError]) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)) or not all(isinstance(v, str) for v in value):
        raise error(pointer, "must be a list of texts")
    return tuple(value)


@dataclass(frozen=True, slots=True)
class EvalItem:
    """One question with what is known about its right answer. ``cluster`` falls back to the item's own id."""

    external_id: str
    answerable: bool = True
    types: tuple[str, ...] = ()
    tiers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    language: str | None = None
    cluster: str = ""
    gold: Gold = field(default_factory=Gold)
    reference: str | None = None
    assertions: tuple[Mapping[str, Any], ...] = ()
    perturbs_id: str | None = None
    perturbation: str | None = None
    query_time: str | None = None
    audience: tuple[str, ...] = ()
    question: str | None = None
    claims: tuple[Mapping[str, Any], ...] = ()
    nuggets: tuple[Mapping[str, Any], ...] = ()
    subquestions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.external_id:
            raise ItemError("/external_id", "an item needs an external_id")
        if not self.cluster:
            object.__setattr__(self, "cluster", self.perturbs_id or self.external_id)

    @property
    def false_premise(self) -> bool:
        """True for an unanswerable item whose question rests on something untrue."""
        return not self.answerable and "false_premise" in self.types

    @classmethod
    def from_native(cls, value: Mapping[str, Any]) -> EvalItem:
        """Read a native item (see the API page). Raises ItemError or GoldError with a JSON pointer.

        A perturbed item without a cluster of its own takes its original's id. Assertions are kept as they are;
        ``scoring.answers.validate`` checks them on import.
        """
        if not isinstance(value, Mapping):
            raise ItemError("", "an item is an object")
        external_id = value.get("external_id")
        if not isinstance(external_id, str) or not external_id:
            raise ItemError("/external_id", "an item needs an external_id")
        answerable = value.get("answerable", True)
        if not isinstance(answerable, bool):
            raise ItemError("/answerable", "must be true or false")
        for key in ("language", "cluster", "reference", "query_time", "question"):
            if value.get(key) is not None and not isinstance(value[key], str):
                raise ItemError(f"/{key}", "must be a text")
        objects: dict[str, tuple[Mapping[str, Any], ...]] = {}
        for key in ("assertions", "claims", "nuggets"):
            raw = value.get(key)
            raw = [] if raw is None else raw
            if not isinstance(raw, (list, tuple)):
                raise ItemError(f"/{key}", "must be a list of objects")
            for index, entry in enumerate(raw):
                if not isinstance(entry, Mapping):
                    raise ItemError(f"/{key}/{index}", "must be an object")
            objects[key] = tuple(raw)
        perturbs = value.get("perturbs")
        if perturbs is not None and not isinstance(perturbs, Mapping):
            raise ItemError("/perturbs", "must be an object {external_id, kind}")
        original = kind = None
        if perturbs:
            original, kind = perturbs.get("external_id"), perturbs.get("kind")
            if not isinstance(original, str) or not original:
                raise ItemError("/perturbs/external_id", "must name the original item")
            if kind is not None and not isinstance(kind, str):
                raise ItemError("/perturbs/kind", "must be a text")
        return cls(
            external_id=external_id,
            answerable=answerable,
            types=_texts(value.get("types"), "/types", ItemError),
            tiers=_texts(value.get("tiers"), "/tiers", ItemError),
            tags=_texts(value.get("tags"), "/tags", ItemError),
            language=value.get("language"),
            cluster=value.get("cluster") or "",
            gold=Gold.from_native(value.get("evidence"), value.get("relevance"), value.get("copies")),
            reference=value.get("reference"),
            assertions=objects["assertions"],
            perturbs_id=original,
            perturbation=kind,
            query_time=value.get("query_time"),
            audience=_texts(value.get("audience"), "/audience", ItemError),
            question=value.get("question"),
            claims=objects["claims"],
            nuggets=objects["nuggets"],
            subquestions=_texts(value.get("subquestions"), "/subquestions", ItemError),
        )


OUTCOMES = ("answered", "partial", "refused", "failed", "missing")


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """What the system under test gave for one item and repeat.

    ``outcome`` is one of answered, partial, refused, failed, missing; ``outcome_source`` says who decided: ``declared``
    by the system, or the identity of the rule that read the answer. An answer that is empty without a refusal counts as
    failed: the system returned nothing.
    """

    external_id: str
    repeat: int = 1
    answer: str | None = None
    outcome: str = "missing"
    confidence: float | None = None
    retrieved: Mapping[str, tuple[Unit, ...]] = field(default_factory=dict)
    contexts: tuple[str, ...] = ()
    citations: tuple[Mapping[str, Any], ...] = ()
    error: str | None = None
    latency_ms: float | None = None
    tokens: Mapping[str, Any] | None = None
    cost: float | None = None
    outcome_source: str = "declared"

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise OutputError("/outcome", f"{self.outcome!r} is not one of {', '.join(OUTCOMES)}")

    @property
    def failed(self) -> bool:
        """True where the system errored, timed out or returned nothing."""
        if self.outcome in ("answered", "partial"):
            return not (self.answer or "").strip()
        return self.outcome != "refused"

    @property
    def refused(self) -> bool:
        """True where the system declined to answer."""
        return self.outcome == "refused"

    @property
    def answered(self) -> bool:
        """True where there is an answer, whole or partial."""
        return self.outcome in ("answered", "partial") and not self.failed

    @classmethod
    def missing(cls, external_id: str, repeat: int = 1) -> SystemOutput:
        """The output that never came."""
        return cls(external_id=external_id, repeat=repeat, outcome="missing")

    @classmethod
    def from_native(cls, value: Mapping[str, Any]) -> SystemOutput:
        """Read a native output (see the API page). Raises OutputError with a JSON pointer.

        Without a declared ``outcome``: an error or an empty answer is ``failed``, else the rule of
        ``scoring.refusal.detect`` reads the answer. ``retrieved`` may be a plain list, which becomes the stage
        ``retrieved``. ``retrieved_contexts`` stands for ``contexts``, ``response`` for ``answer``.
        """
        if not isinstance(value, Mapping):
            raise OutputError("", "an output is an object")
        external_id = value.get("external_id")
        if not isinstance(external_id, str) or not external_id:
            raise OutputError("/external_id", "an output needs an external_id")
        repeat = value.get("repeat", 1)
        if not isinstance(repeat, int) or isinstance(repeat, bool) or repeat < 1:
            raise OutputError("/repeat", "must be a whole number from 1 up")
        answer = value.get("answer", value.get("response"))
        if answer is not None and not isinstance(answer, str):
            raise OutputError("/answer", "must be a text")
        error = value.get("error")
        error = None if error in (None, "", False) else str(error)
        outcome, source = _outcome(value.get("outcome"), answer, error)
        contexts = value.get("contexts")
        if contexts is None:
            contexts = value.get("retrieved_contexts")
        citations = value.get("citations")
        citations = [] if citations is None else citations
        if not isinstance(citations, (list, tuple)):
            raise OutputError("/citations", "must be a list of objects")
        for index, citation in enumerate(citations):
            if not isinstance(citation, Mapping):
                raise OutputError(f"/citations/{index}", "must be an object")
        tokens = value.get("tokens")
        if tokens is not None and not isinstance(tokens, Mapping):
            raise OutputError("/tokens", "must be an object")
        return cls(
            external_id=external_id,
            repeat=repeat,
            answer=answer,
            outcome=outcome,
            confidence=_finite(value.get("confidence"), "/confidence"),
            retrieved=_stages(value.get("retrieved")),
            contexts=_texts(contexts, "/contexts", OutputError),
            citations=tuple(citations),
            error=error,
            latency_ms=_finite(value.get("latency_ms"), "/latency_ms"),
            tokens=tokens,
            cost=_finite(value.get("cost"), "/cost"),
            outcome_source=source,
        )


def _outcome(declared: object, answer: str | None, error: str | None) -> tuple[str, str]:
    if declared is not None:
        if declared not in OUTCOMES:
            raise OutputError("/outcome", f"{declared!r} is not one of {', '.join(OUTCOMES)}")
        return str(declared), "declared"
    if error is not None or not (answer or "").strip():
        return "failed", "empty or error"
    return detect(answer or "").outcome, REFUSAL_RULES


def _stages(value: object) -> dict[str, tuple[Unit, ...]]:
    if value is None:
        return {}
    if isinstance(value, (list, tuple)):
        value = {"retrieved": value}
        flat = True
    else:
        flat = False
    if not isinstance(value, Mapping):
        raise OutputError("/retrieved", "must be an object of stage to list, or one list")
    stages: dict[str, tuple[Unit, ...]] = {}
    for stage, units in value.items():
        pointer = "/retrieved" if flat else f"/retrieved/{stage}"
        if not isinstance(stage, str) or not stage:
            raise OutputError("/retrieved", "the name of a stage may not be empty")
        if units is None:
            continue
        if not isinstance(units, Sequence) or isinstance(units, (str, bytes)):
            raise OutputError(pointer, "must be a list")
        stages[stage] = tuple(Unit.from_native(unit, f"{pointer}/{i}") for i, unit in enumerate(units))
    return stages


# Re-exported for callers that catch both.
NativeError = (GoldError, ItemError, OutputError)
