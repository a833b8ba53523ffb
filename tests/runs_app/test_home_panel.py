"""The home page's panel of runs."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runs_app.selectors.home import home_panel
from tests.conftest import Cast
from tests.datasets_app.factories import make_dataset, make_draft, make_frozen
from tests.runs_app.factories import make_completed_run, make_run, make_system_version

pytestmark = pytest.mark.django_db
HOME = "/t/support/"
GOOD = {"outcome": "refused", "answer": "I could not find it."}
BAD = {"outcome": "failed", "answer": ""}


def queries_of(cast: Cast) -> int:
    client = cast.client("viewer")
    with CaptureQueriesContext(connection) as seen:
        assert client.get(HOME).status_code == 200
    return len(seen)


def test_the_home_page_shows_the_newest_runs_with_their_figure(cast: Cast) -> None:
    version = make_frozen(cast)
    done = make_completed_run(cast, version)
    waiting = make_run(cast, version, system_version=make_system_version(cast, "v2"))
    page = cast.client("viewer").get(HOME).content.decode()
    assert page.index(waiting.public_id) < page.index(done.public_id)
    assert "Collecting" in page
    panel = home_panel(cast.actor("viewer"), cast.team)
    assert panel is not None
    figures = {run.pk: figure for run, figure in panel["rows"]}
    assert figures[waiting.pk] is None
    assert figures[done.pk].n_total == 4


def test_a_trend_joins_only_runs_on_the_same_items(cast: Cast) -> None:
    version = make_frozen(cast)
    other = make_frozen(cast, dataset=make_dataset(cast, "other"))
    make_completed_run(cast, version, fields=BAD)
    make_completed_run(cast, other, fields=BAD)
    make_completed_run(cast, version, split="frozen")
    newest = make_completed_run(cast, version, system_version=make_system_version(cast, "v2"), fields=GOOD)
    other_system = make_completed_run(cast, other, system_version=make_system_version(cast, "v1", "searcher"))
    panel = home_panel(cast.actor("viewer"), cast.team)
    assert panel is not None
    trends = {trend.newest.pk: trend for trend in panel["trends"]}
    assert set(trends) == {newest.pk, other_system.pk}
    values = trends[newest.pk].values
    assert len(values) == 2
    assert values[0] == 0.0 < (values[1] or 0)
    assert trends[newest.pk].labels == ["v1", "v2"]
    assert len(trends[other_system.pk].values) == 1


def test_a_team_without_runs_is_told_what_to_do_first(cast: Cast) -> None:
    make_draft(cast)
    page = cast.client("editor").get(HOME).content.decode()
    assert "No runs yet" in page
    assert "/t/support/run-new/" in page
    assert "/t/support/run-new/" not in cast.client("viewer").get(HOME).content.decode()


def test_more_runs_and_systems_take_no_more_queries(cast: Cast) -> None:
    version = make_frozen(cast)
    make_completed_run(cast, version)
    queries_of(cast)
    few = queries_of(cast)
    for number in range(2, 5):
        make_completed_run(cast, version, system_version=make_system_version(cast, f"v{number}"))
        make_completed_run(cast, version, system_version=make_system_version(cast, "v1", f"system-{number}"))
    assert queries_of(cast) <= few + 1
