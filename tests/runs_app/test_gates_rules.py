"""Reading rules and deciding them, without a database."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_app.errors import Invalid
from runs_app.gating.defaults import default_rules
from runs_app.gating.evaluate import combine, evaluate, percentile_95
from runs_app.gating.facts import Facts, Figure, MetricFacts, PairFacts, RunFacts
from runs_app.gating.rules import KINDS, parse_rules, resolve_metric
from runs_app.gating.sentences import rule_sentence
from runs_app.selectors.gates import EXAMPLES


def faults(*rows, knows=lambda name: True) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as caught:
        parse_rules(list(rows), knows=knows)
    return [(error.pointer, error.code) for error in caught.value.errors]


def rule(**fields):
    return parse_rules([fields])[0]


NI = {"kind": "non_inferiority", "metric": "answers.task_success", "margin": 0.05}
FLOOR = {"kind": "floor", "metric": "answers.task_success", "limit": 0.7}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("floor", [("/rules/0", "not_an_object")]),
        ({}, [("/rules/0/kind", "unknown_kind")]),
        ({"kind": "floors"}, [("/rules/0/kind", "unknown_kind")]),
        ({"kind": ["floor"]}, [("/rules/0/kind", "unknown_kind")]),
        ({"kind": "floor"}, [("/rules/0/metric", "required"), ("/rules/0/limit", "required")]),
        ({**FLOOR, "limit": float("nan")}, [("/rules/0/limit", "not_a_number")]),
        ({**FLOOR, "limit": float("inf")}, [("/rules/0/limit", "not_a_number")]),
        ({**FLOOR, "limit": 10**400}, [("/rules/0/limit", "not_a_number")]),
        ({**FLOOR, "limit": True}, [("/rules/0/limit", "not_a_number")]),
        ({**FLOOR, "limit": "0.7"}, [("/rules/0/limit", "not_a_number")]),
        ({**FLOOR, "on": "high"}, [("/rules/0/on", "unknown_choice")]),
        ({**FLOOR, "margin": 1}, [("/rules/0/margin", "unknown_field")]),
        ({**FLOOR, "group": "fact"}, [("/rules/0/group", "not_a_group")]),
        ({**FLOOR, "group": {"tag": "x"}}, [("/rules/0/group/tag", "unknown_grouping")]),
        ({**FLOOR, "group": {"type": 3}}, [("/rules/0/group/type", "not_a_text")]),
        ({**FLOOR, "metric": ""}, [("/rules/0/metric", "not_a_text")]),
        ({**NI, "margin": 0}, [("/rules/0/margin", "too_small")]),
        ({**NI, "margin": -0.1}, [("/rules/0/margin", "too_small")]),
        ({"kind": "max_missing", "share": 1.5}, [("/rules/0/share", "too_large")]),
        ({"kind": "max_missing", "share": 0.1, "count": 2}, [("/rules/0/count", "both")]),
        ({"kind": "max_missing", "share": 0.1, "states": ["refused"]}, [("/rules/0/states", "needs_metric")]),
        (
            {"kind": "max_missing", "share": 0.1, "metric": "answers.correct", "states": ["scored"]},
            [("/rules/0/states", "unknown_state")],
        ),
    ],
)
def test_each_fault_is_named_with_its_place(row, expected) -> None:
    assert faults(row) == expected


def test_a_metric_that_nobody_knows_is_refused() -> None:
    assert faults(FLOOR, NI, knows=lambda name: False) == [
        ("/rules/0/metric", "unknown_metric"),
        ("/rules/1/metric", "unknown_metric"),
    ]


@pytest.mark.parametrize("value", [None, {}, [], "x", 3])
def test_a_policy_is_a_list_of_rules(value) -> None:
    with pytest.raises(Invalid) as caught:
        parse_rules(value)
    assert caught.value.errors[0].pointer == "/rules"


def test_the_same_rule_twice_and_too_many_rules_are_refused() -> None:
    assert faults(NI, NI) == [("/rules/1", "twice")]
    assert faults(*[{**FLOOR, "limit": n} for n in range(101)]) == [("/rules", "too_many")]


def test_every_kind_has_an_example_that_reads_back_and_a_sentence() -> None:
    rules = parse_rules(list(EXAMPLES))
    assert {one.kind for one in rules} == set(KINDS)
    assert parse_rules([one.as_dict() for one in rules]) == rules
    sentences = [rule_sentence(one) for one in rules]
    assert sentences[0] == "task success is not worse than the baseline by more than 0.05"
    assert sentences[2] == "the lower end of task success is at least 0.7, for language zh"
    assert sentences[4] == "at most 2 % of the outputs are missing or failed"
    assert sentences[6] == "95 % of the answers take at most 2000 ms"
    assert len(set(sentences)) == len(sentences)


def test_the_template_is_a_valid_policy() -> None:
    recall = "retrieval.evidence_recall@5 theta=0.5 stage=prompt v1"
    rules = parse_rules(default_rules(["retrieval.evidence_recall@5 theta=0.5 stage=coarse v1", recall]))
    assert recall in [one.metric for one in rules]
    assert len(parse_rules(default_rules())) == len(rules) - 1


def test_a_short_name_means_what_it_leaves_open() -> None:
    names = ["retrieval.ndcg@10 gain=linear stage=prompt v1", "retrieval.ndcg@10 gain=linear stage=coarse v1", "a.b v1"]
    assert resolve_metric("retrieval.ndcg@10 stage=prompt", names) == names[:1]
    assert resolve_metric("retrieval.ndcg", names) == names[:2]
    assert resolve_metric("retrieval.ndcg@5", names) == []
    assert resolve_metric("a.b", names) == ["a.b v1"]
    assert resolve_metric("retrieval.ndc", names) == []


def metric_facts(value, low, high, *, worst=None, **extra) -> Facts:
    observed = Figure(value, low, high)
    return Facts(metric=MetricFacts(metric="m", observed=observed, worst=worst or observed, n=40, n_total=40, **extra))


@pytest.mark.parametrize(
    ("figures", "verdict", "code"),
    [
        ((0.8, 0.75, 0.85), "pass", "holds"),
        ((0.8, 0.7, 0.85), "pass", "holds"),
        ((0.72, 0.65, 0.8), "inconclusive", "interval_spans_limit"),
        ((0.69, 0.6, 0.8), "fail", "broken"),
        ((0.8, None, None), "inconclusive", "one_sample"),
        ((None, None, None), "inconclusive", "nothing_scored"),
    ],
)
def test_a_floor_holds_at_the_lower_end(figures, verdict, code) -> None:
    result = evaluate(rule(**FLOOR), metric_facts(*figures))
    assert (result.verdict, result.code) == (verdict, code)


def test_a_ceiling_holds_at_the_upper_end_or_on_the_value() -> None:
    ceiling = {"kind": "ceiling", "metric": "m.x", "limit": 0.1}
    assert evaluate(rule(**ceiling), metric_facts(0.05, 0.02, 0.09)).verdict == "pass"
    assert evaluate(rule(**ceiling), metric_facts(0.05, 0.02, 0.12)).verdict == "inconclusive"
    assert evaluate(rule(**ceiling), metric_facts(0.11, 0.02, 0.2)).verdict == "fail"
    assert evaluate(rule(**ceiling, on="value"), metric_facts(0.05, 0.02, 0.12)).verdict == "pass"


def test_what_holds_on_the_scored_items_alone_is_no_pass() -> None:
    facts = metric_facts(0.9, 0.85, 0.95, worst=Figure(0.6, 0.5, 0.7), n_missing=12)
    result = evaluate(rule(**FLOOR), facts)
    assert (result.verdict, result.code) == ("inconclusive", "missing_as_worst")
    assert result.worst == Figure(0.6, 0.5, 0.7)


@pytest.mark.parametrize(
    ("problem", "verdict"),
    [
        ("uncalibrated", "inconclusive"),
        ("group_too_small", "inconclusive"),
        ("metric_not_in_run", "error"),
        ("metric_ambiguous", "error"),
        ("no_such_group", "error"),
    ],
)
def test_a_problem_is_never_a_pass(problem, verdict) -> None:
    assert evaluate(rule(**FLOOR), metric_facts(1.0, 1.0, 1.0, problem=problem)).verdict == verdict
    facts = Facts(pair=PairFacts(problem=problem, observed=Figure(1, 1, 1), worst=Figure(1, 1, 1)))
    assert evaluate(rule(**NI), facts).verdict == verdict


def pair_facts(value, low, high, *, worst=None, **extra) -> Facts:
    observed = Figure(value, low, high)
    return Facts(pair=PairFacts(metric="m", observed=observed, worst=worst or observed, n=40, n_total=40, **extra))


@pytest.mark.parametrize(
    ("figures", "verdict"),
    [
        ((0.0, -0.04, 0.04), "pass"),
        ((-0.08, -0.12, -0.06), "fail"),
        ((-0.06, -0.12, -0.01), "fail"),
        ((-0.02, -0.08, 0.04), "inconclusive"),
    ],
)
def test_non_inferiority_by_the_interval(figures, verdict) -> None:
    assert evaluate(rule(**NI), pair_facts(*figures)).verdict == verdict
    value, low, high = (-x for x in figures)
    turned = evaluate(rule(**NI), pair_facts(value, high, low, higher_is_better=False))
    assert turned.verdict == verdict
    assert turned.limit == 0.05


def test_non_inferiority_needs_a_baseline_little_noise_and_no_help_from_missing_scores() -> None:
    assert evaluate(rule(**NI), Facts()).code == "no_baseline"
    assert evaluate(rule(**NI), pair_facts(0.0, -0.01, 0.01, noise=0.06)).code == "noise_wider_than_margin"
    result = evaluate(rule(**NI), pair_facts(0.0, -0.01, 0.01, worst=Figure(-0.2, -0.3, -0.1), n_missing=8))
    assert (result.verdict, result.code) == ("inconclusive", "missing_as_worst")


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [("improved", "pass"), ("equivalent", "fail"), ("regressed", "fail"), ("inconclusive", "inconclusive")],
)
def test_must_improve_follows_the_comparison(verdict, expected) -> None:
    must = rule(kind="must_improve", metric="m.x")
    assert evaluate(must, pair_facts(0.1, 0.05, 0.15, verdict=verdict)).verdict == expected
    lost = pair_facts(0.1, 0.05, 0.15, verdict=verdict, worst=Figure(0.0, -0.1, 0.1))
    assert evaluate(must, lost).verdict == ("inconclusive" if expected == "pass" else expected)


def test_missing_outputs_by_share_and_by_count() -> None:
    facts = Facts(run=RunFacts(outputs=100, missing=2))
    assert evaluate(rule(kind="max_missing", share=0.02), facts).verdict == "pass"
    assert evaluate(rule(kind="max_missing", share=0.019), facts).verdict == "fail"
    assert evaluate(rule(kind="max_missing", count=2), facts).verdict == "pass"
    assert evaluate(rule(kind="max_missing", count=1), facts).verdict == "fail"
    assert evaluate(rule(kind="max_missing", count=1), Facts()).verdict == "error"


def test_missing_scores_of_a_metric_by_state() -> None:
    facts = metric_facts(0.9, 0.8, 0.95, states={"judge_failed": 3, "refused": 5, "no_gold": 7})
    assert evaluate(rule(kind="max_missing", metric="m.x", count=8), facts).verdict == "pass"
    assert evaluate(rule(kind="max_missing", metric="m.x", count=7), facts).verdict == "fail"
    only = rule(kind="max_missing", metric="m.x", count=3, states=["judge_failed"])
    assert evaluate(only, facts).figure.value == 3


def test_latency_takes_outputs_without_one_as_endless() -> None:
    latency = rule(kind="latency_p95_ms", limit=1000)
    assert evaluate(latency, Facts(run=RunFacts(latencies=(900.0,) * 95 + (None,) * 5))).verdict == "pass"
    slow = evaluate(latency, Facts(run=RunFacts(latencies=(900.0,) * 94 + (1500.0,) * 6)))
    assert (slow.verdict, slow.figure.value) == ("fail", 1500.0)
    unknown = evaluate(latency, Facts(run=RunFacts(latencies=(900.0,) * 94 + (None,) * 6)))
    assert (unknown.verdict, unknown.code) == ("inconclusive", "figures_missing")


def test_a_cost_that_is_not_known_throughout_decides_nothing() -> None:
    cost = rule(kind="cost_mean", limit=0.01)
    assert evaluate(cost, Facts(run=RunFacts(costs=(0.01, 0.009)))).verdict == "pass"
    assert evaluate(cost, Facts(run=RunFacts(costs=(0.02, 0.009)))).verdict == "fail"
    assert evaluate(cost, Facts(run=RunFacts(costs=(0.001, None)))).verdict == "inconclusive"
    assert evaluate(cost, Facts()).verdict == "inconclusive"


def test_a_spent_split_fails() -> None:
    spent = rule(kind="split_not_spent")
    assert evaluate(spent, Facts(run=RunFacts(split_spent=True))).verdict == "fail"
    assert evaluate(spent, Facts()).verdict == "pass"


@pytest.mark.parametrize(
    ("verdicts", "whole"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "inconclusive"], "inconclusive"),
        (["inconclusive", "error", "pass"], "error"),
        (["error", "fail", "inconclusive"], "fail"),
        ([], "error"),
    ],
)
def test_the_whole_is_as_bad_as_its_worst_rule(verdicts, whole) -> None:
    assert combine(verdicts) == whole


@given(st.lists(st.one_of(st.none(), st.floats(0, 1e6)), min_size=1, max_size=60))
def test_at_least_95_percent_of_the_values_are_within_the_percentile(values) -> None:
    found = percentile_95(values)
    if found is None:
        assert sum(value is None for value in values) > 0.05 * len(values) - 1e-9
    else:
        assert sum(value is not None and value <= found for value in values) >= 0.95 * len(values) - 1e-9


figures = st.tuples(st.floats(0, 1), st.floats(0, 0.3)).map(lambda p: Figure(p[0], p[0] - p[1], p[0] + p[1]))


@given(observed=figures, worst=figures, limit=st.floats(0, 1), kind=st.sampled_from(["floor", "ceiling"]))
def test_a_bound_passes_only_where_both_figures_hold(observed, worst, limit, kind) -> None:
    one = rule(kind=kind, metric="m.x", limit=limit)
    result = evaluate(one, Facts(metric=MetricFacts(observed=observed, worst=worst)))
    both = all(
        (figure.low >= limit and figure.value >= limit)
        if kind == "floor"
        else (figure.high <= limit and figure.value <= limit)
        for figure in (observed, worst)
    )
    assert (result.verdict == "pass") == both
