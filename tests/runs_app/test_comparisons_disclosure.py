"""What a comparison on a frozen split shows to those who may not read its items."""

import json

import pytest

from core_app.errors import Forbidden
from datasets_app.models import ExposureEntry
from datasets_app.states import Level
from runs_app.selectors.comparisons import comparison_view
from runs_app.services.comparisons import comparison_create, comparison_items_read
from tests.conftest import Cast
from tests.datasets_app.factories import grant
from tests.runs_app.decisions import RECALL, TASK, big_version, evens, make_pair, make_scored_run

pytestmark = pytest.mark.django_db

BASE = {TASK: evens(40, 0.5), RECALL: [0.5] * 40}
BETTER = {TASK: [*evens(20, 0.5), *[1.0] * 20], RECALL: [0.5123] * 40}


def compared(cast: Cast, *, count: int = 40, base=BASE, better=BETTER, **extra):
    version = big_version(cast, dev=4, frozen=count)
    first, second = make_pair(cast, version, baseline=base, candidate=better, split="frozen", **extra)
    return comparison_create(actor=cast.actor("steward"), baseline=first, candidate=second)


def rows_of(view, metric=TASK, group="all"):
    return [row for row in view["results"] if row["metric"] == metric and row["group"] == group]


def test_without_read_values_are_rounded_and_no_item_is_named(cast: Cast) -> None:
    comparison = compared(cast)
    view = comparison_view(cast.actor("viewer"), comparison)
    recall = rows_of(view, RECALL)[0]
    assert recall["estimate"] == 0.01
    assert view["rounded"]
    text = json.dumps(view, default=str)
    assert "q-1" not in text
    assert "movers" not in text
    assert "seed" not in text


def test_with_read_everything_is_exact(cast: Cast) -> None:
    comparison = compared(cast)
    grant(cast, comparison.candidate.dataset_version.dataset, "viewer", Level.READ)
    view = comparison_view(cast.actor("viewer"), comparison)
    assert rows_of(view, RECALL)[0]["estimate"] == pytest.approx(0.0123)
    assert not view["rounded"]


def test_small_groups_and_what_would_give_them_away_are_closed(cast: Cast) -> None:
    base = {TASK: [0.0] * 18}
    better = {TASK: [1.0] * 18}
    view = comparison_view(cast.actor("viewer"), compared(cast, count=18, base=base, better=better))
    shown = {row["group_value"]: row["hidden"] for row in rows_of(view, group="type")}
    # 18 items over four types: two types of 5, two of 4.
    assert sorted(shown.values()) == ["", "", "group_too_small", "group_too_small"]
    for row in rows_of(view, group="type"):
        if row["hidden"]:
            assert row["estimate"] is row["n"] is row["n_total"] is row["verdict"] is row["baseline"]["value"] is None


def test_a_single_small_group_takes_a_second_one_with_it(cast: Cast) -> None:
    base = {TASK: ["refused" if index % 4 == 0 and index > 10 else 0.0 for index in range(40)]}
    view = comparison_view(cast.actor("viewer"), compared(cast, base=base, better={TASK: [1.0] * 40}))
    shown = [row["hidden"] for row in rows_of(view, group="type")]
    # One type has 3 items left: the whole less the other three would give it away, so one more is closed.
    assert sorted(shown) == ["", "", "group_too_small", "group_too_small"]


def test_one_changed_answer_gives_nothing_away(cast: Cast) -> None:
    answers = [f"answer {index}" for index in range(40)]
    version = big_version(cast, dev=4)
    first = make_scored_run(cast, version, {TASK: [0.0] * 40}, split="frozen", answers=answers)
    changed = ["another", *answers[1:]]
    second = make_scored_run(cast, version, {TASK: [1.0, *[0.0] * 39]}, split="frozen", answers=changed, label="v2")
    comparison = comparison_create(actor=cast.actor("steward"), baseline=first, candidate=second)
    view = comparison_view(cast.actor("viewer"), comparison)
    assert view["hidden"] == "too_few_changes"
    assert view["outputs_changed"] is None
    assert all(row["estimate"] is None and row["verdict"] is None and row["wins"] is None for row in view["results"])


def test_many_changed_answers_are_compared_however_few_scores_move(cast: Cast) -> None:
    comparison = compared(cast, base={TASK: [0.0] * 40}, better={TASK: [1.0, *[0.0] * 39]})
    row = rows_of(comparison_view(cast.actor("viewer"), comparison))[0]
    # Which of the forty changed answers moved the score is not said, nor how many did.
    assert (row["hidden"], row["estimate"], row["wins"], row["ties"]) == ("", 0.03, None, None)


def test_counts_under_the_limit_are_left_out(cast: Cast) -> None:
    better = {TASK: [*["judge_failed"] * 2, *["refused"] * 6, *[1.0] * 32]}
    row = rows_of(comparison_view(cast.actor("viewer"), compared(cast, base={TASK: [0.0] * 40}, better=better)))[0]
    assert row["only_in_baseline"] == {"judge_failed": None, "refused": 6}
    assert row["n"] == 32


def test_a_run_with_a_twin_is_closed_in_every_comparison(cast: Cast) -> None:
    twin = [{"code": "too_few_changes", "run": "run_x"}]
    view = comparison_view(cast.actor("viewer"), compared(cast, warnings=twin))
    assert view["hidden"] == "too_few_changes"


def test_items_that_moved_need_read_and_enter_the_ledger(cast: Cast) -> None:
    comparison = compared(cast)
    for who in ("viewer", "editor", "steward"):
        with pytest.raises(Forbidden):
            comparison_items_read(actor=cast.actor(who), comparison=comparison, metric=TASK)
    grant(cast, comparison.candidate.dataset_version.dataset, "editor", Level.READ)
    movers = comparison_items_read(actor=cast.actor("editor"), comparison=comparison, metric=TASK)["movers"]
    assert len(movers) == 10
    assert movers[0]["difference"] == 1.0
    assert movers[0]["candidate_answer"] == f"v2 answers {movers[0]['item']}"
    entry = ExposureEntry.objects.get()
    assert (entry.use, entry.items, entry.run_ref) == ("report", 10, comparison.candidate.public_id)


def test_on_a_dev_split_a_viewer_sees_the_items_and_no_ledger_is_kept(cast: Cast) -> None:
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER)
    comparison = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    read = comparison_items_read(actor=cast.actor("viewer"), comparison=comparison, metric=TASK)
    assert (len(read["movers"]), read["unpaired"]) == (10, [])
    nothing = comparison_items_read(actor=cast.actor("viewer"), comparison=comparison, metric="nothing")
    assert nothing == {"movers": [], "unpaired": []}
    assert not ExposureEntry.objects.exists()
