"""Task success, correctness and refusals: failing or refusing never gains, and every item has a value or a state."""

import pytest

from scoring.registry import identity
from scoring.score import score_batch
from scoring.types import Document, State
from tests.scoring.builders import item, output, score

RIGHT = {"assertions": [{"type": "contains", "value": "30"}]}
NAMES = ("answers.task_success", "answers.correct", "refusal.coverage", "refusal.false_accept",
         "refusal.false_refusal", "refusal.risk", "refusal.truthfulness")  # fmt: skip

ANSWERED = {"answer": "It is 30.", "outcome": "answered"}
WRONG = {"answer": "It is 45.", "outcome": "answered"}
PARTIAL = {"answer": "It is 30, the rest is unknown.", "outcome": "partial"}
REFUSED = {"answer": "I don't know.", "outcome": "refused"}
FAILED = {"error": "timeout"}
UNANSWERABLE = {"answerable": False}
FALSE_PREMISE = {"answerable": False, "types": ["false_premise"], "assertions": [{"type": "contains", "value": "30"}]}
UNNAMED = {"answerable": False, "types": ["false_premise"]}

NA, RF, UD, TF = State.NOT_APPLICABLE, State.REFUSED, State.UNDETERMINED, State.TARGET_FAILED

TABLE = [
    # item, output: task_success, correct, coverage, false_accept, false_refusal, risk, truthfulness
    (RIGHT, ANSWERED, (1, 1, 1, NA, 0, 0, 1)),
    (RIGHT, PARTIAL, (1, 1, 1, NA, 0, 0, 1)),
    (RIGHT, WRONG, (0, 0, 1, NA, 0, 1, -1)),
    (RIGHT, REFUSED, (0, RF, 0, NA, 1, RF, 0)),
    (RIGHT, FAILED, (0, TF, 0, NA, TF, TF, 0)),
    ({}, ANSWERED, (UD, NA, 1, NA, 0, UD, UD)),
    ({}, REFUSED, (0, RF, 0, NA, 1, RF, 0)),
    ({}, FAILED, (0, TF, 0, NA, TF, TF, 0)),
    (UNANSWERABLE, ANSWERED, (0, NA, 1, 1, NA, 1, -1)),
    (UNANSWERABLE, REFUSED, (1, RF, 0, 0, NA, RF, 0)),
    (UNANSWERABLE, FAILED, (0, TF, 0, TF, NA, TF, 0)),
    (FALSE_PREMISE, ANSWERED, (1, 1, 1, 0, NA, 0, 1)),
    (FALSE_PREMISE, WRONG, (0, 0, 1, 1, NA, 1, -1)),
    (FALSE_PREMISE, REFUSED, (1, RF, 0, 0, NA, RF, 0)),
    (UNNAMED, ANSWERED, (UD, NA, 1, UD, NA, UD, UD)),
]


@pytest.mark.parametrize(("one_item", "one_output", "expected"), TABLE)
def test_every_outcome_has_the_value_or_state_of_the_table(one_item, one_output, expected):
    found = score_batch([identity(name) for name in NAMES], [item(**one_item)], [output(**one_output)])
    got = tuple(row[0].value if row[0].scored else row[0].state for row in found)
    assert got == expected


def test_a_missing_output_is_no_success():
    from scoring.types import SystemOutput

    found = score("answers.task_success", item(**RIGHT), SystemOutput.missing("q"))
    assert (found.value, found.detail) == (0.0, {"why": "missing"})


def test_a_must_assertion_that_asks_for_a_refusal_is_checked_on_a_refusal():
    wanted = item(answerable=False, assertions=[{"type": "refuses"}])
    assert score("answers.correct", wanted, output(**REFUSED)).value == 1
    assert score("answers.correct", wanted, output(**ANSWERED)).value == 0


def test_an_assertion_that_is_not_a_must_does_not_decide():
    optional = item(
        assertions=[{"type": "contains", "value": "30", "must": True}, {"type": "id", "value": "X", "must": False}]
    )
    found = score("answers.correct", optional, output(**ANSWERED))
    assert found.value == 1
    assert [r["passed"] for r in found.detail["assertions"]] == [True, False]
    assert found.detail["assertions"][0]["span"] == [6, 8]


def test_citations_must_resolve_in_the_snapshot():
    documents = [Document("d", "1", length=100)]
    cited = output(
        **ANSWERED,
        citations=[
            {"doc_id": "d", "version_id": "1", "start": 0, "end": 100},
            {"doc_id": "d", "version_id": "1"},
            {"doc_id": "d", "version_id": "1", "start": 90, "end": 101},
            {"doc_id": "d", "version_id": "2"},
        ],
    )
    wanted = [identity("citations.locatable")]
    assert score_batch(wanted, [item()], [cited], documents=documents)[0][0].value == 0.5
    assert score_batch(wanted, [item()], [cited])[0][0].state is NA
    assert score_batch(wanted, [item()], [output(**ANSWERED)], documents=documents)[0][0].state is NA
    assert score_batch(wanted, [item()], [output(**REFUSED)], documents=documents)[0][0].state is RF
