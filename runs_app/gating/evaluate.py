"""Deciding rules: pure functions from a rule and its facts to a verdict.

Every rule on a metric is decided twice: on the scored items, and with the missing scores taken as worst. It passes only
where both pass, so that refusing, failing or losing a judgement never helps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from runs_app.gating.facts import Facts, Figure, MetricFacts, PairFacts, RuleResult
from runs_app.gating.rules import Rule
from runs_app.states import Verdict
from scoring.stats.verdicts import non_inferiority

_ERRORS = frozenset({"metric_not_in_run", "metric_ambiguous", "no_such_group"})
#: From the decisive to the harmless: one failed rule fails the whole.
_ORDER = (Verdict.FAIL, Verdict.ERROR, Verdict.INCONCLUSIVE)


def combine(verdicts: Iterable[str]) -> Verdict:
    """Return the verdict over all rules: any fail, else any error, else any inconclusive, else pass; none: error."""
    found = set(verdicts)
    if not found:
        return Verdict.ERROR
    return next((verdict for verdict in _ORDER if verdict in found), Verdict.PASS)


def evaluate(rule: Rule, facts: Facts) -> RuleResult:
    """Return the verdict of one rule."""
    return _EVALUATORS[rule.kind](rule, facts)


def _of_problem(code: str, metric: str, limit: float | None) -> RuleResult:
    verdict = Verdict.ERROR if code in _ERRORS else Verdict.INCONCLUSIVE
    return RuleResult(verdict=verdict, code=code, metric=metric, limit=limit)


def _bound(rule: Rule, figure: Figure) -> tuple[str, str]:
    """Decide a floor or ceiling on one figure; on an interval end, a value on the right side can't fail."""
    value, limit = figure.value, rule.limit
    if value is None or limit is None:
        return Verdict.INCONCLUSIVE, "nothing_scored"
    sign = 1.0 if rule.kind == "floor" else -1.0
    if sign * value < sign * limit:
        return Verdict.FAIL, "broken"
    if rule.on == "value":
        return Verdict.PASS, "holds"
    end = figure.low if rule.kind == "floor" else figure.high
    if end is None:
        return Verdict.INCONCLUSIVE, "one_sample"
    if sign * end >= sign * limit:
        return Verdict.PASS, "holds"
    return Verdict.INCONCLUSIVE, "interval_spans_limit"


def _with_worst(verdict: str, code: str, worst_verdict: str) -> tuple[str, str]:
    if verdict == Verdict.PASS and worst_verdict != Verdict.PASS:
        return Verdict.INCONCLUSIVE, "missing_as_worst"
    return verdict, code


def _metric_result(verdict: str, code: str, facts: MetricFacts, limit: float | None) -> RuleResult:
    return RuleResult(
        verdict=verdict,
        code=code,
        figure=facts.observed,
        worst=facts.worst,
        metric=facts.metric,
        limit=limit,
        n=facts.n,
        n_total=facts.n_total,
        n_clusters=facts.n_clusters,
        n_missing=facts.n_missing,
        states=facts.states,
    )


def _threshold(rule: Rule, facts: Facts) -> RuleResult:
    metric = facts.metric or MetricFacts(problem="metric_not_in_run")
    if metric.problem:
        return _of_problem(metric.problem, metric.metric or rule.metric, rule.limit)
    verdict, code = _bound(rule, metric.observed)
    worst_verdict, _ = _bound(rule, metric.worst)
    verdict, code = _with_worst(verdict, code, worst_verdict)
    return _metric_result(verdict, code, metric, rule.limit)


def _oriented(figure: Figure, higher_is_better: bool) -> Figure:
    """Return the difference so that more is better."""
    if higher_is_better or figure.value is None:
        return figure
    low = None if figure.high is None else -figure.high
    high = None if figure.low is None else -figure.low
    return Figure(-figure.value, low, high)


def _not_worse(figure: Figure, margin: float, pair: PairFacts) -> tuple[str, str]:
    if figure.value is None:
        return Verdict.INCONCLUSIVE, "nothing_scored"
    if figure.low is None or figure.high is None:
        return Verdict.INCONCLUSIVE, "one_sample"
    verdict = non_inferiority(figure.low, figure.high, figure.value, margin=margin, noise=pair.noise)
    if verdict == "pass":
        return Verdict.PASS, "holds"
    if verdict == "fail":
        return Verdict.FAIL, "broken"
    if pair.noise <= margin:
        return Verdict.INCONCLUSIVE, "inconclusive_difference"
    return (
        Verdict.INCONCLUSIVE,
        "repeats_wider_than_margin" if pair.noise_source == "repeats" else "noise_wider_than_margin",
    )


def _pair_result(verdict: str, code: str, pair: PairFacts, limit: float | None) -> RuleResult:
    return RuleResult(
        verdict=verdict,
        code=code,
        figure=pair.observed,
        worst=pair.worst,
        metric=pair.metric,
        limit=limit,
        n=pair.n,
        n_total=pair.n_total,
        n_clusters=pair.n_clusters,
        n_missing=pair.n_missing,
        noise=pair.noise,
        noise_source=pair.noise_source,
    )


def _non_inferiority(rule: Rule, facts: Facts) -> RuleResult:
    pair = facts.pair or PairFacts(problem="no_baseline")
    margin = rule.limit or 0.0
    limit = -margin if pair.higher_is_better else margin
    if pair.problem:
        return _of_problem(pair.problem, pair.metric or rule.metric, limit)
    verdict, code = _not_worse(_oriented(pair.observed, pair.higher_is_better), margin, pair)
    worst_verdict, _ = _not_worse(_oriented(pair.worst, pair.higher_is_better), margin, pair)
    verdict, code = _with_worst(verdict, code, worst_verdict)
    return _pair_result(verdict, code, pair, limit)


def _must_improve(rule: Rule, facts: Facts) -> RuleResult:
    pair = facts.pair or PairFacts(problem="no_baseline")
    if pair.problem:
        return _of_problem(pair.problem, pair.metric or rule.metric, None)
    if pair.observed.value is None:
        return _pair_result(Verdict.INCONCLUSIVE, "nothing_scored", pair, None)
    if pair.verdict in {"regressed", "equivalent"}:
        return _pair_result(Verdict.FAIL, "broken" if pair.verdict == "regressed" else "not_improved", pair, None)
    if pair.verdict != "improved":
        return _pair_result(Verdict.INCONCLUSIVE, "inconclusive_difference", pair, None)
    worst = _oriented(pair.worst, pair.higher_is_better)
    worst_verdict = Verdict.PASS if worst.low is not None and worst.low > 0 else Verdict.INCONCLUSIVE
    verdict, code = _with_worst(Verdict.PASS, "holds", worst_verdict)
    return _pair_result(verdict, code, pair, None)


def _max_missing(rule: Rule, facts: Facts) -> RuleResult:
    limit = rule.limit or 0.0
    if rule.metric:
        metric = facts.metric or MetricFacts(problem="metric_not_in_run")
        # A judge needs no calibration to have failed.
        if metric.problem and metric.problem != "uncalibrated":
            return _of_problem(metric.problem, metric.metric or rule.metric, limit)
        total = metric.n_total
        count = sum(metric.states.get(state, 0) for state in rule.states)
        name = metric.metric
    else:
        total, count, name = facts.run.outputs, facts.run.missing, ""
    if not total:
        return RuleResult(verdict=Verdict.ERROR, code="nothing_scored", metric=name, limit=limit)
    observed = count / total if rule.on == "share" else float(count)
    holds = observed <= limit
    return RuleResult(
        verdict=Verdict.PASS if holds else Verdict.FAIL,
        code="holds" if holds else "broken",
        figure=Figure(observed),
        metric=name,
        limit=limit,
        n=total - count,
        n_total=total,
        n_missing=count,
    )


def percentile_95(values: Iterable[float | None]) -> float | None:
    """Return the smallest value that at least 95 % of the values do not exceed; None counts as endless.

    Nearest rank: the value at rank ceil(0.95 n) of the ascending list. Returns None where that rank has no value.
    """
    ordered = sorted(math.inf if value is None else value for value in values)
    if not ordered:
        return None
    value = ordered[math.ceil(0.95 * len(ordered)) - 1]
    return None if math.isinf(value) else value


def _guardrail(rule: Rule, known: int, total: int, observed: float | None) -> RuleResult:
    if observed is None:
        code = "figures_missing" if total else "nothing_scored"
        return RuleResult(verdict=Verdict.INCONCLUSIVE, code=code, limit=rule.limit, n=known, n_total=total)
    holds = observed <= (rule.limit or 0.0)
    return RuleResult(
        verdict=Verdict.PASS if holds else Verdict.FAIL,
        code="holds" if holds else "broken",
        figure=Figure(observed),
        limit=rule.limit,
        n=known,
        n_total=total,
        n_missing=total - known,
    )


def _latency(rule: Rule, facts: Facts) -> RuleResult:
    values = facts.run.latencies
    known = sum(value is not None for value in values)
    return _guardrail(rule, known, len(values), percentile_95(values))


def _cost(rule: Rule, facts: Facts) -> RuleResult:
    known = [value for value in facts.run.costs if value is not None]
    total = len(facts.run.costs)
    # A cost that nobody reported may be any number, so a mean over the rest says nothing.
    mean = math.fsum(known) / total if known and len(known) == total else None
    return _guardrail(rule, len(known), total, mean)


def _split(rule: Rule, facts: Facts) -> RuleResult:
    if facts.run.split_spent:
        return RuleResult(verdict=Verdict.FAIL, code="split_spent")
    return RuleResult(verdict=Verdict.PASS, code="holds")


_EVALUATORS: dict[str, Callable[[Rule, Facts], RuleResult]] = {
    "floor": _threshold,
    "ceiling": _threshold,
    "non_inferiority": _non_inferiority,
    "must_improve": _must_improve,
    "max_missing": _max_missing,
    "latency_p95_ms": _latency,
    "cost_mean": _cost,
    "split_not_spent": _split,
}
