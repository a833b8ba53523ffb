"""Grants and the ledger."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from core_app.errors import Conflict, Forbidden, Invalid, NotFound
from core_app.models import AuditEvent
from datasets_app.models import ExposureEntry
from datasets_app.policies import policy
from datasets_app.selectors import exposure_state
from datasets_app.services import exposure_record, grant_create, grant_revoke, version_retire
from datasets_app.states import ExposureUse, Level
from teams_app.selectors import actor_for_token
from tests.conftest import Cast, make_token
from tests.datasets_app.factories import grant, make_dataset, make_frozen


def give(cast: Cast, by: Any, holder: Any, **fields: Any) -> Any:
    defaults = {"level": "read", "reason": "why", "expires_at": timezone.now() + timedelta(days=1)}
    dataset = fields.pop("dataset", None) or make_dataset(cast)
    return grant_create(actor=by, dataset=dataset, holder=holder, **{**defaults, **fields})


def test_a_grant_raises_the_level_until_it_is_revoked_or_expires(cast: Cast) -> None:
    dataset = make_dataset(cast)
    assert policy.level(cast.actor("viewer"), dataset) is Level.AGGREGATE
    assert policy.level(cast.actor("editor"), dataset) is Level.RUN
    assert policy.level(cast.actor("token"), dataset) is None
    made = grant(cast, dataset, "token", Level.QUESTIONS)
    assert policy.level(cast.actor("token"), dataset) is Level.QUESTIONS
    grant_revoke(actor=cast.actor("steward"), grant=made)
    assert policy.level(cast.actor("token"), dataset) is None
    with pytest.raises(Conflict):
        grant_revoke(actor=cast.actor("steward"), grant=made)
    late = grant(cast, dataset, "viewer", Level.READ)
    type(late).objects.filter(pk=late.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert policy.level(cast.actor("viewer"), dataset) is Level.AGGREGATE
    assert set(AuditEvent.objects.values_list("action", flat=True)) >= {"grant.create", "grant.revoke"}


def test_nobody_grants_to_themselves_in_any_form(cast: Cast) -> None:
    own_token, _secret = make_token(cast.team, cast.people["steward"], name="own")
    for holder in (cast.people["steward"], own_token, cast.team):
        with pytest.raises(Forbidden) as caught:
            give(cast, cast.actor("steward"), holder, dataset=_dataset(cast))
        assert caught.value.code == "own_grant"
    for holder in (own_token, cast.people["steward"]):
        with pytest.raises(Forbidden):
            give(cast, actor_for_token(own_token), holder, dataset=_dataset(cast))


def _dataset(cast: Cast) -> Any:
    return cast.team.datasets.first() or make_dataset(cast)


@pytest.mark.parametrize("name", ["viewer", "annotator", "editor", "bare_token"])
def test_nobody_below_steward_grants(cast: Cast, name: str) -> None:
    with pytest.raises(Forbidden):
        give(cast, cast.actor(name), cast.people["viewer"])


def test_an_outsider_neither_grants_nor_receives(cast: Cast) -> None:
    with pytest.raises(NotFound):
        give(cast, cast.actor("outsider"), cast.people["viewer"])
    with pytest.raises(Invalid):
        give(cast, cast.actor("steward"), cast.people["outsider"], dataset=_dataset(cast))


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"level": "everything"}, "/level"),
        ({"reason": "  "}, "/reason"),
        ({"expires_at": timezone.now() - timedelta(days=1)}, "/expires_at"),
        ({"expires_at": timezone.now() + timedelta(days=500)}, "/expires_at"),
    ],
)
def test_a_grant_needs_a_known_level_a_reason_and_an_end(cast: Cast, fields: dict, pointer: str) -> None:
    with pytest.raises(Invalid) as caught:
        give(cast, cast.actor("steward"), cast.people["viewer"], **fields)
    assert [error.pointer for error in caught.value.errors] == [pointer]


def test_a_platform_admin_reads_a_frozen_split_only_with_a_grant(cast: Cast) -> None:
    version = make_frozen(cast)
    assert not policy.may_read_protected(cast.actor("admin"), version.dataset)


def test_the_ledger_takes_uses_of_frozen_splits_alone_and_never_changes(cast: Cast) -> None:
    version = make_frozen(cast)
    steward = cast.actor("steward")
    assert exposure_state(version, "frozen") == "unseen"
    assert exposure_record(actor=steward, version=version, split="dev", use=ExposureUse.RUN) is None
    entry = exposure_record(
        actor=steward, version=version, split="frozen", use=ExposureUse.RUN, items=8, run_ref="run_1", reason="r"
    )
    assert entry is not None
    assert exposure_state(version, "frozen") == "in_use"
    with pytest.raises(IntegrityError), transaction.atomic():
        ExposureEntry.objects.filter(pk=entry.pk).update(reason="none")
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("DELETE FROM datasets_app_exposureentry")
    version_retire(actor=steward, version=version)
    version.refresh_from_db()
    assert exposure_state(version, "frozen") == "retired"
