"""Whether a run on a frozen split is so near to another one that the two runs' figures would give single items away.

Two runs are compared by what scores are made of (`selectors.answer_parts`). Each part is compared by itself: a list
that changes everywhere hides no answer that changed alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from runs_app.models import Output, Run
from runs_app.selectors.answer_parts import ANSWER, LIST, PART_COLUMNS, output_parts
from runs_app.states import RunStatus

#: Outputs of earlier runs that are read, the newest runs first: some seconds, and more than a thousand small runs.
MAX_OUTPUTS_READ = 100_000
_COLUMNS = ("repeat", "entry__item_id", "entry__revision_id", *PART_COLUMNS)

#: One repeat of a run: item → (revision, part → its value).
Answers = Mapping[int, tuple[int, Mapping[str, Any]]]


def _repeats(run: Run) -> list[Answers]:
    found: dict[int, dict[int, tuple[int, Mapping[str, Any]]]] = defaultdict(dict)
    rows = Output.objects.filter(run=run).order_by().values_list(*_COLUMNS)
    for repeat, item_id, revision_id, *rest in rows.iterator(chunk_size=2000):
        found[repeat][item_id] = (revision_id, output_parts(*rest))
    return list(found.values())


def _names(*answers: Answers) -> set[str]:
    return {name for one in answers for _revision, parts in one.values() for name in parts}


def _differing(one: Answers, other: Answers) -> Iterator[int]:
    """Yield, for each part, in how many items the two differ; an item that only one has differs in all."""
    items = one.keys() | other.keys()
    nothing: tuple[int, Mapping[str, Any]] = (0, {})
    pairs = [(one.get(item, nothing), other.get(item, nothing)) for item in items]
    for name in _names(one, other):
        yield sum(a[0] != b[0] or a[1].get(name) != b[1].get(name) for a, b in pairs)


def _is_nearly_constant(answers: Answers, limit: int) -> bool:
    """Return whether all outputs but a few are alike: one answer pushed among refusals is scored all by itself."""
    for name in _names(answers):
        if name == ANSWER or name.startswith(LIST):
            values = Counter(parts.get(name) for _revision, parts in answers.values())
            if 0 < len(answers) - values.most_common(1)[0][1] < limit:
                return True
    return False


class NearRuns:
    """Looks for a completed run on the same frozen split (any version, tier or system) that is too near to `run`."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.limit = run.dataset_version.dataset.disclosure_limit
        self._repeats = _repeats(run) if run.is_frozen_split else []
        self._seen: set[int] = set()

    def warning(self) -> dict[str, str] | None:
        """Return the warning that closes the run's figures, or None. Asked again, it looks only at runs ended since."""
        if not self.run.is_frozen_split:
            return None
        if not self._seen and any(_is_nearly_constant(answers, self.limit) for answers in self._repeats):
            return {"code": "too_few_changes", "run": ""}
        near = next((other for other in self._others() if self._is_near(other)), None)
        return None if near is None else {"code": "too_few_changes", "run": near.public_id}

    def _others(self) -> Iterator[Run]:
        others = Run.objects.filter(
            status=RunStatus.COMPLETED,
            dataset_version__dataset=self.run.dataset_version.dataset_id,
            split=self.run.split,
        ).exclude(pk__in=[self.run.pk, *self._seen])
        read = 0
        for other in others.order_by("-id").only("public_id", "expected_outputs"):
            read += other.expected_outputs
            if read > MAX_OUTPUTS_READ and self._seen:
                return
            self._seen.add(other.pk)
            yield other

    def _is_near(self, other: Run) -> bool:
        return any(
            0 < count < self.limit
            for theirs in _repeats(other)
            for ours in self._repeats
            for count in _differing(ours, theirs)
        )
