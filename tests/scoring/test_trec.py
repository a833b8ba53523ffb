"""Equal to trec_eval, per topic to the printed digits, straight from its own test files; and to its bindings' users."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import ScoringError, TrecFormatError
from scoring.trec import read_qrels, read_run, report, score_trec, write_qrels, write_run
from tests.scoring.builders import shared

CASES = [
    ("results.test", "out.test.a", {}),
    ("results.test", "out.test.aq", {"per_query": True}),
    ("results.trunc", "out.test.aqc", {"per_query": True, "complete": True}),
    ("results.trunc", "out.test.aqcM", {"per_query": True, "complete": True, "max_docs": 100}),
]
#: Printed by the reference tool, not defined here.
UNDEFINED = {"G", "Rndcg", "binG", "infAP", "ndcg_rel", "relstring"}


def parsed(lines):
    cells = [line.rstrip("\n").split("\t") for line in lines]
    return {(name.strip(), topic): value for name, topic, value in cells}


@pytest.mark.parametrize(("run", "expected", "options"), CASES)
def test_every_defined_value_is_printed_as_trec_eval_prints_it(run, expected, options):
    data = shared("trec_eval")
    with (data / "qrels.test").open() as qrels, (data / run).open() as results:
        ours = parsed(report(read_qrels(qrels), read_run(results), measures="all", **options))
    with (data / expected).open() as lines:
        theirs = parsed(lines)
    assert {name for name, _ in theirs} - {name for name, _ in ours} == UNDEFINED & {name for name, _ in theirs}
    assert {key: value for key, value in theirs.items() if key[0] not in UNDEFINED} == ours


@pytest.mark.parametrize("qrels", ["qrels.test", "qrels.test.with-comments"])
def test_the_official_report_can_be_diffed_against_trec_evals(qrels):
    data = shared("trec_eval")
    with (data / qrels).open() as labels, (data / "results.test").open() as results:
        lines = report(read_qrels(labels), read_run(results))
    assert "\n".join(lines) + "\n" == (data / "out.test").read_text()


def test_cutoffs_given_by_name_equal_the_parameterised_run():
    data = shared("trec_eval")
    with (data / "qrels.test").open() as qrels, (data / "results.test").open() as results:
        scores = score_trec(read_qrels(qrels), read_run(results).scores)
    with (data / "out.test.meas_params").open() as lines:
        theirs = parsed(lines)
    for name in ("recall_20", "ndcg_cut_10", "ndcg_cut_20", "success_5", "P_5", "Rprec_mult_0.20"):
        for topic in ("301", "302", "303"):
            assert f"{scores.per_topic[topic][name]:.4f}" == theirs[name, topic]


def test_the_reported_public_issues_come_out_right():
    path = shared("bug_reports") / "public_issue_cases.jsonl"
    cases = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(cases) == 6
    for case in cases:
        qrels = case.get("qrels_json") or read_qrels(case["qrels"].splitlines())
        run = case.get("run_json") or read_run(case["run"].splitlines()).scores
        expected = case["expected"]
        if "qrels_json" in case:
            scores = score_trec(qrels, run)
            for topic, values in expected.items():
                for name, value in values.items():
                    assert scores.per_topic[topic][name] == pytest.approx(value, abs=1e-9), case["id"]
            continue
        for name, value in expected.items():
            measure, _, option = name.partition(" with ")
            judged = option == "-J"
            columns = {"P_1": "success_1"}
            got = score_trec(qrels, run, judged_only=judged).overall[columns.get(measure, measure)]
            assert got == pytest.approx(value, abs=5e-5), case["id"]


def test_the_ir_measures_numbers_come_out_right():
    data = shared("ir_measures")
    expected = json.loads((data / "expected.json").read_text())["cwl"]
    with (data / "cwl.qrels").open() as qrels, (data / "cwl.run").open() as results:
        labels, run = read_qrels(qrels), read_run(results).scores
    scores = score_trec(labels, run)
    names = {"AP": "map", "P@5": "P_5", "P@10": "P_10", "P@20": "P_20", "RR": "recip_rank", "RBP(p=0.9)": "rbp"}
    checked = 0
    for theirs, ours in names.items():
        for topic, value in expected[theirs].items():
            assert scores.per_topic[topic][ours] == pytest.approx(value, abs=5e-5), (theirs, topic)
            checked += 1
    assert checked == 18


def test_the_level_changes_what_is_relevant_but_not_ndcg():
    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}
    strict = score_trec(qrels, run, level=2).overall
    assert (strict["map"], strict["num_rel"]) == (0.5, 1)
    assert strict["ndcg"] == score_trec(qrels, run).overall["ndcg"]


_DOCS = [f"d{i}" for i in range(7)]


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["1", "2", "10"]),
        st.dictionaries(st.sampled_from(_DOCS), st.integers(0, 3), min_size=1),
        min_size=1,
    ),
    st.dictionaries(
        st.sampled_from(["1", "2", "10"]),
        st.dictionaries(st.sampled_from(_DOCS), st.sampled_from([0.0, 0.5, 1.0, 2.5]), min_size=1),
        min_size=1,
    ),
)
def test_all_values_equal_pytrec_eval_with_ties_and_missing_topics(qrels, run):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    # Not iprec_at_recall: the bindings hold trec_eval 9, which rounds a recall level up; the reference is trec_eval 10.
    names = "map ndcg ndcg_cut P recall bpref Rprec set_F set_P set_recall recip_rank success map_cut num_rel_ret"
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(names.split()))
    ours = score_trec(qrels, run).per_topic
    for topic, values in theirs.evaluate(run).items():
        for name, value in values.items():
            assert ours[topic][name] == pytest.approx(value, abs=1e-9), (topic, name)


def test_files_are_the_inverse_of_reading():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
    run = {"1": {"a": 1.0, "b": 1.0}, "2": {"c": 0.1}}
    assert read_qrels(write_qrels(qrels)) == qrels
    assert read_run(write_run(run, "tag")).scores == run
    assert next(iter(write_run(run, "tag"))) == "1 Q0 b 1 1.0 tag\n"


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (read_qrels, "1 0 a 1\n1 0 a 0\n", "line 2.*labelled twice"),
        (read_qrels, "1 0 a x\n", "line 1.*whole number"),
        (read_qrels, "1 0 a\n", "line 1.*3 fields"),
        (read_run, "1 Q0 a 1 1.0 t\n1 Q0 a 2 0.5 t\n", "line 2.*returned twice"),
        (read_run, "1 Q0 a 1 nan t\n", "line 1.*not finite"),
        (read_run, "\n# c\n1 Q0 a 1 x t\n", "line 3.*not a number"),
        (read_run, "1 Q0 a 1 0.5\n", "line 1.*5 fields"),
    ],
)
def test_a_wrong_line_is_refused_with_its_number(reader, text, message):
    with pytest.raises(TrecFormatError, match=message):
        reader(text.splitlines())


def test_no_topic_in_common_gives_zeros_not_nan():
    scores = score_trec({"1": {"a": 1}}, {"2": {"a": 1.0}})
    assert scores.per_topic == {}
    assert set(scores.overall.values()) == {0}
    empty = score_trec({}, {})
    assert empty.overall["num_q"] == 0
    with pytest.raises(ScoringError, match="level"):
        score_trec({}, {}, level=0)
    with pytest.raises(ScoringError, match="not finite"):
        score_trec({"1": {"a": 1}}, {"1": {"a": float("nan")}})


def test_lists_of_very_different_lengths_rank_alike():
    qrels = {str(t): {"d1": 1, "d3": 2} for t in range(40)}
    run = {str(t): {"d1": 1.0, "d2": 1.0, "d3": 0.5} for t in range(40)}
    short = score_trec(qrels, run).per_topic
    run["0"] = {**{f"x{i}": -1.0 - i for i in range(3000)}, **run["0"]}
    long = score_trec(qrels, run).per_topic
    assert long["1"] == short["1"]
    assert long["0"]["recip_rank"] == short["0"]["recip_rank"] == 0.5
