"""Comparing two runs: figures, verdicts, what differs, determinism, idempotence."""

import pytest
from django.db import IntegrityError, connection, transaction

from core_app.errors import Conflict, Forbidden, Invalid, NotFound
from core_app.models import AuditEvent
from runs_app.models import Comparison, Run, Score
from runs_app.selectors.comparing import comparison_rows
from runs_app.selectors.comparisons import comparison_view
from runs_app.services.comparisons import comparison_create
from runs_app.states import RunStatus
from scoring.stats.seeds import seed_of
from tests.conftest import Cast
from tests.runs_app.decisions import ACCEPT, JUDGED, RECALL, TASK, big_version, evens, make_pair, make_scored_run

pytestmark = pytest.mark.django_db

BASE = {TASK: evens(40, 0.5), RECALL: [0.5] * 40}
BETTER = {TASK: [*evens(20, 0.5), *[1.0] * 20], RECALL: [0.5] * 40}


def row_of(comparison: Comparison, metric: str, group: str = "all", value: str = "") -> dict:
    return next(
        row for row in comparison.results if (row["metric"], row["group"], row["group_value"]) == (metric, group, value)
    )


def test_a_better_run_is_improved_and_a_metric_that_hardly_moves_equivalent(cast: Cast) -> None:
    hardly = {**BETTER, RECALL: [0.5 + 0.01 * (-1) ** index for index in range(40)]}
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=hardly)
    comparison = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    task = row_of(comparison, TASK)
    assert comparison.comparable
    assert task["verdict"] == "improved"
    assert (task["estimate"], task["n"], task["n_clusters"]) == (0.25, 40, 40)
    assert (task["wins"], task["ties"], task["losses"]) == (10, 30, 0)
    assert task["low"] > 0
    assert task["baseline"] == {"value": 0.5, "n": 40}
    assert task["candidate"] == {"value": 0.75, "n": 40}
    assert row_of(comparison, RECALL)["verdict"] == "equivalent"
    assert {row["group"] for row in comparison.results} == {"all", "type", "language", "tier"}


def test_a_comparison_asked_for_twice_is_the_same_one(cast: Cast) -> None:
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER)
    one = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    two = comparison_create(actor=cast.actor("editor"), baseline=first, candidate=second)
    assert one.pk == two.pk
    assert AuditEvent.objects.filter(action="comparison.create").count() == 1


def test_the_figures_are_the_same_to_the_last_bit_and_seeded_by_manifests_and_metric(cast: Cast) -> None:
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER)
    comparison = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    rows, _changes = comparison_rows(first, second, comparison.settings["fixed"])
    comparison.refresh_from_db()
    assert rows == comparison.results
    assert row_of(comparison, TASK)["seed"] == seed_of([first.manifest_sha256, second.manifest_sha256], TASK)


def test_p_values_are_adjusted_over_the_groups_that_are_read_together(cast: Cast) -> None:
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER)
    comparison = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    types = [row for row in comparison.results if row["group"] == "type" and row["metric"] == TASK]
    assert len(types) == 4
    assert all(row["p_adjusted"] >= row["p_value"] for row in types)
    assert any(row["p_adjusted"] > row["p_value"] for row in types)
    assert row_of(comparison, TASK)["p_adjusted"] == row_of(comparison, TASK)["p_value"]


def test_items_that_one_run_lost_are_counted_by_state_and_taken_as_worst(cast: Cast) -> None:
    lost = [*["judge_failed"] * 3, *["refused"] * 2, *[1.0] * 35]
    first, second = make_pair(cast, big_version(cast), baseline={TASK: [1.0] * 40}, candidate={TASK: lost})
    row = row_of(comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second), TASK)
    assert row["only_in_baseline"] == {"judge_failed": 3, "refused": 2}
    assert (row["estimate"], row["n"], row["n_total"]) == (0.0, 35, 40)
    assert row["worst_case"]["estimate"] == pytest.approx(-5 / 40)


def test_a_metric_where_lower_is_better_improves_downwards(cast: Cast) -> None:
    first, second = make_pair(
        cast, big_version(cast), baseline={ACCEPT: evens(40, 0.75)}, candidate={ACCEPT: evens(40, 0.25)}
    )
    row = row_of(comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second), ACCEPT)
    assert row["verdict"] == "improved"
    assert row["estimate"] == -0.5
    assert row["wins"] > row["losses"]


def test_a_metric_from_outside_is_marked_uncalibrated(cast: Cast) -> None:
    first, second = make_pair(cast, big_version(cast), baseline={JUDGED: [0.2] * 40}, candidate={JUDGED: [0.9] * 40})
    row = row_of(comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second), JUDGED)
    assert (row["origin"], row["calibrated"]) == ("external", False)


def test_a_metric_without_a_common_item_is_inconclusive_without_figures(cast: Cast) -> None:
    first, second = make_pair(
        cast, big_version(cast), baseline={TASK: ["refused"] * 40}, candidate={TASK: ["refused"] * 40}
    )
    row = row_of(comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second), TASK)
    assert (row["estimate"], row["p_value"], row["n"], row["verdict"]) == (None, None, 0, "inconclusive")
    assert row["both_missing"] == 40


def test_runs_over_other_splits_are_not_comparable_because(cast: Cast) -> None:
    version = big_version(cast)
    first = make_scored_run(cast, version, {TASK: [1.0] * 40}, split="dev")
    second = make_scored_run(cast, version, {TASK: [1.0] * 40}, split="frozen", label="v2", config={"k": 5})
    comparison = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    assert not comparison.comparable
    assert comparison.results is None
    fields = {row["field"]: row["blocking"] for row in comparison.differences}
    assert fields == {"split": True, "system.version": False, "system.config.k": False}
    assert comparison_view(cast.actor("viewer"), comparison)["results"] == []


def test_what_differs_harmlessly_is_listed_too(cast: Cast) -> None:
    version = big_version(cast)
    first = make_scored_run(cast, version, BASE, config={"k": 5, "model": "a"})
    second = make_scored_run(cast, version, BETTER, label="v2", config={"k": 5, "model": "b"})
    comparison = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    assert comparison.comparable
    assert comparison.differences == [
        {"field": "system.version", "blocking": False, "baseline": "v1", "candidate": "v2"},
        {"field": "system.config.model", "blocking": False, "baseline": "a", "candidate": "b"},
    ]


def test_a_run_that_is_not_completed_is_a_conflict(cast: Cast) -> None:
    version = big_version(cast)
    first = make_scored_run(cast, version, BASE)
    second = make_scored_run(cast, version, BASE, label="v2", status=RunStatus.SCORING)
    with pytest.raises(Conflict) as caught:
        comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    assert caught.value.extra == {"run_status": "scoring"}


def test_a_run_cannot_be_compared_with_itself(cast: Cast) -> None:
    run = make_scored_run(cast, big_version(cast), BASE)
    with pytest.raises(Invalid):
        comparison_create(actor=cast.actor("viewer"), baseline=run, candidate=run)


def test_an_outsider_does_not_know_of_the_runs(cast: Cast) -> None:
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER)
    with pytest.raises(NotFound):
        comparison_create(actor=cast.actor("outsider"), baseline=first, candidate=second)


def test_a_token_without_a_grant_gets_nothing_of_a_frozen_split(cast: Cast) -> None:
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER, split="frozen")
    with pytest.raises(Forbidden) as caught:
        comparison_create(actor=cast.actor("token"), baseline=first, candidate=second)
    assert caught.value.code == "level_required"


@pytest.mark.parametrize(
    "statement", ["UPDATE runs_app_comparison SET comparable = NULL", "DELETE FROM runs_app_comparison"]
)
def test_a_comparison_cannot_be_changed_even_by_raw_sql(cast: Cast, statement: str) -> None:
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER)
    comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
    assert Comparison.objects.count() == 1


def test_repeats_are_averaged_within_the_item(cast: Cast) -> None:
    version = big_version(cast)
    runs = []
    for label, values in (("v1", (0.0, 0.0)), ("v2", (1.0, 0.0))):
        run = make_scored_run(cast, version, {TASK: [values[0]] * 40}, label=label, status=RunStatus.SCORING, repeats=2)
        record = run.scores.first().metric
        for output in list(run.outputs.all()):
            output.pk, output.repeat = None, 2
            output.save()
            Score.objects.create(run=run, output=output, metric=record, state="scored", value=values[1])
        Run.objects.filter(pk=run.pk).update(status=RunStatus.COMPLETED)
        run.refresh_from_db()
        runs.append(run)
    comparison = comparison_create(actor=cast.actor("viewer"), baseline=runs[0], candidate=runs[1])
    row = row_of(comparison, TASK)
    assert (row["n"], row["estimate"], row["candidate"]) == (40, 0.5, {"value": 0.5, "n": 40})
    assert comparison.settings["outputs_changed"] == 80
