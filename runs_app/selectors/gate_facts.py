"""Gathering what gate rules are decided on: figures from a run's scores and outputs, differences from a comparison."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from datasets_app.selectors import exposure_state
from datasets_app.states import ExposureState
from runs_app.gating.facts import Facts, Figure, MetricFacts, PairFacts, RunFacts
from runs_app.gating.rules import KINDS, MISSING_STATES, Rule, resolve_metric
from runs_app.models import Aggregate, Comparison, MetricRecord, Output, Run
from runs_app.selectors.comparing import bounds_for
from runs_app.selectors.item_scores import ItemTable, OutputTable, item_scores, item_table, output_table, run_metrics
from runs_app.states import Outcome
from scoring.aggregate import aggregate_scores
from scoring.identity import MetricIdentity
from scoring.types import Score, State

_LOST = (Outcome.FAILED, Outcome.MISSING)
_SPENT = (ExposureState.SPENT, ExposureState.RETIRED)


class FactBook:
    """The facts of one run for any number of rules; each table is read once."""

    def __init__(self, run: Run, comparison: Comparison | None) -> None:
        self.run = run
        self.comparison = comparison
        self.limit = run.dataset_version.dataset.disclosure_limit if run.is_frozen_split else 0

    @cached_property
    def items(self) -> ItemTable:
        return item_table(self.run)

    @cached_property
    def outputs(self) -> OutputTable:
        return output_table(self.run, self.items)

    @cached_property
    def metrics(self) -> dict[str, MetricRecord]:
        return {record.identity: record for record in run_metrics(self.run)}

    @cached_property
    def run_facts(self) -> RunFacts:
        rows = list(Output.objects.filter(run=self.run).order_by("pk").values_list("outcome", "latency_ms", "cost"))
        return RunFacts(
            outputs=len(rows),
            missing=sum(outcome in _LOST for outcome, _latency, _cost in rows),
            latencies=tuple(latency for _outcome, latency, _cost in rows),
            costs=tuple(cost for _outcome, _latency, cost in rows),
            split_spent=exposure_state(self.run.dataset_version, self.run.split) in _SPENT,
        )

    def facts(self, rule: Rule) -> Facts:
        """Return what this rule is decided on."""
        if KINDS[rule.kind].paired:
            return Facts(pair=self.pair(rule))
        if rule.metric:
            return Facts(metric=self.metric(rule))
        return Facts(run=self.run_facts)

    def _record(self, rule: Rule) -> tuple[MetricRecord | None, str]:
        found = resolve_metric(rule.metric, list(self.metrics))
        if len(found) != 1:
            return None, "metric_ambiguous" if found else "metric_not_in_run"
        record = self.metrics[found[0]]
        return record, "" if record.origin == "ours" else "uncalibrated"

    def _group_problem(self, rule: Rule, n: int, n_of_all: int) -> str:
        """A group under the disclosure limit, or one whose complement is, decides nothing on a frozen split."""
        small = n < self.limit or 0 < n_of_all - n < self.limit
        return "group_too_small" if rule.group is not None and small else ""

    def _members(self, rule: Rule) -> list[str]:
        return self.items.items if rule.group is None else self.items.groups.get(rule.group, [])

    def metric(self, rule: Rule) -> MetricFacts:
        """Return the metric's figures over the rule's group, observed and with the missing scores taken as worst."""
        record, problem = self._record(rule)
        if record is None:
            return MetricFacts(problem=problem, metric=rule.metric)
        members = self._members(rule)
        if not members:
            return MetricFacts(problem="no_such_group", metric=record.identity)
        everything = item_scores(self.run, record, self.outputs)
        scores = {item: everything[item] for item in members if item in everything}
        n_scored = sum(score.scored for score in scores.values())
        of_all = sum(score.scored for score in everything.values())
        problem = problem or self._group_problem(rule, n_scored, of_all)
        worst = bounds_for(record, scores)[0 if record.higher_is_better else 1]
        filled = {item: _filled(scores.get(item), worst) for item in members}
        states: dict[str, int] = {}
        for item in members:
            score = scores.get(item)
            if score is None or not score.scored:
                state = score.state.value if score else State.TARGET_FAILED.value
                states[state] = states.get(state, 0) + 1
        return MetricFacts(
            problem=problem,
            metric=record.identity,
            observed=self._stored(record, rule) or self._figure(record, scores),
            worst=self._figure(record, filled),
            n=n_scored,
            n_total=len(members),
            n_clusters=len({self.items.clusters[item] for item, score in scores.items() if score.scored}),
            n_missing=sum(score.scored for score in filled.values()) - n_scored,
            states=dict(sorted(states.items())),
            higher_is_better=record.higher_is_better,
        )

    def _stored(self, record: MetricRecord, rule: Rule) -> Figure | None:
        group, value = rule.group or ("all", "")
        row = Aggregate.objects.filter(run=self.run, metric=record, group=group, group_value=value).first()
        return None if row is None else Figure(row.value, row.low, row.high)

    def _figure(self, record: MetricRecord, scores: dict[str, Score]) -> Figure:
        items = sorted(scores)
        found = aggregate_scores(
            MetricIdentity.parse(record.identity),
            [scores[item] for item in items],
            [self.items.clusters[item] for item in items],
            items,
            seed=self.run.manifest_sha256,
        )
        return Figure(found.value, found.low, found.high)

    def pair(self, rule: Rule) -> PairFacts:
        """Return the metric's difference from the baseline over the rule's group, as the comparison has it."""
        record, problem = self._record(rule)
        if record is None:
            return PairFacts(problem=problem, metric=rule.metric)
        known: dict[str, Any] = {"metric": record.identity, "higher_is_better": record.higher_is_better}
        if self.comparison is None or not self.comparison.comparable:
            code = "no_baseline" if self.comparison is None else "not_comparable"
            return PairFacts(problem=problem or code, **known)
        group = rule.group or ("all", "")
        rows: dict[tuple[str, str], dict[str, Any]] = {
            (row["group"], row["group_value"]): row
            for row in self.comparison.results or []
            if row["metric"] == record.identity
        }
        row = rows.get(group)
        if row is None:
            code = "metric_not_in_run" if not rows else "no_such_group" if not self._members(rule) else "nothing_scored"
            return PairFacts(problem=problem or code, **known)
        problem = problem or self._group_problem(rule, row["n"], rows["all", ""]["n"])
        observed = Figure(row["estimate"], row["low"], row["high"])
        worst = row["worst_case"]
        return PairFacts(
            problem=problem,
            observed=observed,
            worst=observed if worst is None else Figure(worst["estimate"], worst["low"], worst["high"]),
            verdict=row["verdict"],
            n=row["n"],
            n_total=row["n_total"],
            n_clusters=row["n_clusters"],
            n_missing=sum(row["only_in_baseline"].values()) + sum(row["only_in_candidate"].values()),
            noise=row["noise"],
            noise_source=row["noise_source"],
            **known,
        )


def _filled(score: Score | None, worst: float) -> Score:
    """Return the score, or the worst value where a state that the system or the judge caused stands in its place."""
    if score is None or score.state.value in MISSING_STATES:
        return Score.of(worst)
    return score
