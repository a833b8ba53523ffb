"""Freshness: which versions an answer rests on, and whether these were valid when it was asked."""

from datetime import UTC, datetime

import pytest

from scoring.errors import ItemError
from scoring.freshness.metrics import moment_of
from scoring.registry import identity
from scoring.score import score_batch
from scoring.types import Document, State
from tests.scoring.builders import item, output

NAMES = ("freshness.valid_version_rate", "freshness.stale_use_rate", "freshness.withdrawn_use_rate")
NA = State.NOT_APPLICABLE


def day(month, number=1):
    return datetime(2026, month, number, tzinfo=UTC)


DOCUMENTS = [
    Document("d", "1", valid_from=day(1), valid_to=day(2)),
    Document("d", "2", valid_from=day(2)),
    Document("d", "3", valid_from=day(5)),
    Document("w", "1", withdrawn_at=day(3)),
    Document("plain", "1"),
]


def rates(cited=(), used=(), query_time="2026-03-01T00:00:00Z", documents=DOCUMENTS, **params):
    given = output(
        answer="x",
        outcome="answered",
        citations=[{"doc_id": d, "version_id": v} for d, v in cited],
        retrieved={"prompt": [{"id": f"{d}-{v}", "doc_id": d, "version_id": v} for d, v in used]},
    )
    wanted = [identity(name, **params) for name in NAMES]
    scores = score_batch(wanted, [item(query_time=query_time)], [given], documents=documents)
    return [row[0].value if row[0].scored else row[0].state for row in scores]


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        ([("d", "2")], [1, 0, 0]),
        ([("d", "1"), ("d", "2")], [0, 1, 0]),
        ([("d", "3")], [0, 0, 0]),
        ([("w", "1")], [0, 1, 1]),
        ([("plain", "1")], [1, 0, 0]),
        ([("gone", "1")], [NA, NA, NA]),
        ([("gone", "1"), ("d", "1")], [0, 1, NA]),
        ([("d", None)], [NA, NA, NA]),
        ([], [NA, NA, NA]),
    ],
)
def test_each_version_is_valid_from_its_begin_until_its_end_or_withdrawal(cited, expected):
    assert rates(cited) == expected


def test_the_end_is_outside_and_the_begin_inside_of_the_time_of_validity():
    assert rates([("d", "1")], query_time="2026-02-01T00:00:00Z")[:2] == [0, 1]
    assert rates([("d", "1")], query_time="2026-01-31T23:59:59Z")[:2] == [1, 0]
    assert rates([("d", "2")], query_time="2026-02-01")[:2] == [1, 0]
    assert rates([("w", "1")], query_time="2026-02-28T23:59:59Z") == [1, 0, 0]
    assert rates([("d", "1")], query_time="2026-02-01T00:30:00+08:00")[:2] == [1, 0]


def test_a_version_in_the_prompt_counts_as_used_unless_citations_alone_are_asked_for():
    assert rates([("d", "2")], used=[("d", "1")]) == [0, 1, 0]
    assert rates([("d", "2")], used=[("d", "1")], versions="cited") == [1, 0, 0]
    assert rates(used=[("d", "1")], versions="cited") == [NA, NA, NA]


def test_without_a_query_time_a_snapshot_or_any_validity_nothing_is_claimed():
    assert rates([("d", "2")], query_time=None) == [NA] * 3
    assert rates([("d", "2")], query_time="last spring") == [NA] * 3
    assert rates([("d", "2")], documents=None) == [NA] * 3
    assert rates([("plain", "1")], documents=[Document("plain", "1")]) == [NA] * 3


def test_a_version_outside_of_the_snapshot_is_known_from_the_history():
    cited = output(answer="x", outcome="answered", citations=[{"doc_id": "d", "version_id": "1"}])
    wanted = [identity("freshness.stale_use_rate"), identity("citations.locatable")]
    found = score_batch(wanted, [item(query_time="2026-03-01")], [cited], documents=DOCUMENTS[1:2], history=DOCUMENTS)
    assert [row[0].value for row in found] == [1, 0]
    alone = score_batch(wanted, [item(query_time="2026-03-01")], [cited], documents=DOCUMENTS[1:2])
    assert [row[0].state for row in alone] == [NA, State.SCORED]


def test_failed_and_refused_outputs_carry_their_states():
    wanted = [identity(name) for name in NAMES]
    for given, state in ((output(error="x"), State.TARGET_FAILED), (output(outcome="refused"), State.REFUSED)):
        scores = score_batch(wanted, [item(query_time="2026-03-01")], [given], documents=DOCUMENTS)
        assert {row[0].state for row in scores} == {state}


def test_a_time_without_a_zone_is_read_as_utc_in_items_and_refused_in_documents():
    assert moment_of("2026-03-01") == day(3)
    assert moment_of("2026-03-01T08:00:00+08:00") == day(3)
    assert moment_of("") is None
    with pytest.raises(ItemError, match="time zone"):
        Document("d", "1", valid_to=datetime(2026, 1, 1))


def stated(answer, **fields):
    given = output(answer=answer, outcome="answered")
    found = score_batch([identity("freshness.date_stated")], [item(**fields)], [given])[0][0]
    return found.value if found.scored else found.state


def test_the_date_is_asked_for_by_an_assertion_or_a_tag():
    asked = {"assertions": [{"type": "date", "value": "2026-03-01"}, {"type": "contains", "value": "30"}]}
    assert stated("As of March 1, 2026 it is 30.", **asked) == 1
    assert stated("截至2026年3月1日，为 20。", **asked) == 1
    assert stated("As of March 2, 2026 it is 30.", **asked) == 0
    assert stated("As of May 2026 it is 30.", tags=["date_stated"]) == 1
    assert stated("It is 30.", tags=["date_stated"]) == 0
    assert stated("It is not as of May 2026.", tags=["date_stated"]) == 0
    assert stated("As of May 2026.") is NA
    assert stated("x", assertions=[{"type": "date", "value": "spring"}]) is NA
