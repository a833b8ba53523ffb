"""From items and outputs to columns: picks the stage, maps copies, removes duplicates, finds satisfied requirements."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from scoring.gold import Gold, Span
from scoring.retrieval.columns import NEVER, EvidenceRanks, Ints, RankedLabels, columns
from scoring.types import Document, EvalItem, Score, State, SystemOutput, Unit

#: Which list is read where the identity names no stage: the last one before the context window.
DEFAULT_ORDER = ("reranked", "retrieved", "coarse", "prompt")

_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")
_NO_GOLD = Score.none(State.NO_GOLD, "no labelled evidence")
_SPANS_ONLY = Score.none(State.NOT_APPLICABLE, "the gold is source spans only; use the evidence metrics")


@dataclass(slots=True)
class GoldIndex:
    """What retrieval needs of one item's gold, worked out once per item."""

    canonical: dict[str, str]
    labels: dict[str, int]
    groups: tuple[tuple[tuple[tuple[str, ...], tuple[Span, ...]], ...], ...]
    spans_only: bool
    has_spans: bool

    @classmethod
    def of(cls, gold: Gold) -> GoldIndex:
        """Index one item's gold; plain labels without groups are one group in which each relevant id is needed."""
        canonical = gold.canonical()
        labels = gold.labels()
        groups = tuple(
            tuple(
                (
                    tuple(canonical.get(a, a) for a in requirement if isinstance(a, str)),
                    tuple(a for a in requirement if isinstance(a, Span)),
                )
                for requirement in group
            )
            for group in gold.groups
        )
        if not groups:
            needed = tuple(((unit,), ()) for unit, label in labels.items() if label >= 1)
            groups = (needed,) if needed else ()
        has_spans = any(spans for group in groups for _, spans in group)
        return cls(canonical, labels, groups, gold.spans_only, has_spans)


@dataclass(slots=True)
class StageData:
    """One stage of a batch: ranked units, columns over them, and the pairs that cannot be scored at all.

    ``blocked`` (n): a Score that stands for the pair (failed system, absent stage), else None.
    """

    n: int
    items: Sequence[EvalItem]
    index: Sequence[GoldIndex]
    units: list[Sequence[Unit]]
    raw: list[Sequence[Unit]]
    blocked: list[Score | None]
    labels: RankedLabels
    documents: dict[tuple[str, str | None], Document] | None = None
    _evidence: dict[float, EvidenceRanks] = field(default_factory=dict, repr=False)
    _states: dict[str, list[Score | None]] = field(default_factory=dict, repr=False)

    def evidence(self, theta: float) -> EvidenceRanks:
        """Requirement ranks for this theta, made once."""
        found = self._evidence.get(theta)
        if found is None:
            found = self._evidence[theta] = _evidence_ranks(self, theta)
        return found

    def states(self, level: int = 1, spans_ok: bool = False) -> list[Score | None]:
        """Pairs without a value for a metric over relevant ids: blocked, without gold, or with span-only gold.

        ``spans_ok`` True: span-only gold is measured some other way and is not marked.
        """
        key = f"ids:{level}:{spans_ok}"
        found = self._states.get(key)
        if found is None:
            relevant = self.labels.relevant(level).tolist()
            found = []
            for blocked, index, count in zip(self.blocked, self.index, relevant, strict=True):
                if index.spans_only:
                    state = blocked if spans_ok else _SPANS_ONLY
                elif not count:
                    state = _NO_GOLD
                else:
                    state = blocked
                found.append(state)
            self._states[key] = found
        return found

    def evidence_states(self) -> list[Score | None]:
        """Pairs without a value for a metric over evidence groups."""
        found = self._states.get("evidence")
        if found is None:
            found = [b if index.groups else _NO_GOLD for b, index in zip(self.blocked, self.index, strict=True)]
            self._states["evidence"] = found
        return found


def pick_list(output: SystemOutput, stage: str | None, stages: Collection[str] | None) -> Sequence[Unit] | Score:
    """The ranked list of a stage, or the Score that stands for it.

    A failed output without the list is ``target_failed``. A stage that the output lacks is ``not_applicable`` where the
    output has other stages (or ``stages``, the stages that the run reports, lacks it), and otherwise an empty list:
    returning nothing scores 0, it does not drop the question.
    """
    retrieved = output.retrieved
    if stage is None:
        for name in DEFAULT_ORDER:
            if name in retrieved:
                return retrieved[name]
        if len(retrieved) == 1:
            return next(iter(retrieved.values()))
        if len(retrieved) > 1:
            return Score.none(State.NOT_APPLICABLE, f"name a stage: the output has {', '.join(sorted(retrieved))}")
    elif stage in retrieved:
        return retrieved[stage]
    if output.failed:
        return _FAILED
    absent = (stage not in stages) if (stages is not None and stage is not None) else bool(retrieved)
    if absent:
        return Score.none(State.NOT_APPLICABLE, f"the output has no stage {stage}")
    return ()


def canonical_units(units: Sequence[Unit], canonical: dict[str, str]) -> tuple[list[str], Sequence[Unit]]:
    """Canonical ids without duplicates, first occurrence kept, and the units that stand for them."""
    ids = [unit.id for unit in units]
    if canonical:
        ids = [canonical.get(unit, unit) for unit in ids]
    if len(set(ids)) == len(ids):
        return ids, units
    first: dict[str, Unit] = {}
    for unit_id, unit in zip(ids, units, strict=True):
        if unit_id not in first:
            first[unit_id] = unit
    return list(first), list(first.values())


def prepare(
    items: Sequence[EvalItem],
    index: Sequence[GoldIndex],
    outputs: Sequence[SystemOutput],
    stage: str | None,
    stages: Collection[str] | None = None,
    documents: dict[tuple[str, str | None], Document] | None = None,
) -> StageData:
    """Columns for one stage of a batch of n aligned (item, output) pairs."""
    raw: list[Sequence[Unit]] = []
    kept: list[Sequence[Unit]] = []
    ids: list[list[str]] = []
    blocked: list[Score | None] = []
    for gold, output in zip(index, outputs, strict=True):
        found = pick_list(output, stage, stages)
        if isinstance(found, Score):
            blocked.append(found)
            raw.append(())
            kept.append(())
            ids.append([])
            continue
        blocked.append(None)
        raw.append(found)
        names, units = canonical_units(found, gold.canonical)
        ids.append(names)
        kept.append(units)
    labels = columns([gold.labels for gold in index], ids)
    return StageData(len(items), items, index, kept, raw, blocked, labels, documents)


def _span_rank(span: Span, units: Sequence[Unit], theta: float) -> int:
    """First rank at which the union of the units covers at least theta of the span; NEVER if none does."""
    need = theta * (span.end - span.start) - 1e-9
    pieces: list[tuple[int, int]] = []
    for rank, unit in enumerate(units, 1):
        if unit.doc_id != span.doc_id or unit.start is None or unit.end is None:
            continue
        if span.version_id is not None and unit.version_id != span.version_id:
            continue
        start, end = max(unit.start, span.start), min(unit.end, span.end)
        if end <= start:
            continue
        pieces.append((start, end))
        if covered(pieces) >= need:
            return rank
    return int(NEVER)


def covered(pieces: Sequence[tuple[int, int]]) -> int:
    """Length of the union of half-open intervals."""
    total, reach = 0, -1
    for start, end in sorted(pieces):
        if end > reach:
            total += end - max(start, reach)
            reach = end
    return total


def _evidence_ranks(data: StageData, theta: float) -> EvidenceRanks:
    group: list[int] = []
    rank: list[int] = []
    group_row: list[int] = []
    group_size: list[int] = []
    for row, (index, units) in enumerate(zip(data.index, data.units, strict=True)):
        if not index.groups:
            continue
        canonical = index.canonical
        place = {canonical.get(unit.id, unit.id): r for r, unit in enumerate(units, 1)}
        for requirements in index.groups:
            number = len(group_row)
            group_row.append(row)
            group_size.append(len(requirements))
            for ids, spans in requirements:
                best = int(NEVER)
                for unit_id in ids:
                    best = min(best, place.get(unit_id, best))
                for span in spans:
                    best = min(best, _span_rank(span, units, theta))
                group.append(number)
                rank.append(best)
    return EvidenceRanks(
        n=data.n,
        group=np.array(group, dtype=np.int64),
        rank=np.array(rank, dtype=np.int64),
        group_row=np.array(group_row, dtype=np.int64),
        group_size=np.array(group_size, dtype=np.int64),
    )


def budget_cut(units: Sequence[Unit], canonical: dict[str, str], budget: int) -> int | None:
    """Number of canonical units in the longest prefix that fits the token budget; None where a count is missing.

    Tokens are counted as sent, before copies are collapsed.
    """
    total = 0
    seen: set[str] = set()
    for unit in units:
        if unit.tokens is None:
            return None
        total += unit.tokens
        if total > budget:
            break
        seen.add(canonical.get(unit.id, unit.id))
    return len(seen)


def cuts(data: StageData, budget: int) -> tuple[Ints, list[bool]]:
    """Per row: the canonical cutoff under the budget, and whether a token count was missing."""
    found = [budget_cut(u, i.canonical, budget) for u, i in zip(data.raw, data.index, strict=True)]
    return np.array([c or 0 for c in found], dtype=np.int64), [c is None for c in found]
