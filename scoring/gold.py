"""Gold: which evidence an item needs (an OR of ANDs of ORs), graded labels, and declared copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from scoring.errors import GoldError


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open character span ``[start, end)`` of one version of a source document. ``version_id`` None: any."""

    doc_id: str
    version_id: str | None
    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start < 0 or self.end <= self.start:
            raise GoldError("", f"span [{self.start}, {self.end}) of {self.doc_id!r} is empty or negative")


Alternative = str | Span
Requirement = tuple[Alternative, ...]
Group = tuple[Requirement, ...]


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _list(value: object, pointer: str, what: str) -> Sequence[Any]:
    if not isinstance(value, (list, tuple)):
        raise GoldError(pointer, f"{what} must be a list")
    return value


def _alternative(value: object, pointer: str) -> Alternative:
    if isinstance(value, str):
        if not value.strip():
            raise GoldError(pointer, "a unit id may not be empty")
        return value
    if not isinstance(value, Mapping):
        raise GoldError(pointer, "an alternative is a unit id or an object {doc_id, version_id, start, end}")
    doc_id, version_id = value.get("doc_id"), value.get("version_id")
    if not isinstance(doc_id, str) or not doc_id:
        raise GoldError(f"{pointer}/doc_id", "a span needs a doc_id")
    if version_id is not None and (not isinstance(version_id, str) or not version_id):
        raise GoldError(f"{pointer}/version_id", "version_id must be a text")
    start, end = value.get("start"), value.get("end")
    if not _is_int(start):
        raise GoldError(f"{pointer}/start", "start must be a whole number")
    if not _is_int(end):
        raise GoldError(f"{pointer}/end", "end must be a whole number")
    assert isinstance(start, int)
    assert isinstance(end, int)
    if start < 0 or end <= start:
        raise GoldError(f"{pointer}/end", f"the span [{start}, {end}) is empty or negative")
    return Span(doc_id, version_id, start, end)


def _groups(evidence: object) -> tuple[Group, ...]:
    groups: list[Group] = []
    for g, raw_group in enumerate(_list(evidence, "/evidence", "evidence")):
        pointer = f"/evidence/{g}"
        requirements: list[Requirement] = []
        for r, raw in enumerate(_list(raw_group, pointer, "an evidence group")):
            place = f"{pointer}/{r}"
            members = tuple(_alternative(v, f"{place}/{a}") for a, v in enumerate(_list(raw, place, "a requirement")))
            if not members:
                raise GoldError(place, "a requirement without alternatives can never be satisfied")
            requirements.append(tuple(dict.fromkeys(members)))
        if not requirements:
            raise GoldError(pointer, "an evidence group without requirements would always be satisfied")
        groups.append(tuple(requirements))
    return tuple(groups)


def _relevance(relevance: object) -> dict[str, int]:
    if not isinstance(relevance, Mapping):
        raise GoldError("/relevance", "relevance must be an object of unit id to label")
    labels: dict[str, int] = {}
    for unit, label in relevance.items():
        pointer = "/relevance/" + str(unit).replace("~", "~0").replace("/", "~1")
        if not isinstance(unit, str) or not unit.strip():
            raise GoldError(pointer, "a unit id may not be empty")
        if not _is_int(label) or label < 0:
            raise GoldError(pointer, "a label must be a whole number from 0 up")
        labels[unit] = label
    return labels


def _copies(copies: object) -> tuple[tuple[str, ...], ...]:
    result: list[tuple[str, ...]] = []
    for c, raw in enumerate(_list(copies, "/copies", "copies")):
        pointer = f"/copies/{c}"
        members = _list(raw, pointer, "a set of copies")
        for m, unit in enumerate(members):
            if not isinstance(unit, str) or not unit.strip():
                raise GoldError(f"{pointer}/{m}", "a copy must be a unit id")
        if len(set(members)) < 2:
            raise GoldError(pointer, "a set of copies needs at least two different unit ids")
        result.append(tuple(dict.fromkeys(members)))
    return tuple(result)


@dataclass(frozen=True, slots=True)
class Gold:
    """What an item's evidence is.

    ``groups``: any one group suffices; in it all requirements are needed; of a requirement any alternative will do.
    ``relevance``: unit id to graded label. ``copies``: sets of unit ids that hold the same text; sets that share a
    member are one set. An empty group or requirement is refused (GoldError).

    Worked example: ``Gold.from_native([[["A"], ["B"], ["C"]], [["D"]]])``: A, B and C together, or D alone.
    """

    groups: tuple[Group, ...] = ()
    relevance: Mapping[str, int] = field(default_factory=dict)
    copies: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        for g, group in enumerate(self.groups):
            if not group:
                raise GoldError(f"/evidence/{g}", "an evidence group without requirements would always be satisfied")
            for r, requirement in enumerate(group):
                if not requirement:
                    raise GoldError(f"/evidence/{g}/{r}", "a requirement without alternatives can never be satisfied")

    @classmethod
    def from_native(cls, evidence: Any = None, relevance: Any = None, copies: Any = None) -> Gold:
        """Read the native JSON of an item's ``evidence``, ``relevance`` and ``copies``; None stands for absent.

        Raises GoldError with a JSON pointer relative to the item (``/evidence/0/1/0/end``).
        """
        return cls(
            groups=_groups(evidence if evidence is not None else []),
            relevance=_relevance(relevance if relevance is not None else {}),
            copies=_copies(copies if copies is not None else []),
        )

    def canonical(self) -> dict[str, str]:
        """Map each declared copy to its canonical id: the first-named member of its (merged) set."""
        parent: dict[str, str] = {}

        def find(unit: str) -> str:
            while parent[unit] != unit:
                parent[unit] = parent[parent[unit]]
                unit = parent[unit]
            return unit

        for members in self.copies:
            for unit in members:
                parent.setdefault(unit, unit)
            root = find(members[0])
            for unit in members[1:]:
                parent[find(unit)] = root
        return {unit: find(unit) for unit in parent}

    def labels(self) -> dict[str, int]:
        """Labels by canonical id, the highest over the copies; where there are none, the alternatives' ids as 1."""
        canon = self.canonical()
        labels: dict[str, int] = {}
        source: Mapping[str, int] = self.relevance or {
            alternative: 1
            for group in self.groups
            for requirement in group
            for alternative in requirement
            if isinstance(alternative, str)
        }
        for unit, label in source.items():
            key = canon.get(unit, unit)
            labels[key] = max(label, labels.get(key, label))
        return labels

    @property
    def is_empty(self) -> bool:
        """True where nothing is labelled at all."""
        return not self.groups and not self.relevance

    @property
    def spans_only(self) -> bool:
        """True where the only labels are source spans, so that no set of relevant units exists."""
        if self.relevance or not self.groups:
            return False
        return not any(isinstance(a, str) for group in self.groups for requirement in group for a in requirement)
