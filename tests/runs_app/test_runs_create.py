"""Starting runs: what they may be over, who may, what is charged and written down."""

from __future__ import annotations

from typing import Any

import pytest

from core_app.actors import SYSTEM, Actor
from core_app.canonical import sha256_hex
from core_app.errors import Conflict, Forbidden, Invalid, NotFound
from core_app.models import AuditEvent
from datasets_app.models import ExposureEntry
from datasets_app.services import version_retire
from datasets_app.states import Level
from runs_app.models import Run
from runs_app.services.runs import estimate_of, run_cancel, run_complete, run_create, run_move
from runs_app.services.suites import default_suite
from runs_app.states import TRANSITIONS, RunStatus
from tests.conftest import Cast
from tests.datasets_app.factories import fill, grant, make_draft, make_frozen, natives
from tests.runs_app.factories import answers, complete, make_run, make_system_version, push

pytestmark = pytest.mark.django_db


def codes(**arguments: Any) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as caught:
        run_create(**arguments)
    assert not Run.objects.exists()
    return [(error.pointer, error.code) for error in caught.value.errors]


def arguments(cast: Cast, actor: Actor | None = None, **more: Any) -> dict[str, Any]:
    return {
        "actor": actor or cast.actor("editor"),
        "dataset_version": more.pop("version", None) or make_frozen(cast),
        "split": "dev",
        "suite_version": default_suite(cast.team, actor=cast.actor("editor")),
        "system_version": make_system_version(cast),
        **more,
    }


def test_a_run_opens_for_outputs_and_holds_its_manifest(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast), tier="regression", repeats=2, purpose="release 1.4")
    assert (run.status, run.expected_outputs) == (RunStatus.COLLECTING, 8)
    assert run.manifest_sha256 == sha256_hex(run.manifest)
    assert run.manifest["dataset"]["sha256"] == run.dataset_version.content_sha256
    assert run.manifest["suite"]["metrics"] == run.suite_version.metrics
    assert {"numpy", "scipy", "evalplatform"} <= set(run.manifest["libraries"])
    assert AuditEvent.objects.filter(action="run.create", object_id=run.public_id).count() == 1
    assert estimate_of(run)["judge_calls"] == 0


def test_a_draft_is_refused_with_what_to_do(cast: Cast) -> None:
    version = make_draft(cast)
    fill(cast, version, natives(4))
    assert codes(**arguments(cast, version=version)) == [("/dataset", "not_frozen")]


def test_a_retired_version_is_refused(cast: Cast) -> None:
    version = make_frozen(cast)
    version_retire(actor=cast.actor("steward"), version=version)
    version.refresh_from_db()
    assert codes(**arguments(cast, version=version)) == [("/dataset", "retired")]


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"split": "test"}, "/split"),
        ({"tier": "huge"}, "/tier"),
        ({"tier": "smoke"}, "/tier"),
        ({"repeats": 0}, "/repeats"),
        ({"repeats": 21}, "/repeats"),
        ({"judge_repeats": 99}, "/judge_repeats"),
    ],
)
def test_a_run_that_can_answer_nothing_is_refused(cast: Cast, change: dict[str, Any], pointer: str) -> None:
    assert [place for place, _code in codes(**arguments(cast, **change))] == [pointer]


@pytest.mark.parametrize(("name", "error"), [("viewer", Forbidden), ("annotator", Forbidden), ("outsider", NotFound)])
def test_who_may_not_start_runs_starts_none(cast: Cast, name: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        run_create(**arguments(cast, actor=cast.actor(name)))
    assert not Run.objects.exists()


@pytest.mark.parametrize("name", ["editor", "steward", "owner", "token"])
def test_a_push_run_on_a_frozen_split_needs_the_level_questions(cast: Cast, name: str) -> None:
    version = make_frozen(cast)
    with pytest.raises(Forbidden) as caught:
        run_create(**arguments(cast, version=version, actor=cast.actor(name), split="frozen"))
    assert caught.value.code == "level_required"
    grant(cast, version.dataset, name, Level.QUESTIONS)
    run = run_create(**arguments(cast, version=version, actor=cast.actor(name), split="frozen"))
    entry = ExposureEntry.objects.get(run_ref=run.public_id)
    assert (entry.use, entry.items, entry.system_ref) == ("run", 8, "support/assistant@v1")


def test_a_cancelled_run_stays_charged(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast), split="frozen")
    run_cancel(actor=SYSTEM, run=run, reason="wrong version")
    assert (run.status, run.status_reason) == (RunStatus.CANCELLED, "wrong version")
    assert ExposureEntry.objects.filter(run_ref=run.public_id).count() == 1


@pytest.mark.parametrize("start", list(RunStatus))
@pytest.mark.parametrize("to", list(RunStatus))
def test_a_run_moves_only_along_the_table(cast: Cast, start: RunStatus, to: RunStatus) -> None:
    run = make_run(cast, make_frozen(cast))
    Run.objects.filter(pk=run.pk).update(status=start)
    if to in TRANSITIONS[start]:
        assert run_move(run, to, actor=SYSTEM).status == to
    else:
        with pytest.raises(Conflict):
            run_move(run, to, actor=SYSTEM)


def test_completing_twice_is_harmless(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast))
    push(run, answers(run))
    complete(run)
    assert run_complete(actor=SYSTEM, run=run).status == RunStatus.COMPLETED
    assert run.batches.count() == 1


def test_the_same_outputs_give_the_same_hash_of_scores(cast: Cast) -> None:
    version = make_frozen(cast)
    hashes = []
    for _round in range(2):
        run = make_run(cast, version)
        push(run, answers(run))
        hashes.append(complete(run).scores_sha256)
    assert hashes[0] == hashes[1]


def test_outputs_figures_and_scores_of_a_completed_run_are_locked(cast: Cast) -> None:
    from django.db import IntegrityError, transaction

    run = make_run(cast, make_frozen(cast))
    push(run, answers(run))
    complete(run)
    for rows in (run.outputs, run.scores, run.aggregates):
        with pytest.raises(IntegrityError), transaction.atomic():
            rows.all().delete()
    with pytest.raises(IntegrityError), transaction.atomic():
        Run.objects.filter(pk=run.pk).update(purpose="another")


def test_external_scores_stand_beside_ours_and_say_where_they_lack(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast))
    rows = answers(run)
    identity = {"tool": "tool-x", "version": "0.2"}
    for row, value in zip(rows[:2], (0.5, 1.0), strict=True):
        row["scores"] = [{"metric": "external.rl_f", "value": value, "identity": identity}]
    push(run, rows[:3])
    complete(run)
    figure = run.aggregates.get(metric__origin="external", group="all")
    assert figure.metric.identity == 'external.rl_f tool=tool-x version="0.2" v1'
    assert (figure.value, figure.n_scored, figure.n_total) == (0.75, 2, 4)
    assert figure.states == {"not_applicable": 1, "target_failed": 1}
