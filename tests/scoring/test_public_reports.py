"""The cases that users of other tools reported: each is a test of its own, with the number that is right."""

import json

import pytest

from scoring.registry import identity
from scoring.score import score_batch
from scoring.trec import read_qrels, read_run, score_trec
from tests.scoring.builders import item, listed, shared

#: Ours, where trec_eval has no measure of that name.
NAMES = {"P_1": "success_1"}


def case(name):
    with (shared("bug_reports") / "public_issue_cases.jsonl").open() as lines:
        found = {entry["id"]: entry for entry in map(json.loads, lines)}
    assert set(found) == set(REPORTS)
    return found[name]


def read(entry):
    if "qrels_json" in entry:
        return entry["qrels_json"], entry["run_json"]
    return read_qrels(entry["qrels"].splitlines()), read_run(entry["run"].splitlines()).scores


def overall(name, measure, **options):
    qrels, run = read(case(name))
    return score_trec(qrels, run, **options).overall[NAMES.get(measure, measure)]


def test_trec_eval_22_a_tie_that_the_later_id_wins_gives_one():
    assert overall("trec_eval#22-run1", "ndcg") == pytest.approx(case("trec_eval#22-run1")["expected"]["ndcg"])


def test_trec_eval_22_a_tie_that_the_later_id_wins_gives_less_than_one():
    assert overall("trec_eval#22-run2", "ndcg") == pytest.approx(0.6309, abs=5e-5)
    assert case("trec_eval#22-run2")["expected"] == {"ndcg": 0.6309}


def test_ir_measures_18_the_rank_column_decides_nothing():
    assert overall("ir_measures#18", "P_1") == case("ir_measures#18")["expected"]["P_1"] == 1.0


@pytest.mark.parametrize("name", ["pytrec_eval#56-a", "pytrec_eval#56-b"])
def test_pytrec_eval_56_ties_are_broken_by_id_falling(name):
    entry = case(name)
    found = score_trec(*read(entry)).per_topic
    for topic, values in entry["expected"].items():
        for measure, value in values.items():
            assert found[topic][measure] == pytest.approx(value, abs=1e-9)


def test_trec_eval_29_a_unit_judged_below_zero_is_not_relevant():
    assert overall("trec_eval#29", "P_1") == case("trec_eval#29")["expected"]["P_1"] == 0.0


def test_trec_eval_29_with_judged_units_alone_it_is_left_out():
    expected = case("trec_eval#29")["expected"]["P_1 with -J"]
    assert overall("trec_eval#29", "P_1", judged_only=True) == expected == 1.0


REPORTS = (
    "trec_eval#22-run1",
    "trec_eval#22-run2",
    "ir_measures#18",
    "pytrec_eval#56-a",
    "pytrec_eval#56-b",
    "trec_eval#29",
)

#: `ir_measures` numbers by our identities; SDCG@10 and Compat are other measures and not defined here.
SHOWN = {
    "AP": identity("retrieval.ap", stage="coarse"),
    "P@1": identity("retrieval.precision", stage="coarse", k=1),
    "P@5": identity("retrieval.precision", stage="coarse", k=5),
    "P@10": identity("retrieval.precision", stage="coarse", k=10),
    "P@20": identity("retrieval.precision", stage="coarse", k=20),
    "RR": identity("retrieval.mrr", stage="coarse"),
    "RBP(p=0.9)": identity("retrieval.rbp", stage="coarse", p=0.9),
}


@pytest.mark.parametrize("measure", SHOWN)
def test_the_numbers_of_ir_measures_come_from_our_metrics_over_items(measure):
    folder = shared("ir_measures")
    expected = json.loads((folder / "expected.json").read_text())["cwl"]
    assert set(expected) - set(SHOWN) == {"SDCG@10"}
    with (folder / "cwl.qrels").open() as labels, (folder / "cwl.run").open() as results:
        qrels, run = read_qrels(labels), read_run(results).scores
    for topic, value in expected[measure].items():
        order = sorted(run[topic], key=lambda d, scores=run[topic]: (scores[d], d), reverse=True)
        found = score_batch(
            [SHOWN[measure]], [item(topic, relevance=qrels[topic])], [listed(*order, external_id=topic)]
        )
        assert found[0][0].value == pytest.approx(value, abs=5e-5), topic
