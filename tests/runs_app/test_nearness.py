"""No two figures on a frozen split may be subtracted to give a single item away."""

from __future__ import annotations

from typing import Any

import pytest

from core_app.actors import SYSTEM
from core_app.models import AuditEvent
from datasets_app.models import DatasetVersion
from datasets_app.services import draft_get_or_create, version_freeze
from datasets_app.states import Level
from runs_app.models import Run
from runs_app.selectors.runs import figures_of
from runs_app.services.aggregates import run_finish
from runs_app.services.nearness import NearRuns
from runs_app.services.runs import run_complete
from tests.conftest import Cast
from tests.datasets_app.factories import fill, grant, make_dataset, make_draft, make_frozen, natives
from tests.runs_app.factories import answers, complete, make_run, make_system_version, push

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(cast: Cast) -> DatasetVersion:
    return make_frozen(cast, frozen=20)


def ran(cast: Cast, version: DatasetVersion, change: Any = None, *, skip: int = 0, **more: Any) -> Run:
    """Return a completed run on the frozen split; `change(index, row)` gives the row that is pushed."""
    run = make_run(cast, version, split="frozen", **more)
    rows = answers(run)
    push(run, [change(index, row) if change else row for index, row in enumerate(rows)][skip:])
    return complete(run)


def is_closed(cast: Cast, run: Run) -> bool:
    figures = figures_of(cast.actor("editor"), run)
    assert figures
    return all(figure.value is None for figure in figures)


def answer(index: int, row: dict[str, Any], text: str) -> dict[str, Any]:
    return {**row, "answer": f"{text} {row['external_id']}"}


def test_what_no_score_is_made_of_makes_no_run_differ(cast: Cast, version: DatasetVersion) -> None:
    assert not is_closed(cast, ran(cast, version))

    def disguised(index: int, row: dict[str, Any]) -> dict[str, Any]:
        noise = {"latency_ms": index, "trace_id": f"t{index}", "cost": index / 7, "tokens": {"input": index}}
        lists = {
            stage: [{**unit, "score": index / 3, "text": f"{index}"} for unit in units]
            for stage, units in row["retrieved"].items()
        }
        text = "A guess." if index == 3 else f"  {row['answer'].upper()}!! "
        return {**row, **noise, "retrieved": lists, "answer": text, "outcome": "answered"}

    assert is_closed(cast, ran(cast, version, disguised))


@pytest.mark.parametrize("part", ["answer", "retrieved", "confidence"])
def test_one_part_that_changes_everywhere_hides_no_other_that_changed_alone(
    cast: Cast, version: DatasetVersion, part: str
) -> None:
    ran(cast, version, lambda index, row: {**row, "confidence": index / 100})

    def changed(index: int, row: dict[str, Any]) -> dict[str, Any]:
        others = {
            "answer": f"Other {index}",
            "confidence": 0.5 + index / 100,
            "retrieved": {stage: [{"id": f"x{index}"}, *units] for stage, units in row["retrieved"].items()},
        }
        same = {"answer": row["answer"], "confidence": index / 100, "retrieved": row["retrieved"]}
        return {**row, **others, part: others[part] if index == 2 else same[part]}

    assert is_closed(cast, ran(cast, version, changed))


def test_five_changes_are_enough(cast: Cast, version: DatasetVersion) -> None:
    ran(cast, version)
    assert not is_closed(cast, ran(cast, version, lambda i, row: answer(i, row, "Other") if i < 5 else row))


def test_another_system_with_nearly_the_same_answers_is_as_near(cast: Cast, version: DatasetVersion) -> None:
    ran(cast, version)
    other = make_system_version(cast, slug="copy")
    assert is_closed(cast, ran(cast, version, lambda i, r: answer(i, r, "x") if i == 1 else r, system_version=other))


def test_a_tier_that_is_nearly_the_split_is_as_near(cast: Cast) -> None:
    version = make_draft(cast, make_dataset(cast))
    fill(cast, version, natives(4) + natives(17, split="frozen", start=1001, tiers=["regression", "full"]))
    fill(cast, version, natives(3, split="frozen", start=2001, tiers=["full"]))
    version = version_freeze(actor=cast.actor("steward"), version=version, note="first")
    assert not is_closed(cast, ran(cast, version, tier="regression"))
    assert is_closed(cast, ran(cast, version, tier="full"))


def test_a_version_with_one_item_more_is_as_near(cast: Cast, version: DatasetVersion) -> None:
    ran(cast, version)
    draft = draft_get_or_create(actor=cast.actor("steward"), dataset=version.dataset)
    fill(cast, draft, natives(1, split="frozen", start=3001))
    second = version_freeze(actor=cast.actor("steward"), version=draft, note="one more")
    assert is_closed(cast, ran(cast, second))


def test_repeats_do_not_hide_a_single_change(cast: Cast, version: DatasetVersion) -> None:
    ran(cast, version)

    def second_differs(index: int, row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "answer": "A guess."} if row["repeat"] == 2 and row["external_id"] == "q-1003" else row

    assert is_closed(cast, ran(cast, version, second_differs, repeats=2))


@pytest.mark.parametrize(
    "rest",
    [
        {"answer": "", "outcome": "failed", "error": "no", "retrieved": {}},
        {"answer": "I can't say.", "outcome": "refused", "retrieved": {}},
    ],
)
def test_one_answer_among_failures_or_refusals_shows_nothing(
    cast: Cast, version: DatasetVersion, rest: dict[str, Any]
) -> None:
    def lonely(index: int, row: dict[str, Any]) -> dict[str, Any]:
        return row if index == 0 else {**row, **rest, "answer": f"{rest['answer']} {index}" if rest["answer"] else ""}

    assert is_closed(cast, ran(cast, version, lonely))


def test_one_answer_among_outputs_that_never_came_shows_nothing(cast: Cast, version: DatasetVersion) -> None:
    assert is_closed(cast, ran(cast, version, skip=19))


def test_of_two_runs_that_end_at_once_the_second_sees_the_first(
    cast: Cast, version: DatasetVersion, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [make_run(cast, version, split="frozen") for _ in range(2)]
    push(runs[0], answers(runs[0]))
    push(runs[1], [{**row, "answer": "x"} if index == 0 else row for index, row in enumerate(answers(runs[1]))])
    first_look = NearRuns.warning
    looked: list[Run] = []

    def look(near: NearRuns) -> dict[str, str] | None:
        """The other run ends between this one's first look and its transaction."""
        found = first_look(near)
        looked.append(near.run)
        if len(looked) == 1:
            complete(runs[0])
        return found

    monkeypatch.setattr(NearRuns, "warning", look)
    complete(runs[1])
    assert looked[0] == runs[1]
    assert runs[1].warnings[-1] == {"code": "too_few_changes", "run": runs[0].public_id}
    assert not run_finish(run_id=runs[1].pk)


def test_the_hash_of_the_scores_is_for_those_who_may_read_the_items(cast: Cast, version: DatasetVersion) -> None:
    run = ran(cast, version)
    digest = run.scores_sha256
    assert digest
    paths = [
        f"/api/v1/runs/{run.public_id}",
        f"/api/v1/runs/{run.public_id}/report",
        f"/t/support/runs/{run.public_id}/",
    ]
    for path in paths:
        for name in ("editor", "owner", "admin"):
            response = cast.client(name).get(path)
            assert response.status_code == 200
            assert digest not in response.content.decode()
    assert digest not in cast.client("admin").get(f"/admin/runs_app/run/{run.pk}/change/").content.decode()
    assert not any(digest in str(event.after) for event in AuditEvent.objects.all())
    grant(cast, version.dataset, "editor", Level.READ)
    assert cast.api("editor").get(paths[0]).json()["scores_sha256"] == digest


def test_the_report_counts_no_few_missing_outputs(cast: Cast, version: DatasetVersion) -> None:
    run = ran(cast, version, skip=2)
    report = cast.api("viewer").get(f"/api/v1/runs/{run.public_id}/report").json()
    assert {"code": "missing_outputs", "n": None} in report["warnings"]


def test_a_dev_run_is_never_near(cast: Cast, version: DatasetVersion) -> None:
    run = make_run(cast, version)
    run_complete(actor=SYSTEM, run=run)
    assert NearRuns(run).warning() is None
