"""The budget of a frozen split: charged by every run, refused past it, extended with a reason, reminded of."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from core_app.actors import SYSTEM
from core_app.errors import Conflict, Forbidden, Invalid, NotFound
from core_app.models import AuditEvent
from datasets_app.models import DatasetVersion, ExposureBudget, ExposureEntry, ExposureExtension
from datasets_app.selectors import exposure_state, exposure_usage
from datasets_app.selectors.pages import attention
from datasets_app.services import (
    draft_get_or_create,
    exposure_budget_set,
    exposure_charge,
    exposure_extend,
    version_freeze,
    version_retire,
)
from datasets_app.states import VersionStatus
from datasets_app.tasks import remind_of_exposure
from tests.conftest import Cast
from tests.datasets_app.factories import fill, make_frozen, natives

pytestmark = pytest.mark.django_db


def charge(version: DatasetVersion, run_ref: str = "run_x") -> Any:
    return exposure_charge(
        actor=SYSTEM, version=version, split="frozen", items=8, system_ref="support/assistant@v1", run_ref=run_ref
    )


def budget(cast: Cast, version: DatasetVersion, period: int = 50, life: int = 500, **more: Any) -> ExposureBudget:
    numbers = {"runs_per_period": period, "period_days": 30, "runs_lifetime": life}
    return exposure_budget_set(actor=cast.actor("steward"), version=version, **numbers, **more)


def backdated(version: DatasetVersion, days: int) -> None:
    ExposureEntry.objects.create(
        version=version, use="run", actor_key="person:1", actor_label="x", at=timezone.now() - timedelta(days=days)
    )


def test_past_its_life_a_split_is_spent_and_refuses_until_it_is_extended(cast: Cast) -> None:
    version = make_frozen(cast)
    budget(cast, version, life=2)
    charge(version)
    assert exposure_state(version, "frozen") == "in_use"
    charge(version)
    assert exposure_state(version, "frozen") == "spent"
    with pytest.raises(Conflict) as caught:
        charge(version)
    assert caught.value.code == "exposure_spent"
    assert "steward" in str(caught.value.detail)
    assert ExposureEntry.objects.filter(version=version).count() == 2
    exposure_extend(actor=cast.actor("steward"), version=version, runs=1, reason="a release")
    assert exposure_state(version, "frozen") == "in_use"
    charge(version)
    with pytest.raises(Conflict):
        charge(version)
    assert AuditEvent.objects.get(action="exposure.extend").after == {"runs": 1, "reason": "a release"}


def test_within_a_period_runs_are_refused_until_the_first_falls_out_of_it(cast: Cast) -> None:
    version = make_frozen(cast)
    budget(cast, version, period=2)
    backdated(version, 31)
    backdated(version, 29)
    charge(version)
    usage = exposure_usage(version)
    assert (usage.period_used, usage.life_used, usage.left) == (2, 3, 0)
    assert usage.state == "in_use"
    assert usage.next_run_at is not None
    assert timedelta(hours=23) < usage.next_run_at - timezone.now() < timedelta(hours=25)
    with pytest.raises(Conflict) as caught:
        charge(version)
    assert caught.value.code == "exposure_spent"
    assert f"{usage.next_run_at:%Y-%m-%d %H:%M}" in str(caught.value.detail)
    exposure_extend(actor=cast.actor("steward"), version=version, runs=1, reason="a release")
    charge(version)


def test_a_dev_split_has_no_budget(cast: Cast) -> None:
    version = make_frozen(cast)
    budget(cast, version, life=1)
    for _round in range(3):
        assert exposure_charge(actor=SYSTEM, version=version, split="dev", items=4, system_ref="s", run_ref="r") is None


def test_a_new_version_with_the_same_test_items_gets_no_fresh_budget(cast: Cast) -> None:
    first = make_frozen(cast)
    budget(cast, first, life=2)
    charge(first)
    draft = draft_get_or_create(actor=cast.actor("steward"), dataset=first.dataset)
    fill(cast, draft, natives(2, split="frozen", start=3001))
    second = version_freeze(actor=cast.actor("steward"), version=draft, note="two more")
    assert (exposure_usage(second).life_used, exposure_usage(second).life_allowed) == (1, 2)
    charge(second)
    with pytest.raises(Conflict):
        charge(second)
    assert exposure_usage(first).life_used == 1


def test_fresh_test_items_bring_a_budget_of_their_own(cast: Cast) -> None:
    first = make_frozen(cast)
    budget(cast, first, life=1)
    charge(first)
    draft = draft_get_or_create(actor=cast.actor("steward"), dataset=first.dataset)
    fill(cast, draft, natives(20, split="frozen", start=3001))
    second = version_freeze(actor=cast.actor("steward"), version=draft, note="rotated")
    assert exposure_usage(second).life_used == 0
    charge(second)


@pytest.mark.parametrize("name", ["viewer", "editor", "bare_token"])
def test_nobody_below_steward_extends(cast: Cast, name: str) -> None:
    with pytest.raises(Forbidden):
        exposure_extend(actor=cast.actor(name), version=make_frozen(cast), runs=1, reason="why")


def test_an_outsider_finds_nothing_to_extend(cast: Cast) -> None:
    with pytest.raises(NotFound):
        exposure_extend(actor=cast.actor("outsider"), version=make_frozen(cast), runs=1, reason="why")


@pytest.mark.parametrize(("runs", "reason", "pointer"), [(0, "why", "/runs"), (1, " ", "/reason")])
def test_an_extension_needs_runs_and_a_reason(cast: Cast, runs: int, reason: str, pointer: str) -> None:
    with pytest.raises(Invalid) as caught:
        exposure_extend(actor=cast.actor("steward"), version=make_frozen(cast), runs=runs, reason=reason)
    assert [error.pointer for error in caught.value.errors] == [pointer]


def test_extensions_are_never_changed(cast: Cast) -> None:
    row = exposure_extend(actor=cast.actor("steward"), version=make_frozen(cast), runs=1, reason="why")
    with pytest.raises(IntegrityError), transaction.atomic():
        ExposureExtension.objects.filter(pk=row.pk).update(runs=100)


def test_a_retired_version_is_not_extended(cast: Cast) -> None:
    version = version_retire(actor=cast.actor("steward"), version=make_frozen(cast))
    assert version.status == VersionStatus.RETIRED
    with pytest.raises(Conflict):
        exposure_extend(actor=cast.actor("steward"), version=version, runs=1, reason="why")


def texts(cast: Cast, name: str) -> str:
    return " | ".join(str(row.text) for row in attention(cast.actor(name), cast.team))


def test_stewards_are_reminded_of_a_split_near_its_budget_and_of_one_due_to_rotate(cast: Cast) -> None:
    version = make_frozen(cast)
    budget(cast, version, life=5, rotate_on=timezone.localdate() + timedelta(days=1))
    for _round in range(3):
        charge(version)
    assert texts(cast, "steward") == ""
    charge(version)
    assert "near its budget" in texts(cast, "steward")
    assert texts(cast, "editor") == ""
    charge(version)
    assert "is spent" in texts(cast, "steward")
    ExposureBudget.objects.filter(version=version).update(rotate_on=timezone.localdate())
    assert "rotate" not in texts(cast, "steward")
    remind_of_exposure()
    assert "due to rotate" in texts(cast, "steward")
    version_retire(actor=cast.actor("steward"), version=version)
    remind_of_exposure()
    assert texts(cast, "steward") == ""


def test_the_api_shows_sets_and_extends_the_budget(cast: Cast) -> None:
    version = make_frozen(cast)
    url = f"/api/v1/versions/{version.ref}/exposure/"
    shown = cast.api("viewer").get(f"{url}budget").json()
    assert (shown["state"], shown["left"], shown["rotate_on"]) == ("unseen", 50, None)
    body = {"runs_per_period": 5, "period_days": 7, "runs_lifetime": 9, "rotate_on": "2030-01-01"}
    answer = cast.api("steward").put(f"{url}budget", body, format="json")
    assert (answer.status_code, answer.json()["left"], answer.json()["rotate_on"]) == (200, 5, "2030-01-01")
    answer = cast.api("steward").put(f"{url}budget", {**body, "period_days": 0}, format="json")
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/period_days")
    made = cast.api("steward").post(f"{url}extensions", {"runs": 2, "reason": "a release"}, format="json")
    assert (made.status_code, made.json()["runs"]) == (201, 2)
    rows = cast.api("viewer").get(f"{url}extensions").json()["results"]
    assert [row["reason"] for row in rows] == ["a release"]
    assert cast.api("viewer").get(f"{url}budget").json()["left"] == 7


def test_the_page_shows_the_budget_to_all_and_its_forms_to_stewards(cast: Cast) -> None:
    version = make_frozen(cast)
    url = f"/t/support/datasets/{version.dataset.slug}/exposure/"
    assert "Extend the budget" not in cast.client("viewer").get(url).content.decode()
    steward = cast.client("steward")
    assert "Extend the budget" in steward.get(url).content.decode()
    assert steward.post(url, {"step": "extend", "runs": "3", "reason": "a release"}).status_code == 302
    assert "a release" in cast.client("viewer").get(url).content.decode()
    refused = steward.post(url, {"step": "budget", "runs_per_period": "0", "period_days": "1", "runs_lifetime": "1"})
    assert refused.status_code == 422
    assert exposure_usage(version).extended == 3
