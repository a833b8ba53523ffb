"""A batch of (item, output) pairs with what several metrics read: gold indexes, stages, verdicts of assertions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from scoring.answers.verdict import Verdict, verdict_of
from scoring.judgements import NOTHING_JUDGED, Judgements
from scoring.retrieval.stage import GoldIndex, StageData, prepare
from scoring.types import Document, EvalItem, SystemOutput


class Batch:
    """n aligned pairs; every derived table is made at most once."""

    def __init__(
        self,
        items: Sequence[EvalItem],
        outputs: Sequence[SystemOutput],
        *,
        stages: Collection[str] | None = None,
        documents: Iterable[Document] | None = None,
        history: Iterable[Document] | None = None,
        judgements: Mapping[tuple[str, int], Judgements] | None = None,
    ) -> None:
        self.items = items
        self.outputs = outputs
        self.stages = stages
        self.documents: dict[tuple[str, str | None], Document] | None = None
        if documents is not None:
            self.documents = {(d.doc_id, d.version_id): d for d in documents}
        self.history = self.documents
        if history is not None:
            self.history = {**(self.documents or {}), **{(d.doc_id, d.version_id): d for d in history}}
        known = judgements or {}
        self.judgements = [known.get((output.external_id, output.repeat), NOTHING_JUDGED) for output in outputs]
        self._index: list[GoldIndex] | None = None
        self._prepared: dict[str | None, StageData] = {}
        self._verdicts: list[Verdict] | None = None

    @property
    def index(self) -> list[GoldIndex]:
        """One gold index per pair, shared between the repeats of an item."""
        if self._index is None:
            made: dict[int, GoldIndex] = {}
            for item in self.items:
                if id(item) not in made:
                    made[id(item)] = GoldIndex.of(item.gold)
            self._index = [made[id(item)] for item in self.items]
        return self._index

    def stage(self, name: str | None) -> StageData:
        """Columns of one stage."""
        found = self._prepared.get(name)
        if found is None:
            found = prepare(self.items, self.index, self.outputs, name, self.stages, self.documents)
            self._prepared[name] = found
        return found

    @property
    def verdicts(self) -> list[Verdict]:
        """What the must assertions say of each pair."""
        if self._verdicts is None:
            self._verdicts = [verdict_of(item, out) for item, out in zip(self.items, self.outputs, strict=True)]
        return self._verdicts
