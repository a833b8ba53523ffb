"""Each retrieval metric's worked example and edges, straight from items and outputs."""

import math

import pytest

from scoring.errors import MetricError, ScoringError
from scoring.registry import METRICS, identity
from scoring.retrieval.ann_recall import ann_recall
from scoring.score import score_batch
from scoring.types import Document, Score, State
from tests.scoring.builders import item, listed, output, score

ABC = [[["A"], ["B"], ["C"]]]
ABC_OR_D = [[["A"], ["B"], ["C"]], [["D"]]]


def test_one_of_three_needed_units_is_a_hit_but_not_complete_evidence():
    gold = item(evidence=ABC)
    assert score("retrieval.hit", gold, listed("A"), k=5).value == 1
    assert score("retrieval.evidence_recall", gold, listed("A"), k=5).value == pytest.approx(1 / 3)
    assert score("retrieval.evidence_complete", gold, listed("A"), k=5).value == 0


def test_another_group_that_suffices_alone_makes_all_three_one():
    gold = item(evidence=ABC_OR_D)
    for metric in ("hit", "evidence_recall", "evidence_complete"):
        assert score(f"retrieval.{metric}", gold, listed("D"), k=5).value == 1


def test_alternatives_of_a_requirement_count_once():
    gold = item(evidence=[[["A", "A2"], ["B"]]])
    assert score("retrieval.evidence_recall", gold, listed("A", "A2"), k=5).value == 0.5


@pytest.mark.parametrize(
    ("metric", "params", "value"),
    [
        ("recall", {"k": 5}, 1 / 3),
        ("recall", {}, 2 / 3),
        ("precision", {"k": 5}, 0.2),
        ("precision", {"k": 10}, 0.2),
        ("precision_returned", {"k": 5}, 0.2),
        ("precision_returned", {"k": 100}, 2 / 6),
        ("mrr", {}, 1 / 3),
        ("mrr", {"k": 2}, 0.0),
        ("ap", {}, (1 / 3 + 2 / 6) / 3),
        ("ap", {"k": 5}, (1 / 3) / 3),
        ("r_precision", {}, 1 / 3),
        ("rbp", {"p": 0.8}, 0.2 * (0.8**2 + 0.8**5)),
        ("set_f", {}, 2 * (2 / 6) * (2 / 3) / (2 / 6 + 2 / 3)),
        ("judged", {"k": 5}, 0.4),
        ("ndcg", {"k": 3}, (2 / math.log2(4)) / (2 + 1 / math.log2(3) + 1 / math.log2(4))),
        ("ndcg", {"k": 3, "gain": "exp"}, (3 / math.log2(4)) / (3 + 1 / math.log2(3) + 1 / math.log2(4))),
        ("bpref", {}, ((1 - 1 / 1) + (1 - 1 / 1)) / 3),
    ],
)
def test_each_metric_gives_the_number_worked_out_by_hand(metric, params, value):
    gold = item(relevance={"A": 2, "B": 1, "C": 1, "Z": 0})
    returned = listed("x", "Z", "A", "y", "w", "B")
    assert score(f"retrieval.{metric}", gold, returned, **params).value == pytest.approx(value, abs=1e-12)


def test_ndcg_of_a_swapped_pair_is_the_documented_figure():
    gold = item(relevance={"A": 2, "B": 1})
    assert score("retrieval.ndcg", gold, listed("B", "A")).value == pytest.approx(0.8597, abs=5e-5)


def test_precision_returned_reports_how_many_were_returned():
    gold = item(relevance={"A": 1})
    found = score("retrieval.precision_returned", gold, listed("A", "x"), k=5)
    assert (found.value, found.detail) == (0.5, {"returned": 2})
    assert score("retrieval.precision", gold, listed("A", "x"), k=5).value == 0.2


def test_copies_are_one_unit_and_duplicates_are_dropped_before_the_cut():
    gold = item(relevance={"A": 1, "B": 1}, copies=[["A", "A2"], ["A2", "A3"]])
    returned = listed("A3", "A", "A2", "B")
    assert score("retrieval.recall", gold, returned, k=2).value == 1
    assert score("retrieval.recall", gold, returned, k=1).value == 0.5
    assert score("retrieval.precision_returned", gold, returned).detail == {"returned": 2}


def test_the_highest_label_over_the_copies_counts():
    gold = item(relevance={"A": 0, "A2": 2, "B": 1}, copies=[["A", "A2"]])
    assert score("retrieval.ndcg", gold, listed("A", "B")).value == 1
    assert score("retrieval.recall", gold, listed("A"), level=2).value == 1


def test_a_span_is_satisfied_when_chunks_together_cover_theta_of_it():
    gold = item(evidence=[[[{"doc_id": "d", "version_id": "1", "start": 100, "end": 200}]]])

    def chunk(name, start, end, version="1"):
        return {"id": name, "doc_id": "d", "version_id": version, "start": start, "end": end}

    small = listed(chunk("c1", 90, 125), chunk("c2", 170, 200), stage="coarse")
    assert score("retrieval.evidence_recall", gold, small, k=1).value == 0
    assert score("retrieval.evidence_recall", gold, small, k=2).value == 1
    assert score("retrieval.evidence_recall", gold, small, k=2, theta=0.6).value == 0
    overlapping = listed(chunk("c1", 100, 140), chunk("c2", 100, 140))
    assert score("retrieval.evidence_recall", gold, overlapping).value == 0
    other_version = listed(chunk("c1", 100, 200, version="2"))
    assert score("retrieval.evidence_recall", gold, other_version).value == 0


def test_span_only_gold_has_hit_and_mrr_but_no_recall():
    gold = item(evidence=[[[{"doc_id": "d", "version_id": "1", "start": 0, "end": 10}]]])
    found = listed("x", {"id": "c", "doc_id": "d", "version_id": "1", "start": 0, "end": 10})
    assert score("retrieval.mrr", gold, found).value == 0.5
    assert score("retrieval.hit", gold, found, k=1).value == 0
    assert score("retrieval.hit", gold, found, k=2).value == 1
    for metric in ("recall", "precision", "ndcg", "ap"):
        assert score(f"retrieval.{metric}", gold, found, k=5).state is State.NOT_APPLICABLE


def test_an_item_without_gold_is_no_gold_and_returning_nothing_is_zero():
    assert score("retrieval.recall", item(), listed("A"), k=5).state is State.NO_GOLD
    assert score("retrieval.recall", item(relevance={"A": 0}), listed("A"), k=5).state is State.NO_GOLD
    gold = item(relevance={"A": 1})
    for metric in ("hit", "recall", "mrr", "ndcg", "ap", "evidence_recall"):
        assert score(f"retrieval.{metric}", gold, listed(), k=5).value == 0
    assert score("retrieval.judged", gold, listed(), k=5).state is State.NOT_APPLICABLE


def test_a_failed_output_is_target_failed_and_an_absent_stage_is_said():
    gold = item(relevance={"A": 1})
    assert score("retrieval.hit", gold, output(error="timeout"), k=5).state is State.TARGET_FAILED
    assert score("retrieval.hit", gold, listed("A"), stage="prompt", k=5).state is State.NOT_APPLICABLE
    wanted = [identity("retrieval.hit", stage="prompt", k=5)]
    assert score_batch(wanted, [gold], [listed("A")], stages={"coarse", "prompt"})[0][0].value == 0


def test_without_a_stage_the_last_ranked_list_is_read():
    gold = item(relevance={"A": 1})
    both = output(answer="x", outcome="answered", retrieved={"coarse": ["A"], "reranked": ["x"], "prompt": ["A"]})
    assert score("retrieval.hit", gold, both, k=1).value == 0
    assert score("retrieval.hit", gold, both, stage="coarse", k=1).value == 1
    assert score("retrieval.hit", gold, output(answer="x", outcome="answered", retrieved=["A"]), k=1).value == 1


def test_the_budget_counts_tokens_as_sent_before_copies_collapse():
    gold = item(evidence=[[["A"], ["B"]]], copies=[["A", "A2"]])
    sent = listed({"id": "A", "tokens": 60}, {"id": "A2", "tokens": 40}, {"id": "B", "tokens": 60})
    assert score("retrieval.evidence_recall_budget", gold, sent, budget=100).value == 0.5
    assert score("retrieval.evidence_recall_budget", gold, sent, budget=160).value == 1
    assert score("retrieval.evidence_recall_budget", gold, listed("A"), budget=9).state is State.NOT_APPLICABLE


def test_a_document_that_the_asker_may_not_see_is_counted():
    gold = item(relevance={"A": 1}, audience=["public"])
    returned = listed({"id": "A", "doc_id": "open"}, {"id": "B", "doc_id": "inner"})
    documents = [Document("open"), Document("inner", audience=frozenset({"staff"}))]
    wanted = [identity("retrieval.acl_violation", k=5)]
    assert score_batch(wanted, [gold], [returned], documents=documents)[0][0].value == 0.5
    assert score_batch(wanted, [gold], [returned])[0][0].state is State.NOT_APPLICABLE
    assert score_batch(wanted, [gold], [returned], documents=documents[:1])[0][0].state is State.NOT_APPLICABLE


def test_ann_recall_is_overlap_by_the_exact_list():
    assert ann_recall(["a", "c", "x", "b"], ["a", "b", "c", "d"], 4) == Score.of(0.75)
    assert ann_recall(["a"], [], 4).state is State.NOT_APPLICABLE
    with pytest.raises(ScoringError, match="k is 0"):
        ann_recall([], [], 0)


def test_a_run_that_reports_both_lists_is_told_its_index_loss():
    exact = [{"id": unit} for unit in "abcd"]
    found = [{"id": unit} for unit in "acxb"]
    answered = {"answer": "x", "outcome": "answered"}
    cases = {
        "ann": ({"exact": exact, "ann": found, "coarse": []}, Score.of(0.75)),
        "coarse": ({"exact": exact, "coarse": found}, Score.of(0.75)),
        "nothing exact": ({"coarse": found}, State.NOT_APPLICABLE),
        "empty exact": ({"exact": [], "coarse": found}, State.NOT_APPLICABLE),
        "nothing approximate": ({"exact": exact, "ann": []}, Score.of(0.0)),
    }
    for name, (retrieved, expected) in cases.items():
        made = score("index.ann_recall", item(), output(**answered, retrieved=retrieved), k=4)
        assert expected in (made, made.state), name
    failed = score("index.ann_recall", item(), output(error="timeout"), k=4)
    assert failed.state is State.TARGET_FAILED


@pytest.mark.parametrize(
    "params", [{"k": 0}, {"k": -1}, {"k": 2.5}, {"k": "5"}, {"k": True}, {"k": float("nan")}, {"q": 1}]
)
def test_a_wrong_parameter_is_refused_with_its_name(params):
    with pytest.raises(MetricError, match=next(iter(params))):
        identity("retrieval.recall", **params)


def test_a_missing_or_unknown_choice_is_refused():
    with pytest.raises(MetricError, match="k is needed"):
        identity("retrieval.precision")
    with pytest.raises(MetricError, match="gain"):
        identity("retrieval.ndcg", k=5, gain="cubic")
    with pytest.raises(MetricError, match="unknown metric"):
        identity("retrieval.nothing")
    with pytest.raises(MetricError, match="stage"):
        identity("answers.correct", stage="prompt")


def test_pairs_that_do_not_belong_together_are_refused():
    with pytest.raises(ScoringError, match="differ in length"):
        score_batch([], [item()], [])
    with pytest.raises(ScoringError, match="stands beside"):
        score_batch([], [item("a")], [output("b")])


def test_an_empty_batch_gives_empty_lists():
    needed = {
        "retrieval.precision": {"k": 5},
        "retrieval.evidence_recall_budget": {"budget": 5},
        "index.ann_recall": {"k": 5},
    }
    wanted = [identity(name, **needed.get(name, {})) for name in METRICS]
    assert score_batch(wanted, [], []) == [[] for _ in METRICS]


def test_an_exponential_gain_of_an_absurd_label_is_an_error_not_infinity():
    with pytest.raises(MetricError, match="gain=exp"):
        score("retrieval.ndcg", item(relevance={"A": 2000}), listed("A"), gain="exp")
