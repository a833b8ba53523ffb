"""Freshness in a run: document versions with their validity, the item's query time, states where one is missing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from datasets_app.models import Corpus, DatasetVersion, Snapshot
from datasets_app.services import documents_import, snapshot_create, version_freeze
from runs_app.models import Aggregate, Run, Score
from runs_app.services.suites import suite_create
from tests.conftest import Cast
from tests.datasets_app.factories import fill, make_corpus, make_dataset, make_draft, native, natives
from tests.runs_app.factories import answers, complete, make_run, push

pytestmark = pytest.mark.django_db

RATES = ("valid_version_rate", "stale_use_rate", "withdrawn_use_rate")
METRICS = [*(f"freshness.{name} v1" for name in RATES), "freshness.date_stated v1", "citations.locatable v1"]
#: Valid from 2025 on, and withdrawn on the first of March 2026; and one without any date.
PULLED = {
    "doc_id": "d2", "title": "Recall", "language": "en", "audience": [],
    "versions": [
        {"version_id": "1", "text": "A recalled part.", "valid_from": "2025-01-01T00:00:00Z",
         "withdrawn_at": "2026-03-01T00:00:00Z"},
    ],
}  # fmt: skip
UNDATED = {"doc_id": "d3", "title": "About", "audience": [], "versions": [{"version_id": "1", "text": "About us."}]}


@pytest.fixture
def corpus(cast: Cast) -> Corpus:
    """d1: version 1 in 2025, version 2 from 2026 on; d2: withdrawn in March 2026; d3: without dates."""
    corpus = make_corpus(cast)
    documents_import(actor=cast.actor("editor"), corpus=corpus, rows=[(1, PULLED), (2, UNDATED)])
    return corpus


@pytest.fixture
def version(cast: Cast, corpus: Corpus) -> DatasetVersion:
    draft = make_draft(cast, make_dataset(cast, corpus=corpus))
    rows = [
        native(1, query_time="2026-02-01T00:00:00Z"),
        native(2, query_time="2025-06-01T00:00:00Z"),
        native(3),
        native(4, query_time="2026-04-01T00:00:00Z"),
        native(5, query_time="2026-02-01T00:00:00Z", tags=["date_stated"]),
        native(6, query_time="2026-02-01T00:00:00Z", assertions=[{"type": "date", "value": "2026-01-15"}]),
    ]
    fill(cast, draft, rows + natives(4, start=11) + natives(8, split="frozen", start=1001))
    return version_freeze(actor=cast.actor("steward"), version=draft, note="first")


@pytest.fixture
def snapshot(cast: Cast, corpus: Corpus) -> Snapshot:
    moment = datetime(2026, 4, 1, tzinfo=UTC)
    return snapshot_create(actor=cast.actor("editor"), corpus=corpus, name="april", as_of=moment)


def run_of(cast: Cast, version: DatasetVersion, snapshot: Snapshot | None, metrics: list[str] = METRICS) -> Run:
    suite = suite_create(actor=cast.actor("editor"), team=cast.team, slug="fresh", metrics=metrics)
    return make_run(cast, version, suite_version=suite, snapshot=snapshot)


def cited(run: Run, item: int, *versions: tuple[str, str | None], **fields: Any) -> dict[str, Any]:
    citations = [{"doc_id": doc, "version_id": number} for doc, number in versions]
    return {**answers(run)[0], "external_id": f"q-{item:04d}", "citations": citations, **fields}


def scores(run: Run, name: str) -> dict[str, float | str]:
    """Return external id → the value, or the reason why there is none."""
    rows = Score.objects.filter(run=run, metric__name=f"freshness.{name}").select_related("output__entry__item")
    return {
        row.output.entry.item.external_id: row.value if row.value is not None else (row.detail or {}).get("reason", "")
        for row in rows
        if row.output.outcome != "missing"
    }


def test_versions_are_held_against_each_items_query_time(
    cast: Cast, version: DatasetVersion, snapshot: Snapshot
) -> None:
    run = run_of(cast, version, snapshot)
    push(
        run,
        [
            # Asked in February 2026: version 2 holds, version 1 has ended.
            cited(run, 1, ("d1", "1"), ("d1", "2")),
            # Asked in June 2025: version 1 holds, though the snapshot of April 2026 no longer has it.
            cited(run, 2, ("d1", "1")),
            # Without a time of its own: the snapshot's moment, after the withdrawal.
            cited(run, 3, ("d2", "1")),
            cited(run, 4, ("d1", "2"), retrieved={"prompt": [{"id": "c", "doc_id": "d2", "version_id": "1"}]}),
            # Before the withdrawal it was valid.
            cited(run, 5, ("d2", "1"), answer="Since January 2026 it is 30 days."),
            cited(run, 6, answer="It begins on 15 January 2026."),
        ],
    )
    complete(run)
    assert scores(run, "valid_version_rate") == {
        "q-0001": 0.0, "q-0002": 1.0, "q-0003": 0.0, "q-0004": 0.0, "q-0005": 1.0,
        "q-0006": "no version was cited or used",
    }  # fmt: skip
    assert {key: value for key, value in scores(run, "stale_use_rate").items() if key != "q-0006"} == {
        "q-0001": 1.0, "q-0002": 0.0, "q-0003": 1.0, "q-0004": 1.0, "q-0005": 0.0,
    }  # fmt: skip
    withdrawn = scores(run, "withdrawn_use_rate")
    assert [withdrawn[f"q-{n:04d}"] for n in range(1, 6)] == [0.0, 0.0, 1.0, 1.0, 0.0]
    stated = scores(run, "date_stated")
    assert (stated["q-0005"], stated["q-0006"], stated["q-0001"]) == (1.0, 1.0, "the item asks for no date")
    figure = Aggregate.objects.get(run=run, metric__name="freshness.valid_version_rate", group="all")
    assert (figure.value, figure.n_scored, figure.interval_method) == (pytest.approx(0.4), 5, "Wilson")
    page = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/").content.decode()
    assert "<h2>Freshness</h2>" in page


def test_what_the_snapshot_lacks_is_said(cast: Cast, version: DatasetVersion, snapshot: Snapshot) -> None:
    run = run_of(cast, version, snapshot)
    push(run, [cited(run, 1, ("d9", "1")), cited(run, 2, ("d1", None))])
    complete(run)
    assert scores(run, "valid_version_rate") == {
        "q-0001": "a version that was cited or used is not in the snapshot",
        "q-0002": "no version was cited or used",
    }


def test_a_version_without_dates_is_valid_whatever_shares_its_batch(
    cast: Cast, version: DatasetVersion, snapshot: Snapshot
) -> None:
    run = run_of(cast, version, snapshot)
    push(run, [cited(run, 1, ("d3", "1"))])
    complete(run)
    assert scores(run, "valid_version_rate") == {"q-0001": 1.0}


def test_without_a_snapshot_the_states_say_why(cast: Cast, version: DatasetVersion) -> None:
    run = run_of(cast, version, None)
    push(run, [cited(run, 1, ("d1", "1")), cited(run, 3, ("d1", "1"))])
    complete(run)
    assert scores(run, "stale_use_rate") == {
        "q-0001": "no snapshot of documents was given",
        "q-0003": "the item has no query time that can be read",
    }


def test_citations_resolve_in_the_snapshot_alone_and_not_in_the_history(
    cast: Cast, version: DatasetVersion, snapshot: Snapshot
) -> None:
    run = run_of(cast, version, snapshot)
    push(run, [cited(run, 2, ("d1", "1"), ("d1", "2"))])
    complete(run)
    assert Score.objects.get(run=run, metric__name="citations.locatable", value__isnull=False).value == 0.5


def test_reading_only_the_citations_is_another_metric(cast: Cast, version: DatasetVersion, snapshot: Snapshot) -> None:
    run = run_of(cast, version, snapshot, ["freshness.stale_use_rate versions=cited v1", "freshness.stale_use_rate v1"])
    push(run, [cited(run, 1, ("d1", "2"), retrieved={"prompt": [{"id": "c", "doc_id": "d1", "version_id": "1"}]})])
    complete(run)
    values = Aggregate.objects.filter(run=run, group="all").values_list("metric__identity", "value")
    assert dict(values) == {"freshness.stale_use_rate versions=cited v1": 0.0, "freshness.stale_use_rate v1": 1.0}
