"""A run's scores by item, in columns: what comparisons and gates compute on. Thousands of rows, no model instances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from datasets_app.models import VersionEntry
from runs_app.models import MetricRecord, Output, Run, Score
from runs_app.selectors.answer_parts import PART_COLUMNS, output_parts
from runs_app.selectors.noise import RunNoise, noise_of
from scoring.aggregate import item_scores as average_repeats
from scoring.types import Score as PureScore
from scoring.types import State

#: The groupings of a comparison besides the whole: fixed with the version, so usable on a frozen split.
GROUPINGS = ("type", "language", "tier")

_NONE = {state.value: PureScore(state) for state in State if state is not State.SCORED}


@dataclass(frozen=True, slots=True)
class ItemTable:
    """Items by external id, in the order of the ids. `groups` maps (grouping, name) to its items, both sorted."""

    entry_ids: dict[int, str]
    clusters: dict[str, str]
    groups: dict[tuple[str, str], list[str]]

    @property
    def items(self) -> list[str]:
        return list(self.clusters)


@dataclass(frozen=True, slots=True)
class OutputTable:
    """A run's outputs: id → external id of the item; (external id, repeat) → part → hash of what scores are made of.

    `parts` is empty where nobody compares outputs. Its hashes hold within one process alone.
    """

    items: dict[int, str]
    parts: dict[tuple[str, int], Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Changes:
    """Outputs that differ between two runs: in any part of what scores are made of, and in the least changed part.

    `least` leaves out parts that are alike everywhere; None where nothing differs.
    """

    outputs: int
    least: int | None


def facet_groups(facets: str, language: str) -> list[tuple[str, str]]:
    """Return the groups of an entry: `|type:fact|tier:smoke|` and `en` give type fact, tier smoke, language en."""
    groups = []
    for part in facets.strip("|").split("|"):
        key, colon, value = part.partition(":")
        if colon and value and key in {"type", "tier"}:
            groups.append((key, value))
    if language:
        groups.append(("language", language))
    return groups


def item_table(*runs: Run) -> ItemTable:
    """Return the items that the runs (of one dataset version) answer, with cluster and groups.

    A perturbed item takes its original's cluster; an item without one is its own.
    """
    answered = Output.objects.filter(run__in=runs).order_by().values("entry_id")
    entries = VersionEntry.objects.filter(pk__in=answered).order_by()
    rows = sorted(
        entries.values_list(
            "item__external_id",
            "pk",
            "revision__cluster",
            "revision__language",
            "facets",
            "revision__content__perturbs__external_id",
        ),
        key=lambda row: row[0],
    )
    own = {external_id: cluster or external_id for external_id, _pk, cluster, *_rest in rows}
    originals = {row[5] for row in rows if row[5]} - own.keys()
    elsewhere = {
        external_id: cluster or external_id
        for external_id, cluster in VersionEntry.objects.filter(
            version_id=runs[0].dataset_version_id, item__external_id__in=originals
        ).values_list("item__external_id", "revision__cluster")
    }
    clusters: dict[str, str] = {}
    groups: dict[tuple[str, str], list[str]] = {}
    for external_id, _pk, cluster, language, facets, original in rows:
        clusters[external_id] = cluster or own.get(original) or elsewhere.get(original) or original or external_id
        for group in facet_groups(facets, language):
            groups.setdefault(group, []).append(external_id)
    return ItemTable(
        entry_ids={row[1]: row[0] for row in rows},
        clusters=clusters,
        groups=dict(sorted(groups.items(), key=lambda pair: (GROUPINGS.index(pair[0][0]), pair[0][1]))),
    )


def output_table(run: Run, items: ItemTable, *, parts: bool = False) -> OutputTable:
    """Return the run's outputs by id and, with `parts`, what their scores are made of by (item, repeat)."""
    rows = Output.objects.filter(run=run).order_by()
    if not parts:
        return OutputTable({pk: items.entry_ids[entry_id] for pk, entry_id in rows.values_list("pk", "entry_id")})
    table = OutputTable({})
    for pk, entry_id, repeat, *columns in rows.values_list("pk", "entry_id", "repeat", *PART_COLUMNS).iterator(2000):
        external_id = table.items[pk] = items.entry_ids[entry_id]
        found: dict[str, Any] = output_parts(*columns)
        table.parts[external_id, repeat] = {name: hash(value) for name, value in found.items()}
    return table


def changed_outputs(first: OutputTable, second: OutputTable) -> Changes:
    """Return how many (item, repeat) have another output in the second run, or one in only one of the two.

    What no score is made of (latency, cost, trace ids, passages' texts) makes no output differ: with it, whoever pushes
    could make every output look changed and hide that one answer alone was.
    """
    nothing: Mapping[str, int] = {}
    changed = 0
    by_part: Counter[str] = Counter()
    for key in first.parts.keys() | second.parts.keys():
        one, other = first.parts.get(key, nothing), second.parts.get(key, nothing)
        different = [name for name in one.keys() | other.keys() if one.get(name) != other.get(name)]
        changed += bool(different)
        by_part.update(different)
    return Changes(changed, min(by_part.values(), default=None))


def run_metrics(run: Run) -> list[MetricRecord]:
    """Return the metrics of which the run has scores, in the suite's order, external ones after them."""
    ids = Score.objects.filter(run=run).order_by().values_list("metric_id", flat=True).distinct()
    order = {identity: index for index, identity in enumerate(run.suite_version.metrics)}
    records = MetricRecord.objects.filter(pk__in=list(ids)).order_by()
    return sorted(records, key=lambda record: (order.get(record.identity, len(order)), record.identity))


def item_scores(run: Run, metric: MetricRecord, outputs: OutputTable) -> dict[str, PureScore]:
    """Return one score for each item that has any, repeats averaged within the item (scoring.aggregate.item_scores)."""
    return scores_and_noise(run, metric, outputs)[0]


def scores_and_noise(run: Run, metric: MetricRecord, outputs: OutputTable) -> tuple[dict[str, PureScore], RunNoise]:
    """Return the items' scores as `item_scores` does, and how far repeats of one item or one judgement fall apart."""
    rows = Score.objects.filter(run=run, metric=metric).order_by().values_list("output_id", "state", "value")
    # Scores are immutable and take few values: one object for each keeps tens of thousands of rows cheap.
    made: dict[tuple[str, float | None], PureScore] = {(state, None): score for state, score in _NONE.items()}
    scores: list[PureScore] = []
    items: list[str] = []
    ids: list[int] = []
    for output_id, state, value in rows.iterator(chunk_size=5000):
        score = made.get((state, value))
        if score is None:
            score = made[state, value] = PureScore(State(state), value)
        scores.append(score)
        items.append(outputs.items[output_id])
        ids.append(output_id)
    if run.repeats == 1 and run.judge_repeats == 1:
        return dict(zip(items, scores, strict=True)), noise_of(())
    least = run.dataset_version.dataset.disclosure_limit if run.is_frozen_split else 1
    given = zip(ids, items, scores, strict=True)
    values = [(output_id, item, score.value) for output_id, item, score in given if score.value is not None]
    return average_repeats(scores, items), noise_of(values, least=least)
