"""Numbers, times and texts at the edges of what can be kept: each a refusal with its place, never a fault of ours."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core_app.errors import FieldError, Invalid
from core_app.models import AuditEvent
from core_app.rest.problems import exception_handler
from core_app.selectors import audit_events_filter
from tests.conftest import Cast
from tests.datasets_app.factories import make_corpus, make_dataset, make_frozen, native
from tests.runs_app.factories import make_run, make_system_version

TOO_LARGE = ["1e400", "-1e400", "1" + "0" * 400, "1" + "0" * 400 + ".5"]


def post(cast: Cast, path: str, body: str, name: str = "second_steward") -> Any:
    api = cast.api(name)
    api.raise_request_exception = False
    return api.post(f"/api/v1/{path}", body.encode(), content_type="application/json")


@pytest.mark.parametrize("number", TOO_LARGE)
def test_a_number_beyond_a_double_is_refused_with_its_place(cast: Cast, number: str) -> None:
    make_system_version(cast)
    body = f'{{"label": "v7", "config": {{"a": {{"b": [1, {number}]}}}}}}'
    response = post(cast, "systems/support/assistant/versions", body)
    assert response.status_code == 400, response.content
    assert response.json()["errors"][0] == {
        "pointer": "/config/a/b/1",
        "code": "number_too_large",
        "detail": "A number is too large.",
    }


def test_large_numbers_that_a_double_holds_are_kept(cast: Cast) -> None:
    make_system_version(cast)
    body = json.dumps({"label": "v7", "config": {"a": 1.7e308, "b": 2**1020, "c": "1e400"}})
    assert post(cast, "systems/support/assistant/versions", body).status_code == 201


@pytest.mark.parametrize("number", TOO_LARGE)
def test_an_imported_number_beyond_a_double_names_line_and_field(cast: Cast, number: str) -> None:
    make_dataset(cast)
    row = json.dumps(native(1, metadata={"x": "@"})).replace('"@"', number)
    response = post(cast, "datasets/support/kb-qa/imports", row)
    assert response.status_code == 422, response.content
    fault = response.json()["errors"][0]
    assert (fault["pointer"], fault["line"], fault["code"]) == ("/metadata/x", 1, "not_finite")


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_moment_outside_the_calendar_is_refused_with_its_place(cast: Cast, moment: str) -> None:
    make_corpus(cast)
    make_dataset(cast)
    item = post(cast, "datasets/support/kb-qa/imports", json.dumps([native(1, query_time=moment)]))
    assert (item.status_code, item.json()["errors"][0]["pointer"]) == (422, "/query_time")
    version = {"version_id": "1", "text": "t", "valid_from": moment}
    document = post(cast, "corpora/support/kb/documents", json.dumps([{"doc_id": "d", "versions": [version]}]))
    assert (document.status_code, document.json()["errors"][0]["pointer"]) == (422, "/versions/0/valid_from")
    snapshot = post(cast, "corpora/support/kb/snapshots", json.dumps({"name": "s", "as_of": moment}))
    assert (snapshot.status_code, snapshot.json()["errors"][0]["pointer"]) == (422, "/as_of")


@pytest.mark.parametrize("query", ["until=9999-12-31T23:59:59-01:00", "since=0001-01-01T00:00:00%2B14:00"])
def test_the_audit_filters_refuse_a_moment_outside_the_calendar(cast: Cast, query: str) -> None:
    api = cast.api("owner")
    api.raise_request_exception = False
    response = api.get(f"/api/v1/audit/events?{query}")
    assert response.status_code == 422, response.content


@pytest.mark.django_db
def test_the_audit_filter_takes_a_superscript_for_a_name() -> None:
    assert not audit_events_filter(AuditEvent.objects.all(), {"actor": "person:²"}).exists()


@pytest.mark.parametrize("outcome", [[], {}, [1], {"a": 1}, 3])
def test_an_outcome_that_is_no_text_is_refused_with_its_place(cast: Cast, outcome: Any) -> None:
    run = make_run(cast, make_frozen(cast))
    rows = [{"external_id": "q-0001", "answer": "a", "outcome": outcome}]
    response = post(cast, f"runs/{run.public_id}/outputs", json.dumps(rows))
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (422, "/0/outcome")


def test_what_a_refusal_quotes_is_cut(cast: Cast) -> None:
    body = json.dumps({"team": "support", "slug": "s", "metrics": ["x" * 100_000]})
    assert len(post(cast, "suites", body).content) < 3_000
    body = json.dumps({"team": "support", "slug": "s", "metrics": [], "y" * 100_000: 1})
    assert len(post(cast, "suites", body).content) < 3_000
    make_dataset(cast)
    row = json.dumps([native(1, **{"z" * 100_000: 1, "risk": "r" * 100_000})])
    assert len(post(cast, "datasets/support/kb-qa/imports", row).content) < 5_000


def test_a_refusal_names_a_thousand_faults_at_most() -> None:
    response = exception_handler(Invalid("no", errors=[FieldError(f"/{n}", "x", "y") for n in range(5_000)]), {})
    assert response is not None
    assert len(response.data["errors"]) == 1_000


def test_a_row_of_a_hundred_thousand_unknown_fields_is_refused_without_reading_each(cast: Cast) -> None:
    make_dataset(cast)
    row = json.dumps([{**native(1), **{f"field_{n}": 1 for n in range(100_000)}, "history": [{"x": 1}] * 200}])
    response = post(cast, "datasets/support/kb-qa/imports", row)
    assert response.status_code == 422
    assert len(response.json()["errors"]) == 100
