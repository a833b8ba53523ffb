"""What difference a version can detect, and how many items a wanted one needs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core_app.errors import Invalid
from datasets_app.models import DatasetVersion
from datasets_app.selectors import Pilot, detectable_of, sample_size, split_detectable, version_checks
from datasets_app.selectors import detectable as selector
from datasets_app.services import version_freeze
from datasets_app.states import Level
from scoring.stats.power import items_needed, paired_sd_of_proportion, smallest_difference
from tests.conftest import Cast
from tests.datasets_app.factories import fill, grant, make_draft, make_frozen, native, natives

URL = "/api/v1/statistics/sample-size"
PAGE = "/t/support/sample-size/"


@pytest.fixture
def no_pilots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selector, "_sources", [])


def clustered(cast: Cast, *, frozen: int = 40, size: int = 4) -> DatasetVersion:
    """Return a frozen version whose test items come `size` from each document, and four of them are multi-hop."""
    draft = make_draft(cast)
    rows = [
        native(1000 + n, split="frozen", cluster=f"doc-{n // size}", types=["multi_hop"] if n < 4 else ["fact"])
        for n in range(frozen)
    ]
    fill(cast, draft, [*natives(4), *rows])
    return version_freeze(actor=cast.actor("steward"), version=draft, note="first")


def frozen_table(cast: Cast, version: DatasetVersion, who: str) -> dict[str, Any]:
    return split_detectable(cast.actor(who), version, "frozen")


def row_of(table: dict[str, Any], kind: str | None) -> dict[str, Any]:
    return next(row for row in table["rows"] if row["type"] == kind)


@pytest.mark.django_db
def test_the_smallest_difference_takes_clusters_into_account(cast: Cast, no_pilots: None) -> None:
    table = frozen_table(cast, clustered(cast), "viewer")
    whole = row_of(table, None)
    assert (whole["n"], whole["n_clusters"], whole["cluster_size"]) == (40, 10, 4.0)
    assert whole["design_effect"] == pytest.approx(1.3)
    sd = paired_sd_of_proportion(0.8)
    assert whole["smallest"] == pytest.approx(smallest_difference(40, sd, cluster_size=4, icc=0.1))
    assert whole["needed"] == items_needed(0.03, sd, cluster_size=4, icc=0.1)
    assert table["assumptions"]["pilot"] is None


@pytest.mark.django_db
def test_a_type_under_the_limit_is_hidden_on_a_test_split_from_those_without_read(cast: Cast, no_pilots: None) -> None:
    version = clustered(cast)
    for who in ("viewer", "editor", "steward"):
        hidden = row_of(frozen_table(cast, version, who), "multi_hop")
        assert hidden["hidden"], who
        assert {hidden[name] for name in ("n", "n_clusters", "smallest", "needed", "sd")} == {None}
    grant(cast, version.dataset, "viewer", Level.READ)
    assert row_of(frozen_table(cast, version, "viewer"), "multi_hop")["n"] == 4
    assert row_of(split_detectable(cast.actor("editor"), version, "dev"), "fact")["n"] == 1


@pytest.mark.django_db
def test_a_steward_who_writes_the_test_items_of_a_draft_sees_every_type(cast: Cast, no_pilots: None) -> None:
    draft = make_draft(cast)
    fill(cast, draft, natives(4, split="frozen"))
    assert not any(row["hidden"] for row in frozen_table(cast, draft, "steward")["rows"])
    assert any(row["hidden"] for row in frozen_table(cast, draft, "editor")["rows"])


@pytest.mark.django_db
def test_a_pilot_gives_rate_and_correlation_and_a_flawless_one_still_a_spread(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = clustered(cast)
    monkeypatch.setattr(selector, "_sources", [lambda *_args: Pilot("run_1", 0.5, 0.4, 40)])
    table = frozen_table(cast, version, "viewer")
    assert (table["assumptions"]["pilot"], table["assumptions"]["icc"]) == ("run_1", 0.4)
    sd = paired_sd_of_proportion(0.5)
    assert row_of(table, None)["smallest"] == pytest.approx(smallest_difference(40, sd, cluster_size=4, icc=0.4))
    monkeypatch.setattr(selector, "_sources", [lambda *_args: Pilot("run_2", 1.0, None, 40)])
    flawless = frozen_table(cast, version, "viewer")
    assert flawless["assumptions"]["baseline_rate"] == pytest.approx(41 / 42)
    assert row_of(flawless, None)["smallest"] > 0


@pytest.mark.django_db
def test_rest_and_page_show_the_same_and_empty_splits_are_left_out(cast: Cast, no_pilots: None) -> None:
    version = clustered(cast)
    body = cast.api("viewer").get(f"/api/v1/versions/{version.ref}/detectable").json()
    assert (body["version"], [table["split"] for table in body["splits"]]) == (version.ref, ["dev", "frozen"])
    smallest = body["splits"][1]["rows"][0]["smallest"]
    page = cast.client("viewer").get(f"/t/support/datasets/kb-qa/versions/{version.number}/").content.decode()
    assert f"{smallest:.3f}" in page
    assert "assumed: rate 0.80, intra-cluster correlation 0.10" in page
    assert PAGE in page
    assert cast.api("outsider").get(f"/api/v1/versions/{version.ref}/detectable").status_code == 404
    empty = make_draft(cast, version.dataset)
    empty.entries.all().delete()
    assert detectable_of(cast.actor("viewer"), empty) == []


@pytest.mark.django_db
def test_health_says_what_the_set_can_detect(cast: Cast) -> None:
    small = make_frozen(cast)
    check = next(row for row in version_checks(cast.actor("viewer"), small) if row["code"] == "detectable")
    assert check["severity"] == "warn"
    assert "Frozen test: 8 items in 8 clusters detect a difference of 0.396 or more" in check["message"]
    page = cast.client("viewer").get(f"/t/support/datasets/kb-qa/versions/{small.number}/").content.decode()
    assert "detect a difference of 0.396" in page


@pytest.mark.django_db
def test_health_finds_a_large_set_in_order_and_still_says_the_figure(cast: Cast) -> None:
    draft = make_draft(cast)
    fill(cast, draft, natives(4) + natives(200, split="frozen", start=1001))
    check = next(row for row in version_checks(cast.actor("steward"), draft) if row["code"] == "detectable")
    assert (check["severity"], check["mend"]) == ("ok", "")
    page = cast.client("steward").get("/t/support/datasets/kb-qa/versions/1/").content.decode()
    assert check["message"] in page


@pytest.mark.django_db
def test_the_figures_of_a_version_cost_the_same_queries_whatever_its_size(
    cast: Cast, django_assert_max_num_queries: Any, no_pilots: None
) -> None:
    draft = make_draft(cast)
    fill(cast, draft, natives(300) + natives(300, split="frozen", start=1001))
    with django_assert_max_num_queries(8):
        assert detectable_of(cast.actor("viewer"), draft)[1]["rows"][0]["n"] == 300


def test_the_planner_gives_the_worked_examples() -> None:
    plan = sample_size(wanted_difference=0.1, paired_sd=0.5)
    assert (plan["items"], plan["clusters"], plan["design_effect"]) == (197, 197, 1.0)
    plan = sample_size(wanted_difference=0.1, paired_sd=0.5, icc=0.2, cluster_size=5)
    assert (plan["items"], plan["clusters"], plan["design_effect"]) == (354, 71, pytest.approx(1.8))
    rate = sample_size(wanted_difference=0.05, baseline_rate=0.8)
    assert (rate["paired_sd"], rate["sd_formula"] is None) == (pytest.approx(0.4), False)


@settings(max_examples=100, deadline=None)
@given(
    st.floats(0.01, 1.0), st.floats(0.05, 0.95), st.floats(0.1, 0.99), st.floats(0.001, 0.3), st.floats(0, 1),
    st.floats(1, 50),
)  # fmt: skip
def test_the_plan_of_what_n_items_detect_needs_n_items(
    difference: float, rate: float, power: float, alpha: float, icc: float, size: float
) -> None:
    plan = sample_size(
        wanted_difference=difference, baseline_rate=rate, power=power, alpha=alpha, icc=icc, cluster_size=size
    )
    back = smallest_difference(plan["items"], plan["paired_sd"], power=power, alpha=alpha, cluster_size=size, icc=icc)
    assert abs(back) <= difference * (1 + 1e-9) or plan["items"] == 2


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"wanted_difference": 0}, "/wanted_difference"),
        ({"wanted_difference": -0.1}, "/wanted_difference"),
        ({"wanted_difference": 1e-12}, "/wanted_difference"),
        ({"power": 1}, "/power"),
        ({"alpha": 0}, "/alpha"),
        ({"baseline_rate": 1}, "/baseline_rate"),
        ({"paired_sd": 0.4}, "/baseline_rate"),
        ({"baseline_rate": None}, "/baseline_rate"),
        ({"baseline_rate": None, "paired_sd": 0}, "/paired_sd"),
        ({"icc": 1.5}, "/icc"),
        ({"icc": -0.1}, "/icc"),
        ({"cluster_size": 0.5}, "/cluster_size"),
        ({"correlation": 1}, "/correlation"),
        ({"power": float("nan")}, "/power"),
    ],
)
def test_a_value_out_of_range_is_refused_and_named(change: dict[str, Any], pointer: str) -> None:
    with pytest.raises(Invalid) as caught:
        sample_size(**{"wanted_difference": 0.05, "baseline_rate": 0.8, **change})
    assert [error.pointer for error in caught.value.errors] == [pointer]


@pytest.mark.django_db
def test_the_planner_answers_over_rest_and_refuses_with_pointers(cast: Cast) -> None:
    api = cast.api("token")
    plan = api.post(URL, {"wanted_difference": 0.1, "paired_sd": 0.5}, format="json")
    assert plan.status_code == 200, plan.content
    assert (plan.json()["items"], plan.json()["inputs"]["power"]) == (197, 0.8)
    bad = api.post(URL, {"wanted_difference": 0, "baseline_rate": 2, "icc": "x", "more": 1}, format="json")
    assert bad.status_code == 422
    assert {error["pointer"] for error in bad.json()["errors"]} == {"/more"}
    bad = api.post(URL, {"wanted_difference": 0, "baseline_rate": 2}, format="json")
    assert {error["pointer"] for error in bad.json()["errors"]} == {"/wanted_difference", "/baseline_rate"}
    assert api.post(URL, {"baseline_rate": "much"}, format="json").json()["errors"][0]["pointer"].startswith("/")


@pytest.mark.django_db
def test_the_planners_page_computes_from_its_address(cast: Cast) -> None:
    client = cast.client("viewer")
    assert "No plan yet" in client.get(PAGE).content.decode()
    prefilled = client.get(f"{PAGE}?baseline_rate=0.7000").content.decode()
    assert 'value="0.7000"' in prefilled
    assert 'value="0.03"' in prefilled
    page = client.get(f"{PAGE}?wanted_difference=0.1&paired_sd=0.5&baseline_rate=&icc=&cluster_size=").content.decode()
    assert ">197<" in page
    refused = client.get(f"{PAGE}?wanted_difference=0&baseline_rate=0.8")
    assert (refused.status_code, "Above 0 and below 2" in refused.content.decode()) == (422, True)
    assert cast.client("outsider").get(PAGE).status_code == 404
