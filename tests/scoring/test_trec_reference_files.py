"""What trec_eval's own test folder holds beyond its plain outputs: parameters, z-scores, judgement groups, levels."""

import pytest

from scoring.retrieval.hit import hit
from scoring.retrieval.ndcg import ndcg
from scoring.retrieval.precision import precision
from scoring.retrieval.recall import recall
from scoring.trec import read_qrels, read_run, score_trec
from scoring.trec.columns import columns_from_dicts
from scoring.trec.measures import ALL, interpolated, r_precision_multiple
from tests.scoring.builders import shared

TOPICS = ["301", "302", "303"]
#: Every file of the folder: where its content is held against ours, or why there is nothing to compare.
FILES = {
    "out.test": "test_trec",
    "out.test.a": "test_trec",
    "out.test.aq": "test_trec",
    "out.test.aqc": "test_trec",
    "out.test.aqcM": "test_trec",
    "out.test.aqZ": "here",
    "out.test.meas_params": "here",
    "out.test.qrels_jg": "here",
    "qrels-302.test": "here: topic 302 alone",
    "results-302.test": "here: topic 302 alone",
    "qrels.123": "input",
    "qrels.test": "input",
    "qrels.test.with-comments": "input",
    "results.test": "input",
    "results.trunc": "input",
    "zscores_file": "input",
    "COMMANDS.txt": "the commands that made the outputs",
    "LICENSE.md": "the licence",
}
#: Commands of the same list whose files the folder does not have, so that nothing can be compared.
ABSENT = {
    "out.comment.test": "qrels.comment.test and results.comment.test are missing with it; comments are read above",
    "out.test.aql": "missing with qrels.rel_level; levels are held against pytrec_eval below",
    "out.test.prefs": "preference measures are not defined here, and the files are missing",
    "out.test.qrels_prefs": "preference measures are not defined here, and the file is missing",
}
#: Measures of the present files that are not defined here.
UNDEFINED = {"G", "Rndcg", "binG", "infAP", "ndcg_rel", "relstring"}


def read(qrels="qrels.test", run="results.test"):
    folder = shared("trec_eval")
    with (folder / qrels).open() as labels, (folder / run).open() as results:
        return read_qrels(labels), read_run(results).scores


def parsed(name):
    with (shared("trec_eval") / name).open() as lines:
        cells = [line.rstrip("\n").split("\t") for line in lines]
    return {(measure.strip(), topic): value for measure, topic, value in cells}


def test_every_file_is_compared_or_said_not_to_be():
    folder = shared("trec_eval")
    assert {path.name for path in folder.iterdir()} == set(FILES)
    for line in (folder / "COMMANDS.txt").read_text().splitlines():
        if "diff" in line:
            expected = line.rsplit("/", 1)[1]
            assert (expected in FILES) != (expected in ABSENT), expected


def test_values_at_other_parameters_are_trec_evals_to_the_printed_digits():
    qrels, run = read()
    made = columns_from_dicts(qrels, run, TOPICS)
    # trec_eval gives each label a gain; twice those gains are whole numbers, and a factor does not matter.
    gain = {0: 0, 1: 6, 2: 18, 4: 9}
    gains = {topic: {d: gain.get(label, label) for d, label in labels.items()} for topic, labels in qrels.items()}
    counts = score_trec(qrels, run, measures=["num_ret", "num_rel_ret"]).per_topic
    values = {
        **{f"P_{k}": precision(made, k) for k in (3, 5, 7)},
        **{f"recall_{k}": recall(made, k) for k in (20, 2000)},
        **{f"success_{k}": hit(made, k) for k in (2, 5, 20)},
        **{f"ndcg_cut_{k}": ndcg(made, k) for k in (10, 20, 23)},
        **{f"Rprec_mult_{m:.2f}": r_precision_multiple(made, 1, m) for m in (0.2, 0.35, 5.0)},
        **{f"iprec_at_recall_{r:.2f}": interpolated(made, 1, (r,))[:, 0] for r in (0.1, 0.2, 0.25, 0.5, 0.75)},
        "11pt_avg_.25,.5,.75": interpolated(made, 1, (0.25, 0.5, 0.75)).mean(axis=1),
        "ndcg_1=3,2=9,4=4.5": ndcg(columns_from_dicts(gains, run, TOPICS)),
        "utility_2,-1,0,0": [3 * counts[t]["num_rel_ret"] - counts[t]["num_ret"] for t in TOPICS],
    }
    theirs = parsed("out.test.meas_params")
    assert {name for name, topic in theirs if topic != "all"} == set(values)
    for name, column in values.items():
        for topic, value in zip(TOPICS, column, strict=True):
            assert f"{value:.4f}" == theirs[name, topic], (name, topic)
        assert f"{sum(column) / 3:.4f}" == theirs[name, "all"], name


def test_z_scores_made_of_our_values_are_trec_evals_to_the_printed_digits():
    qrels, run = read()
    known = {}
    with (shared("trec_eval") / "zscores_file").open() as lines:
        for line in lines:
            topic, name, mean, deviation = line.split()
            known[topic, name] = float(mean), float(deviation)
    theirs = parsed("out.test.aqZ")
    checked = 0
    for name, measure in ALL.items():
        if not measure.per_topic:
            continue
        scores = []
        for topic in TOPICS:
            value = score_trec(qrels, run, measures=[name]).per_topic[topic][name]
            mean, deviation = known[topic, name]
            scores.append((value - mean) / deviation if deviation else 0.0)
            # The two digits may differ in the last place where the file's own rounding decides.
            assert float(theirs[f"Z{name}", topic]) == pytest.approx(scores[-1], abs=5.1e-5), (name, topic)
        whole = sum(scores) if measure.summary == "sum" else sum(scores) / 3
        assert float(theirs[f"Z{name}", "all"]) == pytest.approx(whole, abs=5.1e-5), name
        checked += 1
    named = {name.removeprefix("Z") for name, topic in theirs if topic == "301"}
    assert checked == len(named - UNDEFINED)


def test_the_mean_over_judgement_groups_is_trec_evals_to_the_printed_digits():
    folder = shared("trec_eval")
    groups = {}
    with (folder / "qrels.123").open() as lines:
        for line in lines:
            topic, group, *_ = line.split()
            groups.setdefault(topic, {}).setdefault(group, []).append(line)
    _, run = read()
    theirs = parsed("out.test.qrels_jg")
    plain = {name: name.replace("_avgjg", "") for name, topic in theirs if topic == "301"}
    assert set(plain.values()) <= set(ALL)
    for topic, judged in groups.items():
        scores = [score_trec(read_qrels(lines), run).per_topic[topic] for lines in judged.values()]
        for name, ours in plain.items():
            value = sum(found[ours] for found in scores) / len(scores)
            assert f"{value:.4f}" == theirs[name, topic], (name, topic)


def test_a_topic_alone_gets_what_it_gets_among_others():
    alone = score_trec(*read("qrels-302.test", "results-302.test"))
    theirs = parsed("out.test.aq")
    for name, value in alone.per_topic["302"].items():
        text = f"{value:.4f}" if isinstance(value, float) else str(value)
        assert text == theirs[name, "302"], name


@pytest.mark.parametrize("level", [1, 2, 3, 4])
@pytest.mark.parametrize("group", ["0", "1", "2"])
def test_levels_of_graded_labels_are_pytrec_evals(level, group):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    with (shared("trec_eval") / "qrels.123").open() as lines:
        qrels = read_qrels(line for line in lines if line.split()[1] == group)
    _, run = read()
    names = (
        "map ndcg ndcg_cut P recall Rprec bpref recip_rank set_F set_P set_recall success map_cut num_rel num_rel_ret"
    )
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(names.split()), relevance_level=level).evaluate(run)
    ours = score_trec(qrels, run, level=level).per_topic
    assert list(theirs) == list(ours) == TOPICS
    for topic, values in theirs.items():
        for name, value in values.items():
            assert ours[topic][name] == pytest.approx(value, abs=1e-9), (topic, name)
