"""Columns of many topics at once give each topic what its definition gives it alone: ties, grades, gaps and all."""

import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import ScoringError
from scoring.retrieval.columns import columns
from scoring.trec import LabelArrays, RunArrays, score_arrays, score_trec
from scoring.trec.evaluate import score_columns
from scoring.trec.measures import ALL
from tests.scoring.per_item import measured, ranked

# Text sorts by code point, which is the order of its UTF-8 bytes too.
DOCUMENTS = ["d1", "d10", "d2", "é", "甲", "乙", "\U0001f600", "Z", "d3", "d4", "d5", "d6"]
SCORES = [0.0, -0.0, 0.5, 1.0, 2.5, -3.0, 16777216.0, 16777217.0, 1e-50, 1 / 3]
TOPICS = ["1", "2", "10", "é", "甲"]
QRELS = st.dictionaries(
    st.sampled_from(TOPICS), st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 3), max_size=8), max_size=5
)
RUNS = st.dictionaries(
    st.sampled_from(TOPICS),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from(SCORES), max_size=12),
    max_size=5,
)
OPTIONS = st.fixed_dictionaries(
    {
        "complete": st.booleans(),
        "level": st.integers(1, 3),
        "max_docs": st.sampled_from([None, 1, 3]),
        "judged_only": st.booleans(),
    }
)


def alone(qrels, run, *, complete, level, max_docs=None, judged_only=False):
    """Each topic by the definitions, one after the other."""
    found = {}
    for topic in sorted((t for t in qrels if complete or t in run), key=str.encode):
        labels = qrels[topic]
        found[topic] = measured(ranked(run.get(topic, {}), labels, judged_only, max_docs), labels, level)
    return found


@settings(max_examples=150, deadline=None)
@given(QRELS, RUNS, OPTIONS)
def test_topics_scored_together_get_what_each_gets_alone(qrels, run, options):
    found = score_trec(qrels, run, **options)
    expected = alone(qrels, run, **options)
    assert list(found.per_topic) == list(expected)
    for topic, values in expected.items():
        for name, value in values.items():
            assert found.per_topic[topic][name] == pytest.approx(value, abs=1e-12), (topic, name)


def rows(nested, position=lambda name: name):
    """Three columns of a dict of dicts."""
    flat = [(topic, position(document), value) for topic, inner in nested.items() for document, value in inner.items()]
    return [list(column) for column in zip(*flat, strict=True)] if flat else [[], [], []]


@pytest.mark.parametrize("names", ["text", "numbers"])
@settings(max_examples=100, deadline=None)
@given(qrels=QRELS, run=RUNS, options=OPTIONS, seed=st.randoms())
def test_arrays_in_any_order_give_what_dicts_give(names, qrels, run, options, seed):
    options.pop("judged_only")
    # An array has no row for a topic without rows.
    qrels = {topic: labels for topic, labels in qrels.items() if labels}
    run = {topic: documents for topic, documents in run.items() if documents}
    order = sorted(DOCUMENTS)
    position = order.index if names == "numbers" else str
    shuffled = list(zip(*rows(run, position), strict=True))
    seed.shuffle(shuffled)
    columns_of_run = [list(column) for column in zip(*shuffled, strict=True)] or [[], [], []]
    found = score_arrays(LabelArrays(*rows(qrels, position)), RunArrays(*columns_of_run), **options)
    theirs = score_trec(qrels, run, **options)
    assert [str(topic) for topic in found.topics] == list(theirs.per_topic)
    for place, topic in enumerate(theirs.per_topic):
        assert {name: values[place] for name, values in found.values.items()} == theirs.per_topic[topic]
    assert found.overall == theirs.overall


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 3), max_size=8),
            st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=12),
        ),
        max_size=6,
    )
)
def test_ranked_lists_scored_together_get_what_each_gets_alone(cases):
    made = columns([labels for labels, _ in cases], [ids for _, ids in cases])
    values, _ = score_columns(made, list(ALL.values()))
    for place, (labels, ids) in enumerate(cases):
        for name, value in measured(ids, labels).items():
            assert values[name][place] == pytest.approx(value, abs=1e-12), name


def test_long_lists_of_equal_and_of_different_length_are_sorted_where_they_are_not():
    rng = random.Random(3)
    for longest in (60, 7):
        qrels, run = {}, {}
        for topic in map(str, range(40)):
            ids = [f"d{n}" for n in rng.sample(range(200), 60 if longest == 60 else rng.randrange(1, 120))]
            run[topic] = {document: rng.choice([rng.random(), 0.5]) for document in ids}
            qrels[topic] = {f"d{n}": rng.randrange(3) for n in rng.sample(range(200), 20)}
            if int(topic) % 3 == 0:
                run[topic] = dict(sorted(run[topic].items(), key=lambda pair: -pair[1]))
        found = score_trec(qrels, run).per_topic
        for topic, values in alone(qrels, run, complete=False, level=1).items():
            assert {name: found[topic][name] for name in values} == pytest.approx(values, abs=1e-12)


def test_many_and_few_labelled_documents_among_equal_scores_rank_alike():
    ids = [f"d{n}" for n in range(60)]
    run = {"few": dict.fromkeys(ids, 1.0), "many": {document: float(n % 2) for n, document in enumerate(ids)}}
    qrels = {"few": {document: n % 3 for n, document in enumerate(ids[:9])}, "many": dict.fromkeys(ids[:50], 1)}
    found = score_trec(qrels, run).per_topic
    for topic, values in alone(qrels, run, complete=False, level=1).items():
        assert {name: found[topic][name] for name in values} == pytest.approx(values, abs=1e-12)


def test_scores_that_are_whole_numbers_or_numpys_are_read():
    qrels = {"1": {"a": 1, "b": 0}}
    for run in ({"a": 1, "b": 2}, {"a": np.float32(0.5), "b": np.float64(0.75)}, {"a": False, "b": True}):
        assert score_trec(qrels, {"1": run}).per_topic["1"]["recip_rank"] == 0.5


@pytest.mark.parametrize("label", [1.5, 1.0, "1", None])
def test_a_label_that_is_no_whole_number_is_refused_with_its_document(label):
    with pytest.raises(ScoringError, match="topic '2' labels 'b'"):
        score_trec({"1": {"a": 1}, "2": {"a": 1, "b": label}}, {"1": {"a": 1.0}, "2": {"a": 1.0}})
    with pytest.raises(ScoringError, match="topic '2' labels 'a'"):
        score_trec({"2": {"a": label}}, {"2": {"a": 1.0}}, judged_only=True)
    with pytest.raises(ScoringError, match="64 bits"):
        score_trec({"2": {"a": 1 << 70}}, {"2": {"a": 1.0}})
    assert score_trec({"1": {"a": np.int64(1), "b": True}}, {"1": {"a": 1.0}}).overall["num_rel"] == 2


@pytest.mark.parametrize("score", [None, "1.0", [1.0], 10**400])
def test_a_score_that_is_no_number_is_refused_with_its_topic(score):
    with pytest.raises(ScoringError, match="topic '2' holds a score that is not a number"):
        score_trec({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {"b": score}})


@pytest.mark.parametrize("score", [float("nan"), float("-inf"), 1e39])
def test_a_score_beyond_all_bounds_is_refused_with_its_topic(score):
    with pytest.raises(ScoringError, match="topic '2' holds a score that is not finite"):
        score_trec({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 1.0}, "2": {"a": 1.0, "b": score}})
    with pytest.raises(ScoringError, match="place 1 is not finite"):
        score_arrays(LabelArrays([1], [1], [1]), RunArrays([1, 1], [1, 2], [0.5, score]))


LABELS = LabelArrays([1, 1], [1, 2], [1, 0])


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        (LABELS, RunArrays([1], [1, 2], [0.5, 0.1]), r"run: the columns topic \(1\) and document \(2\) differ"),
        (LABELS, RunArrays([1, 1], [3, 3], [0.5, 0.1]), "run: a document is returned twice"),
        (LabelArrays([1, 1], [2, 2], [1, 0]), RunArrays([1], [1], [0.5]), "qrels: a document is labelled twice"),
        (LabelArrays([1], [2], [1.5]), RunArrays([1], [1], [0.5]), "qrels: the column label holds float64"),
        (LABELS, RunArrays(["1"], [1], [0.5]), "topic: int64 in the qrels"),
        (LABELS, RunArrays([1], ["1"], [0.5]), "document: int64 in the qrels"),
        (LABELS, RunArrays([1], [1], ["x"]), "run: the column score holds"),
        (LABELS, RunArrays([[1]], [1], [0.5]), "run: the column topic has 2 dimensions"),
    ],
)
def test_wrong_arrays_are_refused_with_the_column(qrels, run, message):
    with pytest.raises(ScoringError, match=message):
        score_arrays(qrels, run)


def test_arrays_without_rows_give_zeros_not_nan():
    nothing = score_arrays(LabelArrays([], [], []), RunArrays([], [], []))
    assert set(nothing.overall.values()) == {0}
    unmet = score_arrays(LABELS, RunArrays([2], [1], [1.0]))
    assert (len(unmet.topics), set(unmet.overall.values())) == (0, {0})
    missing = score_arrays(LABELS, RunArrays([2], [1], [1.0]), complete=True)
    assert (missing.topics.tolist(), missing.overall["num_q"], missing.overall["map"]) == ([1], 1, 0.0)
    with pytest.raises(ScoringError, match="level"):
        score_arrays(LABELS, RunArrays([], [], []), level=0)


@pytest.mark.parametrize("block", [1, 7, 64])
def test_topics_in_blocks_give_what_all_at_once_give(monkeypatch, block):
    rng = np.random.default_rng(4)
    topic = np.repeat(np.arange(0, 40, 2), rng.integers(1, 9, 20))
    document = np.concatenate([rng.permutation(12)[:n] for n in np.unique(topic, return_counts=True)[1]]) << 40
    run = RunArrays(topic, document, rng.choice([0.5, 1.0, 2.0], len(topic)))
    labelled = np.array([(t, d) for t in range(40) for d in rng.permutation(12)[:4]])
    qrels = LabelArrays(labelled[:, 0], labelled[:, 1] << 40, rng.integers(-1, 3, len(labelled)))
    whole = score_arrays(qrels, run, complete=True)
    monkeypatch.setattr("scoring.trec.arrays._BLOCK", block)
    assert score_arrays(qrels, run, complete=True).overall == whole.overall
    assert whole.overall["num_rel_ret"] > 0
    # As if no topic, document and place fitted into one number.
    monkeypatch.setattr("scoring.trec.arrays.NEVER", 0)
    monkeypatch.setattr("scoring.retrieval.columns.NEVER", 0)
    assert score_arrays(qrels, run, complete=True).overall == whole.overall
    twice = RunArrays(np.r_[topic, 38], np.r_[document, document[-1]], np.r_[run.score, 0.0])
    with pytest.raises(ScoringError, match="returned twice"):
        score_arrays(qrels, twice)


def test_document_numbers_of_any_size_are_told_apart():
    wide = [-(1 << 62), 1 << 62, 5]
    found = score_arrays(LabelArrays([1] * 3, wide, [1, 0, 2]), RunArrays([1] * 3, wide, [1.0, 1.0, 1.0]))
    # Ties fall: 1 << 62, 5, -(1 << 62).
    assert found.values["recip_rank"].tolist() == [0.5]
    unsigned = np.array([7, 8], dtype=np.uint64)
    mixed = score_arrays(LabelArrays(unsigned, unsigned, [1, 1]), RunArrays([7, 8], [7, 8], [1.0, 1.0]))
    assert mixed.overall["map"] == 1.0
    json.dumps(mixed.overall)
