"""What holds for every registered metric and for every verdict, whatever the input."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.aggregate import aggregate_scores, item_scores
from scoring.judgements import Judgements, SupportTable
from scoring.registry import METRICS, identity
from scoring.score import score_batch
from scoring.stats.verdicts import NonInferiority, Verdict, non_inferiority, verdict
from scoring.types import Document, EvalItem, Score, State, SystemOutput

UNITS = [f"u{n}" for n in range(6)]
DOCUMENTS = [
    Document("d0", "1", 100),
    Document("d1", "1", 50, frozenset({"staff"})),
]


def unit(name):
    return {"id": name, "doc_id": f"d{int(name[1:]) % 2}", "version_id": "1", "start": 0, "end": 20, "tokens": 3}


RANKINGS = st.lists(st.sampled_from(UNITS), max_size=9)
OUTPUTS = st.fixed_dictionaries(
    {
        "answer": st.sampled_from(["30 days", "I don't know.", "", "Plan A costs 30. The documents do not mention B."]),
        "retrieved": st.fixed_dictionaries(
            {
                "coarse": RANKINGS.map(lambda names: [unit(n) for n in names]),
                "exact": st.lists(st.sampled_from(UNITS), max_size=5),
                "ann": st.lists(st.sampled_from(UNITS), max_size=5),
            }
        ),
        "citations": st.lists(
            st.sampled_from([{}, {"doc_id": "d0", "version_id": "1"}, {"doc_id": "x", "start": 1, "end": 2}]),
            max_size=2,
        ),
    }
)
ITEMS = st.fixed_dictionaries(
    {
        "answerable": st.booleans(),
        "relevance": st.dictionaries(st.sampled_from(UNITS), st.integers(0, 3), max_size=5),
        "evidence": st.lists(
            st.lists(st.lists(st.sampled_from(UNITS), min_size=1, max_size=2), min_size=1), max_size=2
        ),
        "assertions": st.sampled_from([[], [{"type": "number", "value": 30}], [{"type": "date", "value": "2026"}]]),
        "nuggets": st.sampled_from([[], [{"text": "n"}, {"text": "m", "vital": False}]]),
        "subquestions": st.sampled_from([[], ["a", "b"]]),
        "query_time": st.sampled_from([None, "2026-03-01"]),
        "perturbs": st.sampled_from([None, {"external_id": "o", "kind": "injection"}]),
    }
)
JUDGED = st.builds(
    Judgements,
    claims=st.sampled_from([None, (), (SupportTable((0,), True, (True,), (False,)),), (SupportTable(),)]),
    nuggets=st.sampled_from([None, ("support", "partial_support"), ("not_support", None)]),
    subquestions=st.sampled_from([None, (True, False), (None, True)]),
    attack_succeeded=st.sampled_from([None, True, False]),
)
CASES = st.lists(st.tuples(ITEMS, OUTPUTS, JUDGED), min_size=1, max_size=5)


def every_metric():
    for name, spec in METRICS.items():
        given_params = {"k": 3} if any(p.name == "k" for p in spec.parameters) else {}
        if any(p.name == "budget" for p in spec.parameters):
            given_params["budget"] = 10
        yield identity(name, stage="coarse" if spec.staged else None, **given_params)


ALL = list(every_metric())


def scored(cases, order=None):
    order = range(len(cases)) if order is None else order
    items = [EvalItem.from_native({"external_id": f"q{n}", **cases[n][0]}) for n in order]
    outputs = [SystemOutput.from_native({"external_id": f"q{n}", **cases[n][1]}) for n in order]
    judged = {(f"q{n}", 1): cases[n][2] for n in order}
    return score_batch(ALL, items, outputs, documents=DOCUMENTS, judgements=judged)


def test_every_registered_metric_is_among_them():
    assert [metric.name for metric in ALL] == list(METRICS)


@settings(max_examples=60, deadline=None)
@given(CASES)
def test_every_metric_is_within_its_bounds_or_says_why_not(cases):
    for metric, scores in zip(ALL, scored(cases), strict=True):
        low, high = METRICS[metric.name].bounds
        for score in scores:
            assert score.state is State.SCORED or score.value is None
            assert score.value is None or low <= score.value <= high
            if METRICS[metric.name].kind == "proportion":
                assert score.value in (None, 0.0, 1.0), metric.text


@settings(max_examples=40, deadline=None)
@given(CASES, st.randoms())
def test_the_order_of_items_changes_no_score_and_no_aggregate_to_the_last_bit(cases, random):
    order = list(range(len(cases)))
    random.shuffle(order)
    straight, mixed = scored(cases), scored(cases, order)
    for metric, one, other in zip(ALL, straight, mixed, strict=True):
        assert [one[n] for n in order] == other
        clusters = [f"c{n % 3}" for n in range(len(cases))]
        first = aggregate_scores(metric, one, clusters, [f"q{n}" for n in range(len(cases))], resamples=50)
        second = aggregate_scores(metric, other, [clusters[n] for n in order], [f"q{n}" for n in order], resamples=50)
        assert first == second


def changed(cases, change):
    """The same cases with another ranked list."""
    return [
        (one, {**out, "retrieved": {**out["retrieved"], "coarse": change(out["retrieved"]["coarse"])}}, judged)
        for one, out, judged in cases
    ]


def better(metric, before, after):
    """Whether a score rose for the better."""
    if before.value is None or after.value is None:
        return False
    sign = 1 if METRICS[metric.name].higher_is_better else -1
    return sign * (after.value - before.value) > 1e-12


@settings(max_examples=60, deadline=None)
@given(CASES, st.integers(0, 5))
def test_repeating_a_unit_never_raises_a_score(cases, place):
    def repeat(units):
        return units[: place + 1] + units[place : place + 1] + units[place + 1 :] + units

    for metric, before, after in zip(ALL, scored(cases), scored(changed(cases, repeat)), strict=True):
        assert not any(better(metric, b, a) for b, a in zip(before, after, strict=True)), metric.text


#: An unlabelled unit that everybody may see does lower the share of units that nobody may see, as it should.
DILUTED = {"retrieval.acl_violation"}


@settings(max_examples=60, deadline=None)
@given(CASES)
def test_an_irrelevant_unit_at_the_end_never_raises_a_score(cases):
    noise = {**unit("u0"), "id": "noise", "start": 90, "end": 95}
    for metric, before, after in zip(ALL, scored(cases), scored(changed(cases, lambda u: [*u, noise])), strict=True):
        if metric.name not in DILUTED:
            assert not any(better(metric, b, a) for b, a in zip(before, after, strict=True)), metric.text


NUMBER = st.floats(-1, 1, allow_nan=False)
ENDS = st.tuples(NUMBER, NUMBER, NUMBER).map(sorted)
SIZE = st.floats(0, 0.5, allow_nan=False)


@settings(max_examples=300, deadline=None)
@given(ENDS, SIZE, SIZE)
def test_a_verdict_never_claims_more_than_its_interval_and_noise_allow(ends, eps, noise):
    low, estimate, high = ends
    found = verdict(estimate, low, high, eps, noise)
    if found is Verdict.IMPROVED:
        assert low > 0
        assert estimate > max(eps, noise)
    if found is Verdict.REGRESSED:
        assert high < 0
        assert estimate < -max(eps, noise)
    if found is Verdict.EQUIVALENT:
        assert max(abs(low), abs(high)) < eps
        assert noise <= eps
    mirrored = verdict(-estimate, -high, -low, eps, noise)
    opposite = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
    assert mirrored is opposite.get(found, found)


@settings(max_examples=300, deadline=None)
@given(ENDS, SIZE, SIZE, SIZE)
def test_more_noise_never_lets_more_pass(ends, limit, noise, more):
    low, estimate, high = ends
    quiet, loud = verdict(estimate, low, high, limit, noise), verdict(estimate, low, high, limit, noise + more)
    assert loud in (quiet, Verdict.INCONCLUSIVE)
    calm = non_inferiority(low, high, estimate, limit, noise)
    rough = non_inferiority(low, high, estimate, limit, noise + more)
    assert rough in (calm, NonInferiority.INCONCLUSIVE)
    if calm is NonInferiority.PASS:
        assert low > -limit
    if calm is NonInferiority.FAIL:
        assert high < 0
        assert high < -limit or estimate < -limit


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.one_of(st.none(), st.floats(0, 1)))), st.randoms())
def test_repeats_are_averaged_within_the_item_in_any_order(rows, random):
    def made(pairs):
        scores = [Score.of(v) if v is not None else Score.none(State.TARGET_FAILED) for _, v in pairs]
        return item_scores(scores, [name for name, _ in pairs])

    mixed = list(rows)
    random.shuffle(mixed)
    assert made(rows) == made(mixed)
    for name, score in made(rows).items():
        values = [v for other, v in rows if other == name and v is not None]
        assert score.value is None or math.isclose(score.value, sum(values) / len(values), abs_tol=1e-12)
        assert (score.value is None) == (not values)
