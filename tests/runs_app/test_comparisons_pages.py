"""Pages of comparisons."""

import pytest
from django.urls import reverse

from datasets_app.models import ExposureEntry
from datasets_app.states import Level
from runs_app.models import Comparison
from runs_app.services.comparisons import comparison_create
from tests.conftest import Cast
from tests.datasets_app.factories import grant
from tests.runs_app.decisions import ACCEPT, RECALL, TASK, big_version, evens, make_pair, make_scored_run

pytestmark = pytest.mark.django_db

BASE = {TASK: evens(40, 0.5), RECALL: [0.5] * 40}
BETTER = {TASK: [*evens(20, 0.5), *[1.0] * 20], RECALL: [0.5] * 40}
COMPARE = "/t/support/comparisons/new/"


def text(response) -> str:
    return response.content.decode()


def url(comparison: Comparison) -> str:
    return reverse("runs:comparison", kwargs={"team": "support", "comparison": comparison.public_id})


def made(cast: Cast, **extra) -> Comparison:
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER, **extra)
    return comparison_create(actor=cast.actor("steward"), baseline=first, candidate=second)


def test_a_viewer_compares_two_runs_by_the_form(cast: Cast) -> None:
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER)
    client = cast.client("viewer")
    form = text(client.get(f"{COMPARE}?baseline={first.public_id}"))
    assert f'value="{first.public_id}" selected' in form
    response = client.post(COMPARE, {"baseline": first.public_id, "candidate": second.public_id}, follow=True)
    page = text(response)
    assert "Improved" in page
    assert "+0.250" in page
    assert "system.version" in page
    assert "v2 answers q-" in page.replace("<ins>", "").replace("</ins>", "").replace("<del>v1</del>", "")


def test_a_run_with_itself_is_said_at_the_field(cast: Cast) -> None:
    run = make_scored_run(cast, big_version(cast), BASE)
    response = cast.client("viewer").post(COMPARE, {"baseline": run.public_id, "candidate": run.public_id})
    assert response.status_code == 422
    assert "compared with itself" in text(response)


def test_runs_that_cannot_be_compared_say_why(cast: Cast) -> None:
    version = big_version(cast)
    first = make_scored_run(cast, version, BASE)
    second = make_scored_run(cast, version, BETTER, split="frozen", label="v2")
    comparison = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    page = text(cast.client("viewer").get(url(comparison)))
    assert "can't be compared" in page
    assert "Not comparable" in page


def test_items_of_a_frozen_split_are_shown_on_request_to_those_who_may_read_them(cast: Cast) -> None:
    comparison = made(cast, split="frozen")
    viewer = cast.client("viewer")
    page = text(viewer.get(f"{url(comparison)}?items=1"))
    assert "q-10" not in page
    assert "Items that moved most" not in page
    grant(cast, comparison.candidate.dataset_version.dataset, "viewer", Level.READ)
    assert "q-10" not in text(viewer.get(url(comparison)))
    assert not ExposureEntry.objects.exists()
    assert "q-10" in text(viewer.get(f"{url(comparison)}?items=1"))
    assert ExposureEntry.objects.count() == 1


def test_another_metric_is_chosen_by_the_address(cast: Cast) -> None:
    page = cast.client("viewer").get(url(made(cast)), {"metric": RECALL})
    assert page.context["chosen"] == RECALL
    assert "No item moved on this metric." in text(page)
    assert cast.client("viewer").get(url(Comparison.objects.get()), {"metric": "nope"}).context["chosen"] == TASK


def test_a_comparison_of_another_team_is_not_there(cast: Cast) -> None:
    comparison = made(cast)
    assert cast.client("outsider").get(url(comparison)).status_code == 404
    wrong = reverse("runs:comparison", kwargs={"team": "elsewhere", "comparison": comparison.public_id})
    assert cast.client("admin").get(wrong).status_code == 404


def test_text_of_answers_is_escaped(cast: Cast) -> None:
    answers = ["<script>alert(1)</script>"] * 40
    version = big_version(cast)
    first = make_scored_run(cast, version, BASE)
    second = make_scored_run(cast, version, BETTER, label="v2", answers=answers)
    comparison = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    assert "<script>alert" not in text(cast.client("viewer").get(url(comparison)))


def test_the_list_takes_few_queries_however_long(cast: Cast, django_assert_max_num_queries) -> None:
    first, second = make_pair(cast, big_version(cast), baseline=BASE, candidate=BETTER)
    Comparison.objects.bulk_create(
        Comparison(
            team=cast.team, baseline=first, candidate=second, comparable=True, results=[], settings={"fixed": {}},
            created_by_label="x",
        )
        for _ in range(300)
    )  # fmt: skip
    client = cast.client("viewer")
    with django_assert_max_num_queries(10):
        assert client.get("/t/support/comparisons/").status_code == 200


def test_a_plot_keeps_the_sign_of_a_metric_where_lower_is_better(cast: Cast) -> None:
    worse = {**BASE, ACCEPT: [0.0] * 20 + [1.0] * 20}
    better = {**BETTER, ACCEPT: [0.0] * 40}
    first, second = make_pair(cast, big_version(cast), baseline=worse, candidate=better)
    comparison = comparison_create(actor=cast.actor("steward"), baseline=first, candidate=second)
    page = cast.client("viewer").get(url(comparison))
    row = next(row for row in page.context["forest"] if row["title"] == ACCEPT)
    assert row["estimate"] == -0.5
    assert row["lower_is_better"]
    assert text(page).count("−0.500") >= 2
    assert row["verdict"] == "improved"


def test_metrics_that_neither_run_scored_stand_aside_with_their_states(cast: Cast) -> None:
    empty: dict[str, list[float | str]] = {ACCEPT: ["not_applicable"] * 40}
    first, second = make_pair(cast, big_version(cast), baseline={**BASE, **empty}, candidate={**BETTER, **empty})
    comparison = comparison_create(actor=cast.actor("steward"), baseline=first, candidate=second)
    page = cast.client("viewer").get(url(comparison))
    assert [row["metric"] for row in page.context["unscored"]] == [ACCEPT]
    assert ACCEPT not in [row["metric"] for row in page.context["overall"]]
    assert "Metrics without a scored item (1)" in text(page)
    assert "No data" in text(page)


def test_a_metric_that_one_run_alone_scored_is_no_verdict(cast: Cast) -> None:
    first, second = make_pair(
        cast,
        big_version(cast),
        baseline={**BASE, ACCEPT: [1.0] * 40},
        candidate={**BETTER, ACCEPT: ["judge_failed"] * 40},
    )
    comparison = comparison_create(actor=cast.actor("steward"), baseline=first, candidate=second)
    page = cast.client("viewer").get(url(comparison))
    assert page.context["unscored"] == []
    assert "No data" in text(page)
    assert "Judge failed 40" in text(page)


def test_the_groups_of_the_primary_figure_are_shown_first(cast: Cast) -> None:
    assert cast.client("viewer").get(url(made(cast))).context["chosen"] == TASK
