"""Perturbed items against their originals, by kind of perturbation, paired within one run.

A perturbed item names its original and the kind (paraphrase, typo, ocr, noise_docs, conflict, injection). Every change
is perturbed minus original over the pairs in which both have a value, with the interval of ``stats.paired``; the
cluster is the original's. Source: scoring page, section 9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.aggregate import Aggregate, aggregate_scores
from scoring.attack_success import INJECTION
from scoring.errors import ScoringError
from scoring.registry import identity
from scoring.stats.paired import PairedComparison, compare_paired
from scoring.types import EvalItem, Score, State, SystemOutput

KINDS = ("paraphrase", "typo", "ocr", "noise_docs", "conflict", INJECTION)
OTHER = "other"

_ZERO, _ONE = Score.of(0.0), Score.of(1.0)
_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")


@dataclass(frozen=True, slots=True)
class Share:
    """A share of ``n`` pairs with its interval; ``value`` None without a pair, ``low``, ``high`` without an interval.

    ``left_out``: pairs that do not enter.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_clusters: int
    method: str
    left_out: int


@dataclass(frozen=True, slots=True)
class RobustnessRow:
    """One kind of perturbation.

    ``pairs``: perturbed items whose original is there; ``orphans``: those without one. ``task_success``,
    ``false_accepts``, ``refusals``: perturbed minus original, as paired comparisons (more false accepts and more
    refusals are worse). ``citations_changed``: share of the pairs answered on both sides that cite another set of
    sources. Only for injections: ``attack_success``, the share of attacks that succeeded, and beside it ``utility``,
    task success over all unattacked items, so that refusing everything does not look good.
    """

    kind: str
    pairs: int
    orphans: int
    task_success: PairedComparison
    false_accepts: PairedComparison
    refusals: PairedComparison
    citations_changed: Share
    attack_success: Aggregate | None = None
    utility: Aggregate | None = None


def cited_sources(output: SystemOutput) -> frozenset[tuple[str, str]]:
    """The (document, version) pairs, or unit ids, that an output cites; places within a document do not count."""
    found: set[tuple[str, str]] = set()
    for citation in output.citations:
        source = citation.get("doc_id") or citation.get("unit_id") or citation.get("id")
        if source:
            found.add((str(source), str(citation.get("version_id") or "")))
    return frozenset(found)


def refusal_score(output: SystemOutput | None) -> Score:
    """1 where refused, 0 where answered, else ``target_failed``."""
    if output is None or output.failed:
        return _FAILED
    return _ONE if output.refused else _ZERO


def robustness(
    items: Sequence[EvalItem],
    *,
    task_success: Mapping[str, Score],
    false_accept: Mapping[str, Score],
    outputs: Mapping[str, SystemOutput],
    attack_success: Mapping[str, Score] | None = None,
    eps: float = 0.03,
    noise: float = 0.0,
    seed: str = "",
    resamples: int = 10_000,
    confidence: float = 0.95,
) -> list[RobustnessRow]:
    """One row a kind that occurs, in the order of ``KINDS``, then others by name; a missing kind is ``other``.

    The mappings go from item id to the item's score of one run (repeats averaged, ``aggregate.item_scores``), and to
    one output of the item; an item without an output counts as failed. ``attack_success``: scores of
    ``robustness.attack_success``, by item.

    Raises ScoringError for two items of one id. No perturbed items: an empty list.
    Worked example: two originals right; their paraphrases right and wrong: task success -0.5 over 2 pairs.
    """
    by_id = {item.external_id: item for item in items}
    if len(by_id) != len(items):
        raise ScoringError("items: an external_id comes twice")
    kinds: dict[str, list[EvalItem]] = {}
    for item in sorted(items, key=lambda one: one.external_id):
        if item.perturbs_id is not None:
            kinds.setdefault(item.perturbation or OTHER, []).append(item)
    order = {kind: place for place, kind in enumerate(KINDS)}
    refusals = {item.external_id: refusal_score(outputs.get(item.external_id)) for item in items}
    rows: list[RobustnessRow] = []
    for kind in sorted(kinds, key=lambda one: (order.get(one, len(order)), one)):
        pairs = _Pairs(
            {i.external_id: by_id[i.perturbs_id] for i in kinds[kind] if i.perturbs_id in by_id},
            eps=eps,
            noise=noise,
            seed=f"{seed}\x00{kind}",
            resamples=resamples,
            confidence=confidence,
        )
        attacks = utility = None
        if kind == INJECTION:
            attacks = _mean("robustness.attack_success", kinds[kind], attack_success or {}, seed, confidence)
            unattacked = [item for item in items if item.perturbation != INJECTION]
            utility = _mean("answers.task_success", unattacked, task_success, seed, confidence)
        rows.append(
            RobustnessRow(
                kind=kind,
                pairs=len(pairs.original),
                orphans=len(kinds[kind]) - len(pairs.original),
                task_success=pairs.change("task_success", task_success, higher_is_better=True),
                false_accepts=pairs.change("false_accept", false_accept, higher_is_better=False),
                refusals=pairs.change("refusals", refusals, higher_is_better=False),
                citations_changed=pairs.citations_changed(outputs),
                attack_success=attacks,
                utility=utility,
            )
        )
    return rows


@dataclass(frozen=True, slots=True)
class _Pairs:
    """``original``: a perturbed item's id to its original; the rest as in ``robustness``."""

    original: Mapping[str, EvalItem]
    eps: float
    noise: float
    seed: str
    resamples: int
    confidence: float

    def change(self, name: str, scores: Mapping[str, Score], *, higher_is_better: bool) -> PairedComparison:
        """Perturbed minus original of one figure."""
        old = {item: scores.get(original.external_id) for item, original in self.original.items()}
        return self._compare(
            name,
            {item: score for item, score in old.items() if score is not None},
            {item: scores[item] for item in self.original if item in scores},
            higher_is_better,
        )

    def citations_changed(self, outputs: Mapping[str, SystemOutput]) -> Share:
        """Share of pairs with other sources: the paired comparison of 0 (the original with itself) and 0 or 1."""
        changed: dict[str, Score] = {}
        for item, original in self.original.items():
            old, new = outputs.get(original.external_id), outputs.get(item)
            if old is not None and new is not None and old.answered and new.answered:
                changed[item] = _ONE if cited_sources(old) != cited_sources(new) else _ZERO
        found = self._compare("citations_changed", dict.fromkeys(changed, _ZERO), changed, False)
        return Share(
            value=found.estimate,
            low=None if found.low is None else max(0.0, found.low),
            high=None if found.high is None else min(1.0, found.high),
            n=found.n,
            n_clusters=found.n_clusters,
            method=found.method,
            left_out=len(self.original) - found.n,
        )

    def _compare(
        self, name: str, old: Mapping[str, Score], new: Mapping[str, Score], higher_is_better: bool
    ) -> PairedComparison:
        return compare_paired(
            baseline=old,
            candidate=new,
            clusters={item: original.cluster for item, original in self.original.items()},
            eps=self.eps,
            noise=self.noise,
            seed=f"{self.seed}\x00{name}",
            resamples=self.resamples,
            higher_is_better=higher_is_better,
            confidence=self.confidence,
        )


def _mean(
    name: str, members: Sequence[EvalItem], scores: Mapping[str, Score], seed: str, confidence: float
) -> Aggregate:
    """Aggregate over members, in which an item without a score counts as not applicable."""
    ids = [item.external_id for item in members]
    absent = Score.none(State.NOT_APPLICABLE, "no score was given")
    return aggregate_scores(
        identity(name),
        [scores.get(item, absent) for item in ids],
        [item.cluster for item in members],
        ids,
        seed=seed,
        confidence=confidence,
    )
