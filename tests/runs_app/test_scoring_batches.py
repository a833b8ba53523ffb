"""Leases, repeats of a task, failures and recovery."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import TestCase
from django.utils import timezone

from core_app.actors import SYSTEM
from core_app.errors import Conflict
from core_app.processes import is_dead, process_name
from runs_app import tasks
from runs_app.models import Aggregate, Run, Score, ScoreBatch
from runs_app.services import batches, leases, scoring
from runs_app.services.aggregates import run_finish
from runs_app.services.leases import batch_claim
from runs_app.services.recovery import work_reap, work_recover
from runs_app.services.runs import run_cancel, run_complete, run_retry_failed
from runs_app.services.scoring import batch_compute, batch_score, batch_store
from runs_app.states import BatchStatus, RunStatus
from tests.conftest import Cast
from tests.datasets_app.factories import make_frozen
from tests.runs_app.factories import answers, make_run, push

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run that waits for its workers, in three batches."""
    monkeypatch.setattr(batches, "BATCH_SIZE", 2)
    run = make_run(cast, make_frozen(cast, dev=6))
    push(run, answers(run))
    return run_complete(actor=SYSTEM, run=run)


def score_all(run: Run) -> None:
    for batch in run.batches.all():
        batch_score(batch_id=batch.pk)


def test_tasks_may_run_twice_and_in_any_order(run: Run) -> None:
    for batch in list(run.batches.order_by("-index")) * 2:
        tasks.score_batch(batch.pk)
    tasks.finish_run(run.pk)
    tasks.finish_run(run.pk)
    run.refresh_from_db()
    assert run.status == RunStatus.COMPLETED
    assert Score.objects.filter(run=run).count() == 6 * len(run.suite_version.metrics)
    assert run.events.filter(status="completed").count() == 1


def test_a_run_is_not_finished_before_its_last_batch(run: Run) -> None:
    batch_score(batch_id=run.batches.first().pk)
    assert run_finish(run_id=run.pk) is False
    assert not Aggregate.objects.exists()


def test_a_batch_is_held_by_one_worker_at_a_time(run: Run) -> None:
    batch = run.batches.first()
    assert batch_claim(batch.pk, "elsewhere:1:1") is not None
    assert batch_claim(batch.pk, "elsewhere:2:1") is None
    ScoreBatch.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert batch_claim(batch.pk, "elsewhere:2:1") is not None


def test_what_a_worker_computed_is_dropped_once_another_holds_the_batch(run: Run) -> None:
    first = batch_claim(run.batches.first().pk, "elsewhere:1:1")
    rows = batch_compute(first)
    ScoreBatch.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    second = batch_claim(first.pk, "elsewhere:2:1")
    with pytest.raises(scoring.LeaseLost):
        batch_store(first, rows)
    assert not Score.objects.exists()
    batch_store(second, rows)
    assert Score.objects.filter(run=run).count() == 2 * len(run.suite_version.metrics)


def test_a_lease_is_renewed_when_part_of_it_has_gone(run: Run) -> None:
    batch = batch_claim(run.batches.first().pk, process_name())
    batch.lease_until = timezone.now() + timedelta(seconds=20)
    assert leases.lease_renew(batch)
    assert ScoreBatch.objects.get(pk=batch.pk).lease_until > timezone.now() + timedelta(seconds=50)
    ScoreBatch.objects.filter(pk=batch.pk).update(worker="elsewhere:9:9")
    batch.lease_until = timezone.now()
    assert not leases.lease_renew(batch)


def test_a_worker_knows_itself_alive_and_others_dead() -> None:
    host, pid, started = process_name().split(":")
    assert not is_dead(process_name())
    assert is_dead(f"{host}:{pid}:{int(started) - 1}")
    assert not is_dead("another-host:1:1")
    assert not is_dead("")


def test_the_leases_of_dead_workers_are_freed_when_a_worker_starts(run: Run) -> None:
    host, pid, started = process_name().split(":")
    batch_claim(run.batches.first().pk, f"{host}:{pid}:{int(started) - 1}")
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert work_recover()["released"] == 1
    run.refresh_from_db()
    assert run.status == RunStatus.COMPLETED


def test_the_reaper_takes_up_expired_leases_and_lost_messages(run: Run) -> None:
    first, *_rest = run.batches.all()
    batch_claim(first.pk, "another-host:1:1")
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert work_reap() == {"released": 0, "enqueued": 0, "finishing": 0}
    ScoreBatch.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert work_reap()["enqueued"] == 3
    run.refresh_from_db()
    assert run.status == RunStatus.COMPLETED


def test_the_reaper_ends_a_run_whose_last_worker_died_before_it_could_ask(run: Run) -> None:
    score_all(run)
    with TestCase.captureOnCommitCallbacks(execute=True):
        assert work_reap()["finishing"] == 1
    run.refresh_from_db()
    assert run.status == RunStatus.COMPLETED


def broken(*_args: object, **_kwargs: object) -> None:
    raise RuntimeError("the text of a frozen item")


def test_a_fault_of_ours_fails_the_run_after_the_last_attempt_and_says_where(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "score_batch", broken)
    batch = run.batches.first()
    for _attempt in range(scoring.MAX_ATTEMPTS):
        run.refresh_from_db()
        assert run.status == RunStatus.SCORING
        batch_score(batch_id=batch.pk)
    run.refresh_from_db()
    assert run.status == RunStatus.FAILED
    assert "RuntimeError at test_scoring_batches.py" in run.status_reason
    assert "frozen item" not in run.status_reason
    assert not Score.objects.exists()


def test_a_failed_run_is_taken_up_again_without_losing_what_is_done(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, _third = run.batches.all()
    batch_score(batch_id=first.pk)
    with monkeypatch.context() as patched:
        patched.setattr(scoring, "score_batch", broken)
        for _attempt in range(scoring.MAX_ATTEMPTS):
            batch_score(batch_id=second.pk)
    run.refresh_from_db()
    assert run.status == RunStatus.FAILED
    with TestCase.captureOnCommitCallbacks(execute=True):
        run_retry_failed(actor=SYSTEM, run=run)
    run.refresh_from_db()
    assert run.status == RunStatus.COMPLETED
    assert ScoreBatch.objects.get(pk=first.pk).attempts == 1


def test_a_batch_whose_worker_dies_each_time_is_given_up(run: Run) -> None:
    batch = run.batches.first()
    ScoreBatch.objects.filter(pk=batch.pk).update(
        status=BatchStatus.CLAIMED, attempts=scoring.MAX_ATTEMPTS, lease_until=timezone.now() - timedelta(seconds=1)
    )
    batch_score(batch_id=batch.pk)
    run.refresh_from_db()
    assert run.status == RunStatus.FAILED


def test_figures_that_cannot_be_computed_fail_the_run(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    score_all(run)
    with monkeypatch.context() as patched:
        patched.setattr("runs_app.services.aggregates.aggregate_scores", broken)
        tasks.finish_run(run.pk)
    run.refresh_from_db()
    assert run.status == RunStatus.FAILED
    with TestCase.captureOnCommitCallbacks(execute=True):
        run_retry_failed(actor=SYSTEM, run=run)
    run.refresh_from_db()
    assert run.status == RunStatus.COMPLETED


def test_nothing_is_scored_after_a_cancel(run: Run) -> None:
    run_cancel(actor=SYSTEM, run=run)
    score_all(run)
    assert run_finish(run_id=run.pk) is False
    assert not Score.objects.exists()
    with pytest.raises(Conflict):
        run_complete(actor=SYSTEM, run=run)
