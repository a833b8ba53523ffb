"""Runs as pilots for what a version can detect."""

import pytest

from datasets_app.selectors import split_detectable
from datasets_app.states import Level
from runs_app.selectors.pilots import pilot_of
from runs_app.states import RunStatus
from tests.conftest import Cast
from tests.datasets_app.factories import fill, grant, make_dataset, make_draft, make_frozen, native
from tests.runs_app.decisions import RECALL, TASK, evens, make_scored_run

pytestmark = pytest.mark.django_db


def test_the_newest_completed_run_over_the_whole_split_gives_the_rate(cast: Cast) -> None:
    version = make_frozen(cast, dev=40)
    make_scored_run(cast, version, {TASK: evens(40, 0.25)})
    newest = make_scored_run(cast, version, {TASK: evens(40, 0.5)}, label="v2")
    make_scored_run(cast, version, {TASK: [1.0] * 40}, label="v3", status=RunStatus.SCORING)
    make_scored_run(cast, version, {RECALL: [1.0] * 40}, label="v4")
    pilot = pilot_of(cast.actor("viewer"), version, "dev")
    assert pilot is not None
    assert (pilot.run, pilot.rate, pilot.icc, pilot.n) == (newest.public_id, 0.5, None, 40)
    assert pilot_of(cast.actor("viewer"), version, "frozen") is None
    table = split_detectable(cast.actor("viewer"), version, "dev")
    assert (table["assumptions"]["pilot"], table["assumptions"]["baseline_rate"]) == (newest.public_id, 0.5)


def test_clusters_that_are_right_or_wrong_as_a_whole_correlate(cast: Cast) -> None:
    draft = make_draft(cast, make_dataset(cast))
    fill(cast, draft, [native(n, cluster=f"doc-{n // 4}") for n in range(40)])
    make_scored_run(cast, draft, {TASK: [float(n // 4 % 2) for n in range(40)]})
    pilot = pilot_of(cast.actor("viewer"), draft, "dev")
    assert pilot is not None
    assert pilot.icc == pytest.approx(1.0)


def test_an_outsider_has_no_pilot(cast: Cast) -> None:
    version = make_frozen(cast, dev=40)
    make_scored_run(cast, version, {TASK: evens(40, 0.25)})
    assert pilot_of(cast.actor("outsider"), version, "dev") is None


def test_without_read_a_frozen_pilot_is_rounded_and_a_closed_or_small_one_is_none(cast: Cast) -> None:
    version = make_frozen(cast, frozen=30)
    make_scored_run(cast, version, {TASK: [1.0] * 11 + [0.0] * 19}, split="frozen")
    pilot = pilot_of(cast.actor("viewer"), version, "frozen")
    assert pilot is not None
    assert pilot.rate == 0.37
    assert pilot_of(cast.actor("token"), version, "frozen") is None
    few = make_scored_run(cast, version, {TASK: [1.0] * 3 + ["refused"] * 27}, split="frozen", label="v2")
    twin = [{"code": "too_few_changes", "run": "run_x"}]
    closed = make_scored_run(cast, version, {TASK: [0.0] * 30}, split="frozen", label="v3", warnings=twin)
    pilot = pilot_of(cast.actor("viewer"), version, "frozen")
    assert pilot is not None
    assert pilot.run not in {few.public_id, closed.public_id}
    grant(cast, version.dataset, "viewer", Level.READ)
    pilot = pilot_of(cast.actor("viewer"), version, "frozen")
    assert pilot is not None
    assert (pilot.run, pilot.rate) == (closed.public_id, 0.0)
