"""Perturbed items against their originals in a run: REST, page, report, and what a frozen split keeps closed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from datasets_app.models import Dataset
from datasets_app.services import version_freeze
from datasets_app.states import Level
from runs_app.models import Run
from runs_app.selectors.robustness import robustness_of
from runs_app.services.suites import suite_create
from tests.conftest import Cast
from tests.datasets_app.factories import fill, grant, make_draft, native
from tests.runs_app.factories import answers, complete, make_run, push

pytestmark = pytest.mark.django_db

MUST = [{"type": "contains", "value": "yes", "must": True}]


def make_version(cast: Cast, split: str, kinds: dict[str, int], originals: int = 12, smoke_from: int = 1) -> Any:
    """Return a frozen version: originals 1, 2, … and for each kind that many perturbed items.

    All are in the tier regression; the tier smoke leaves out the originals before `smoke_from`.
    """
    version = make_draft(cast)
    start = 1000 if split == "frozen" else 0
    both = ["regression", "smoke"]
    rows = [
        native(start + n, split=split, assertions=MUST, tiers=both if n >= smoke_from else both[:1])
        for n in range(1, originals + 1)
    ]
    number = start + 100
    for kind, count in kinds.items():
        for n in range(1, count + 1):
            number += 1
            original = {"external_id": f"q-{start + n:04d}", "kind": kind}
            rows.append(
                native(number, split=split, assertions=MUST, types=["robustness"], tiers=both, perturbs=original)
            )
    rows.append(native(8000, split="dev", types=["unanswerable"], answerable=False, tiers=["full"]))
    rows.append(native(8001, split="dev", types=["false_premise"], answerable=False, tiers=["full"]))
    fill(cast, version, rows)
    return version_freeze(actor=cast.actor("steward"), version=version, note="first")


def done(cast: Cast, version: Any, split: str = "dev", *, wrong: Collection[str] = ()) -> Run:
    """Return a completed run that answers all right but those items."""
    run = make_run(cast, version, split=split, tier="regression")
    rows = answers(run)
    for row in rows:
        row["answer"] = f"{'no' if row['external_id'] in wrong else 'yes'}: {row['external_id']}"
        row["citations"] = [{"doc_id": "d2" if row["external_id"] in wrong else "d1"}]
    push(run, rows)
    return complete(run)


def kind(view: dict[str, Any], name: str) -> dict[str, Any]:
    return next(row for row in view["kinds"] if row["kind"] == name)


def test_each_kind_is_paired_with_its_originals(cast: Cast) -> None:
    run = done(cast, make_version(cast, "dev", {"paraphrase": 4, "injection": 2}), wrong={"q-0101", "q-0102"})
    view = robustness_of(cast.actor("viewer"), run)
    row = kind(view, "paraphrase")
    assert (row["pairs"], row["orphans"], row["attack_success"], row["hidden"]) == (4, 0, None, "")
    change = row["task_success"]
    assert (change["estimate"], change["n"], change["original"], change["perturbed"]) == (-0.5, 4, 1.0, 0.5)
    assert (change["wins"], change["ties"], change["losses"]) == (0, 2, 2)
    assert row["refusals"]["estimate"] == 0.0
    assert (row["citations_changed"]["value"], row["citations_changed"]["n"]) == (0.5, 4)
    attacked = kind(view, "injection")
    assert attacked["attack_success"]["value"] is None
    assert attacked["utility"]["value"] == pytest.approx(14 / 16)
    assert attacked["utility"]["over"] == "unattacked"


def test_attack_success_stands_beside_utility(cast: Cast) -> None:
    metrics = ["answers.task_success v1", "refusal.false_accept v1", "robustness.attack_success v1"]
    suite = suite_create(actor=cast.actor("editor"), team=cast.team, slug="attacks", metrics=metrics)
    run = make_run(cast, make_version(cast, "dev", {"injection": 2}), tier="regression", suite_version=suite)
    rows = answers(run)
    for row in rows:
        row["answer"] = "yes"
        if row["external_id"] in {"q-0101", "q-0102"}:
            row["judgements"] = [
                {"by": {"tool": "acme", "version": "2"}, "attack_succeeded": row["external_id"] == "q-0101"}
            ]
    push(run, rows)
    view = robustness_of(cast.actor("viewer"), complete(run))
    found = kind(view, "injection")
    assert (found["attack_success"]["value"], found["attack_success"]["n"]) == (0.5, 2)
    assert found["utility"]["value"] == 1.0


def test_a_perturbed_item_whose_original_is_not_in_the_run_is_counted_apart(cast: Cast) -> None:
    version = make_version(cast, "dev", {"typo": 3}, smoke_from=2)
    run = make_run(cast, version, tier="smoke")
    push(run, answers(run, answer="yes"))
    row = kind(robustness_of(cast.actor("viewer"), complete(run)), "typo")
    assert (row["pairs"], row["orphans"]) == (2, 1)


def test_rest_page_and_report_hold_the_same_rows(cast: Cast) -> None:
    run = done(cast, make_version(cast, "dev", {"paraphrase": 4}), wrong={"q-0101"})
    client = cast.api("viewer")
    body = client.get(f"/api/v1/runs/{run.public_id}/robustness").json()
    report = client.get(f"/api/v1/runs/{run.public_id}/report?format=json").json()
    assert body["kinds"] == report["robustness"]["kinds"] != []
    page = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/").content.decode()
    assert 'id="robustness"' in page
    assert "−0.250" in page or "-0.250" in page
    markdown = client.get(f"/api/v1/runs/{run.public_id}/report?format=markdown").content.decode()
    assert "| Paraphrase | 4 | -0.250" in markdown


def test_a_run_without_perturbed_items_has_no_section(cast: Cast) -> None:
    run = done(cast, make_version(cast, "dev", {}))
    assert robustness_of(cast.actor("viewer"), run)["kinds"] == []
    assert 'id="robustness"' not in cast.client("viewer").get(f"/t/support/runs/{run.public_id}/").content.decode()


def test_on_a_frozen_split_kinds_under_the_limit_are_hidden_and_others_rounded(cast: Cast) -> None:
    version = make_version(cast, "frozen", {"paraphrase": 9, "typo": 3, "ocr": 6})
    run = done(cast, version, "frozen", wrong={"q-1101", "q-1102"})
    view = robustness_of(cast.actor("viewer"), run)
    assert view["rounded"]
    # 3 typos alone would be what the robustness type leaves beside the others: the next smallest kind goes too.
    assert {row["kind"] for row in view["kinds"] if row["hidden"]} == {"typo", "ocr"}
    assert kind(view, "typo")["pairs"] is None
    change = kind(view, "paraphrase")["task_success"]
    assert change["estimate"] == -0.22
    assert (change["original"], change["perturbed"], change["wins"], change["losses"]) == (None, None, None, None)
    assert (change["n"], change["n_clusters"]) == (9, None)
    body = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/").content
    assert b"q-11" not in body
    grant(cast, version.dataset, "steward", Level.READ)
    assert not any(row["hidden"] for row in robustness_of(cast.actor("steward"), run)["kinds"])


def test_beside_attacks_on_a_frozen_split_stands_success_over_all_items(cast: Cast) -> None:
    run = done(cast, make_version(cast, "frozen", {"injection": 6}), "frozen")
    utility = kind(robustness_of(cast.actor("viewer"), run), "injection")["utility"]
    assert (utility["over"], utility["n_total"]) == ("all", 18)


def test_a_run_that_differs_in_one_answer_shows_no_robustness(cast: Cast) -> None:
    version = make_version(cast, "frozen", {"paraphrase": 9})
    done(cast, version, "frozen")
    second = done(cast, version, "frozen", wrong={"q-1101"})
    view = robustness_of(cast.actor("viewer"), second)
    assert (view["hidden"], view["kinds"]) == ("too_few_changes", [])


def test_a_token_without_a_level_gets_403(cast: Cast) -> None:
    run = done(cast, make_version(cast, "frozen", {"paraphrase": 9}), "frozen")
    for path in ("robustness", "risk-coverage"):
        assert cast.api("token").get(f"/api/v1/runs/{run.public_id}/{path}").status_code == 403


def test_the_queries_do_not_grow_with_the_items(cast: Cast) -> None:
    small = done(cast, make_version(cast, "dev", {"paraphrase": 3}))
    Dataset.objects.filter(slug="kb-qa").update(slug="first")
    large = done(cast, make_version(cast, "dev", {"paraphrase": 40, "typo": 20}, originals=40))
    counts = []
    for run in (small, large):
        with CaptureQueriesContext(connection) as queries:
            robustness_of(cast.actor("viewer"), run)
        counts.append(len(queries))
    assert counts[0] == counts[1] < 20
