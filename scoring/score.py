"""Score a batch: what metrics have in common (copies, de-duplication, hits, assertions) is worked out once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from scoring.batch import Batch
from scoring.errors import ScoringError
from scoring.identity import MetricIdentity
from scoring.judgements import Judgements
from scoring.registry import spec_of
from scoring.types import Document, EvalItem, Score, State, SystemOutput

_ZERO = Score(State.SCORED, 0.0)
_ONE = Score(State.SCORED, 1.0)


def score_batch(
    identities: Sequence[MetricIdentity],
    items: Sequence[EvalItem],
    outputs: Sequence[SystemOutput],
    *,
    stages: Collection[str] | None = None,
    documents: Iterable[Document] | None = None,
    history: Iterable[Document] | None = None,
    judgements: Mapping[tuple[str, int], Judgements] | None = None,
) -> list[list[Score]]:
    """Scores of n aligned (item, output) pairs: outer list per identity, inner per pair.

    ``stages``: the stages that the run reports; given, an output that lacks one of them has returned an empty list, and
    any other stage is ``not_applicable`` (see ``retrieval.stage.pick_list`` for the rule without it). ``documents``:
    the snapshot, for the metrics that need it. ``history``: versions outside of the snapshot with their
    validity (ended, withdrawn, later ones), which freshness reads beside it. ``judgements``: what was judged of an
    output, by external id and repeat; a metric that needs a judgement which is not there is ``not_applicable``. The
    same item may stand in several pairs (repeats).

    Raises ScoringError where the two sequences differ in length or a pair's ids differ, MetricError for an identity
    that the registry does not know. Empty input gives empty lists. Cost: linear in units, once per stage.
    """
    if len(items) != len(outputs):
        raise ScoringError(f"items ({len(items)}) and outputs ({len(outputs)}) differ in length")
    for place, (item, output) in enumerate(zip(items, outputs, strict=True)):
        if item.external_id != output.external_id:
            raise ScoringError(f"pair {place}: item {item.external_id!r} stands beside output {output.external_id!r}")
    specs = [spec_of(identity) for identity in identities]
    batch = Batch(items, outputs, stages=stages, documents=documents, history=history, judgements=judgements)
    results: list[list[Score]] = []
    for identity, (spec, params) in zip(identities, specs, strict=True):
        data: Any = batch.stage(identity.stage) if spec.staged else batch
        results.append(_scores(spec.compute(data, **params)))
    return results


def _scores(computed: Any) -> list[Score]:
    """Scores from a metric's answer: a list of them, or columns (values, states[, details])."""
    if isinstance(computed, list):
        return computed
    values, states, *rest = computed
    details: Sequence[Mapping[str, Any]] | None = rest[0] if rest else None
    scores: list[Score] = []
    scored = State.SCORED
    for place, (value, state) in enumerate(zip(values.tolist(), states, strict=True)):
        if state is not None:
            scores.append(state)
        elif details is not None:
            scores.append(Score(scored, value, details[place]))
        elif value == 0.0:
            scores.append(_ZERO)
        elif value == 1.0:
            scores.append(_ONE)
        else:
            scores.append(Score(scored, value))
    return scores
