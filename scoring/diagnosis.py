"""Where the loss is: a table of rules over aggregates, each finding with the figures that fired it.

Rules (scoring page, section 4): a deep hit rate that is low points at the index or recall path; a high deep and a low
shallow one at reranking; a high shallow one with bad answers at evidence, context assembly or generation, split by the
evidence that reached the prompt; and so on. Thresholds belong to the suite. A rule whose figures are missing is silent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scoring.aggregate import Aggregate
from scoring.errors import ScoringError
from scoring.identity import MetricIdentity


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Below ``low`` is low, from ``high`` up is high; in between no rule fires. ``least_items``: fewer are not
    judged.
    """

    hit_low: float = 0.7
    hit_high: float = 0.85
    recall_low: float = 0.6
    complete_low: float = 0.6
    complete_high: float = 0.8
    answer_low: float = 0.7
    faithfulness_low: float = 0.8
    faithfulness_high: float = 0.9
    least_items: int = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """``symptom``: what the figures show; ``layer``: where to look; ``figures``: identity text to value; ``code``:
    stable, one for each pair of symptom and layer (``CODES``), for pages that say it in other words.
    """

    symptom: str
    layer: str
    figures: Mapping[str, float] = field(default_factory=dict)
    code: str = ""


CODES = (
    "candidates_lack_evidence",
    "evidence_ranked_low",
    "evidence_found_in_part",
    "answers_bad_after_retrieval",
    "answers_bad_prompt_incomplete",
    "answers_bad_prompt_complete",
    "answers_unfaithful",
    "source_wrong_or_outdated",
)


@dataclass(frozen=True, slots=True)
class _Figure:
    identity: MetricIdentity
    value: float


class _Figures:
    """Looks aggregates up by name, cutoff and stage."""

    def __init__(self, aggregates: Mapping[MetricIdentity, Aggregate | float | None], least: int) -> None:
        self.found: list[_Figure] = []
        for identity, aggregate in aggregates.items():
            if isinstance(aggregate, Aggregate):
                value = aggregate.value if aggregate.n_scored >= least else None
            else:
                value = aggregate
            if value is not None and not math.isfinite(value):
                raise ScoringError(f"{identity.text}: the figure is NaN or infinite")
            if value is not None:
                self.found.append(_Figure(identity, value))

    def named(self, name: str, stage: str | None = None) -> list[_Figure]:
        """Figures of a metric (of one stage), by rising cutoff; no cutoff counts as the deepest."""
        picked = [f for f in self.found if f.identity.name == name and (stage is None or f.identity.stage == stage)]
        return sorted(picked, key=lambda f: (f.identity.k is None, f.identity.k or 0, f.identity.text))

    def answer(self) -> _Figure | None:
        """Correctness of what was answered, else the primary figure."""
        for name in ("answers.correct", "answers.task_success"):
            figures = self.named(name)
            if figures:
                return figures[0]
        return None

    def faithfulness(self) -> _Figure | None:
        figures = self.named("ragas.faithfulness")
        return figures[0] if figures else None

    def prompt_complete(self) -> _Figure | None:
        figures = self.named("retrieval.evidence_complete", "prompt")
        return figures[-1] if figures else None


def _finding(symptom: str, layer: str, code: str, *figures: _Figure) -> list[Finding]:
    return [Finding(symptom, layer, {f.identity.text: f.value for f in figures}, code)]


def _deep_and_shallow(figures: _Figures) -> tuple[_Figure | None, _Figure | None]:
    hits = figures.named("retrieval.hit")
    if not hits:
        return None, None
    deep = hits[-1]
    shallow = next((f for f in hits if f.identity.k is not None and f.identity.k < (deep.identity.k or 10**9)), None)
    return deep, shallow


def _index(figures: _Figures, limits: Thresholds) -> list[Finding]:
    deep, _ = _deep_and_shallow(figures)
    if deep is None or deep.value >= limits.hit_low:
        return []
    return _finding(
        "relevant units are rarely among the deepest candidates",
        "index or recall path",
        "candidates_lack_evidence",
        deep,
    )


def _reranking(figures: _Figures, limits: Thresholds) -> list[Finding]:
    deep, shallow = _deep_and_shallow(figures)
    if deep is None or shallow is None or deep.value < limits.hit_high or shallow.value >= limits.hit_low:
        return []
    return _finding(
        "relevant units are among the candidates but not at the top", "reranking", "evidence_ranked_low", deep, shallow
    )


def _granularity(figures: _Figures, limits: Thresholds) -> list[Finding]:
    hits = {(f.identity.k, f.identity.stage): f for f in figures.named("retrieval.hit")}
    for recall in (*figures.named("retrieval.evidence_recall"), *figures.named("retrieval.recall")):
        hit = hits.get((recall.identity.k, recall.identity.stage))
        if hit is not None and hit.value >= limits.hit_high and recall.value < limits.recall_low:
            return _finding(
                "some evidence is found but much is missing",
                "chunk granularity, or K too small",
                "evidence_found_in_part",
                hit,
                recall,
            )
    return []


def _after_retrieval(figures: _Figures, limits: Thresholds) -> list[Finding]:
    deep, shallow = _deep_and_shallow(figures)
    top = shallow or deep
    answer = figures.answer()
    if top is None or answer is None or top.value < limits.hit_high or answer.value >= limits.answer_low:
        return []
    complete = figures.prompt_complete()
    symptom = "relevant units are at the top but answers are bad"
    seen = [top, answer] if complete is None else [top, answer, complete]
    if complete is not None and complete.value < limits.complete_low:
        code = "answers_bad_prompt_incomplete"
        return _finding(symptom, "evidence coverage or context assembly (truncation)", code, *seen)
    if complete is not None and complete.value >= limits.complete_high:
        return _finding(symptom, "generation", "answers_bad_prompt_complete", *seen)
    return _finding(symptom, "evidence coverage, context assembly or generation", "answers_bad_after_retrieval", *seen)


def _generation(figures: _Figures, limits: Thresholds) -> list[Finding]:
    complete, faithfulness = figures.prompt_complete(), figures.faithfulness()
    if complete is None or faithfulness is None:
        return []
    if complete.value < limits.complete_high or faithfulness.value >= limits.faithfulness_low:
        return []
    return _finding(
        "the evidence is in the prompt but answers do not follow it",
        "generation",
        "answers_unfaithful",
        complete,
        faithfulness,
    )


def _source(figures: _Figures, limits: Thresholds) -> list[Finding]:
    faithfulness, answer = figures.faithfulness(), figures.answer()
    if faithfulness is None or answer is None:
        return []
    if faithfulness.value < limits.faithfulness_high or answer.value >= limits.answer_low:
        return []
    return _finding(
        "answers follow their sources but are wrong",
        "the source is wrong or outdated: check freshness",
        "source_wrong_or_outdated",
        faithfulness,
        answer,
    )


RULES: tuple[Callable[[_Figures, Thresholds], list[Finding]], ...] = (
    _index,
    _reranking,
    _granularity,
    _after_retrieval,
    _generation,
    _source,
)


def diagnose(
    aggregates: Mapping[MetricIdentity, Aggregate | float | None], thresholds: Thresholds | None = None
) -> list[Finding]:
    """Findings in the order of the layers, from index to source; nothing wrong or nothing known: an empty list.

    Values may be aggregates or plain numbers (an item's own scores); one that is not finite raises ScoringError. Worked
    example: hit@50 = 0.95, hit@5 = 0.4: one finding, reranking, with both figures.
    """
    limits = thresholds or Thresholds()
    figures = _Figures(aggregates, limits.least_items)
    return [finding for rule in RULES for finding in rule(figures, limits)]
