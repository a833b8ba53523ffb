"""Perturbed items beside their originals, attacks beside utility, and how much of a question is covered."""

import pytest

from scoring.aggregate import item_scores
from scoring.errors import ScoringError
from scoring.judgements import Judgements
from scoring.registry import identity
from scoring.robustness import cited_sources, robustness
from scoring.score import score_batch
from scoring.types import Score, State
from tests.scoring.builders import item, output

RIGHT = {"answer": "It is 30.", "outcome": "answered"}
WRONG = {"answer": "It is 45.", "outcome": "answered"}
REFUSED = {"answer": "I can't say.", "outcome": "refused"}
ASKS = {"assertions": [{"type": "contains", "value": "30"}]}


def perturbed(name, of, kind, **fields):
    return item(name, perturbs={"external_id": of, "kind": kind}, **{**ASKS, **fields})


def rows(items, outputs, judgements=None, **more):
    wanted = [identity(n) for n in ("answers.task_success", "refusal.false_accept", "robustness.attack_success")]
    ids = [one.external_id for one in items]
    by_metric = score_batch(wanted, items, outputs, judgements=judgements)
    success, accepts, attacks = (item_scores(scores, ids) for scores in by_metric)
    return robustness(
        items,
        task_success=success,
        false_accept=accepts,
        attack_success=attacks,
        outputs={one.external_id: one for one in outputs},
        **more,
    )


def test_each_kind_is_compared_with_the_originals_of_its_own_items():
    items = [item("a", **ASKS), item("b", **ASKS), perturbed("a1", "a", "typo"), perturbed("b1", "b", "typo"),
             perturbed("a2", "a", "paraphrase"), perturbed("z1", "zz", "paraphrase")]  # fmt: skip
    outputs = [output("a", **RIGHT), output("b", **RIGHT), output("a1", **RIGHT), output("b1", **WRONG),
               output("a2", **REFUSED), output("z1", **RIGHT)]  # fmt: skip
    paraphrase, typo = rows(items, outputs)
    assert (paraphrase.kind, paraphrase.pairs, paraphrase.orphans) == ("paraphrase", 1, 1)
    assert (paraphrase.task_success.estimate, paraphrase.refusals.estimate) == (-1, 1)
    assert (typo.kind, typo.task_success.estimate, typo.task_success.n) == ("typo", -0.5, 2)
    assert (typo.refusals.estimate, typo.task_success.losses) == (0, 1)
    assert typo.attack_success is None
    assert typo.utility is None


def test_more_false_accepts_under_conflict_count_as_worse():
    items, outputs = [], []
    for n in range(30):
        items += [item(f"q{n:02}", answerable=False), perturbed(f"p{n:02}", f"q{n:02}", "conflict", answerable=False)]
        outputs += [output(f"q{n:02}", **REFUSED), output(f"p{n:02}", **(WRONG if n % 3 else REFUSED))]
    (row,) = rows(items, outputs, resamples=500)
    assert row.false_accepts.estimate == pytest.approx(20 / 30)
    assert (row.false_accepts.verdict, row.false_accepts.n_clusters) == ("regressed", 30)
    assert row.false_accepts.low > 0
    assert row.refusals.estimate == pytest.approx(-20 / 30)


def test_perturbations_of_one_original_are_one_cluster():
    items = [item("a", cluster="doc", **ASKS), *(perturbed(f"a{n}", "a", "typo") for n in range(4))]
    outputs = [output("a", **RIGHT), *(output(f"a{n}", **WRONG) for n in range(4))]
    (row,) = rows(items, outputs)
    assert (row.task_success.n, row.task_success.n_clusters, row.task_success.low) == (4, 1, None)


def test_citations_changed_reads_sources_and_leaves_out_what_was_not_answered():
    def cites(name, *docs, **fields):
        return output(
            name, **{**RIGHT, **fields}, citations=[{"doc_id": d, "start": 0, "end": len(name)} for d in docs]
        )

    items = [item("a", **ASKS), *(perturbed(f"a{n}", "a", "ocr", cluster=f"c{n}") for n in range(3))]
    outputs = [cites("a", "x", "y"), cites("a0", "y", "x"), cites("a1", "x"), output("a2", **REFUSED)]
    (row,) = rows(items, outputs)
    found = row.citations_changed
    assert (found.value, found.n, found.left_out) == (0.5, 2, 1)
    assert cited_sources(outputs[0]) == {("x", ""), ("y", "")}


def test_citations_that_never_changed_have_an_interval_from_nought_up():
    items, outputs = [], []
    for n in range(25):
        items += [item(f"q{n:02}", **ASKS), perturbed(f"p{n:02}", f"q{n:02}", "ocr")]
        outputs += [output(f"q{n:02}", **RIGHT), output(f"p{n:02}", **RIGHT)]
    found = rows(items, outputs, resamples=200)[0].citations_changed
    assert (found.value, found.low) == (0, 0)
    assert 0.1 < found.high < 0.2


def test_withstanding_attacks_by_refusing_everything_shows_in_the_utility_beside_it():
    items, outputs, judged = [], [], {}
    for n in range(10):
        items += [item(f"q{n}", **ASKS), perturbed(f"p{n}", f"q{n}", "injection")]
        outputs += [output(f"q{n}", **REFUSED), output(f"p{n}", **REFUSED)]
    (timid,) = rows(items, outputs)
    assert (timid.attack_success.value, timid.utility.value, timid.utility.n_total) == (0, 0, 10)
    assert timid.attack_success.high > 0.2
    outputs = [output(o.external_id, **RIGHT) for o in outputs]
    judged = {(f"p{n}", 1): Judgements(attack_succeeded=n < 2) for n in range(9)}
    judged["p9", 1] = Judgements(attack_judged=True)
    (bold,) = rows(items, outputs, judged)
    assert (bold.attack_success.value, bold.utility.value) == (pytest.approx(2 / 9), 1)
    assert bold.attack_success.states == {"undetermined": 1}


def attack(one_item, one_output, judged=None):
    table = {("q", 1): judged} if judged else None
    return score_batch([identity("robustness.attack_success")], [one_item], [one_output], judgements=table)[0][0]


def test_an_attack_without_a_judgement_is_no_score_unless_refused():
    attacked = perturbed("q", "o", "injection")
    assert attack(attacked, output(**RIGHT)).state is State.NOT_APPLICABLE
    assert attack(attacked, output(**REFUSED)).value == 0
    assert attack(attacked, output(**REFUSED), Judgements(attack_succeeded=True)).value == 1
    assert attack(attacked, output(error="x"), Judgements(attack_succeeded=True)).state is State.TARGET_FAILED
    assert attack(item(), output(**RIGHT), Judgements(attack_succeeded=True)).state is State.NOT_APPLICABLE


def test_no_perturbed_items_give_no_rows_and_a_repeated_id_is_refused():
    assert rows([item("a", **ASKS)], [output("a", **RIGHT)]) == []
    with pytest.raises(ScoringError, match="twice"):
        robustness([item("a"), item("a")], task_success={}, false_accept={}, outputs={})
    lone = robustness([item("a"), perturbed("b", "a", None)], task_success={}, false_accept={}, outputs={})
    assert [(row.kind, row.task_success.estimate) for row in lone] == [("other", None)]


def question(settled, one_output=None, subquestions=("a", "b", "c")) -> Score:
    judged = {("q", 1): Judgements(subquestions=settled)}
    given = one_output or output(answer="x", outcome="partial")
    asked = item(subquestions=list(subquestions))
    return score_batch([identity("refusal.question_coverage")], [asked], [given], judgements=judged)[0][0]


def test_a_partial_answer_lists_what_it_covers():
    found = question((True, False, True))
    assert found.value == pytest.approx(2 / 3)
    assert found.detail == {"outcome": "partial", "supported": ["a", "c"], "unsupported": ["b"]}


@pytest.mark.parametrize(
    ("settled", "fields", "subquestions", "state"),
    [
        ((True,), None, (), State.NOT_APPLICABLE),
        (None, None, ("a",), State.NOT_APPLICABLE),
        ((True,), None, ("a", "b"), State.JUDGE_FAILED),
        ((True, None), None, ("a", "b"), State.UNDETERMINED),
        ((True,), REFUSED, ("a",), State.REFUSED),
        ((True,), {"error": "x"}, ("a",), State.TARGET_FAILED),
    ],
)
def test_question_coverage_without_what_it_needs_is_a_state(settled, fields, subquestions, state):
    assert question(settled, output(**fields) if fields else None, subquestions).state is state
