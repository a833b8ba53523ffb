"""Two people freezing and editing at the same moment: one is first, and nothing is mixed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from core_app.errors import Conflict
from core_app.roles import Role
from datasets_app.freezing import content_hash
from datasets_app.models import DatasetVersion
from datasets_app.services import (
    dataset_create,
    draft_get_or_create,
    items_import,
    version_freeze,
    version_retire,
)
from datasets_app.states import Split
from teams_app.models import Team
from teams_app.selectors import actor_for_user
from tests.conftest import make_person
from tests.datasets_app.factories import native, natives, numbered


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Run the acts in threads of their own, begun together; return each one's value or its `Conflict`."""
    gate = threading.Barrier(len(acts))
    found: list[Any] = [None] * len(acts)

    def run(index: int, act: Callable[[], Any]) -> None:
        try:
            gate.wait()
            found[index] = act()
        except Conflict as error:
            found[index] = error
        except BaseException as error:
            found[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(index, act)) for index, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    unexpected = [item for item in found if isinstance(item, BaseException) and not isinstance(item, Conflict)]
    assert unexpected == []
    return found


class Scene:
    """A team with two stewards and a draft, committed."""

    def __init__(self) -> None:
        self.team = Team.objects.create(slug="race", name="Race")
        people = [make_person(name, team=self.team, role=Role.STEWARD) for name in ("one", "two")]
        self.one, self.two = (actor_for_user(person) for person in people)
        self.dataset = dataset_create(actor=self.one, team=self.team, slug="qa", name="QA")
        self.draft = draft_get_or_create(actor=self.one, dataset=self.dataset)
        rows = numbered(natives(40) + natives(40, split="frozen", start=1001))
        items_import(actor=self.one, version=self.draft, rows=rows)


@pytest.fixture
def scene(database_copy: None) -> Scene:
    return Scene()


@pytest.mark.parametrize("attempt", range(3))
def test_freezing_and_importing_at_once_mixes_nothing(scene: Scene, attempt: int) -> None:
    changed = numbered([native(index, reference="changed", types=["fact"]) for index in range(1, 41)])
    frozen, imported = at_once(
        lambda: version_freeze(actor=scene.one, version=scene.draft, note="x"),
        lambda: items_import(actor=scene.two, version=scene.draft, rows=changed),
    )
    version = DatasetVersion.objects.get(pk=scene.draft.pk)
    assert version.status == "frozen"
    assert version.content_sha256 == content_hash(version)
    references = set(
        version.entries.filter(split=Split.DEV, revision__content__reference="changed").values_list("item", flat=True)
    )
    assert len(references) == (0 if isinstance(imported, Conflict) else 40)
    assert not isinstance(frozen, Conflict)


def test_of_two_stewards_freezing_at_once_one_wins(scene: Scene) -> None:
    found = at_once(
        lambda: version_freeze(actor=scene.one, version=scene.draft, note="first"),
        lambda: version_freeze(actor=scene.two, version=scene.draft, note="second"),
    )
    winners = [item for item in found if not isinstance(item, Conflict)]
    assert len(winners) == 1
    version = DatasetVersion.objects.get(pk=scene.draft.pk)
    assert (version.note, version.frozen_by_label) == (winners[0].note, winners[0].frozen_by_label)


def test_of_two_retiring_at_once_one_wins(scene: Scene) -> None:
    version = version_freeze(actor=scene.one, version=scene.draft, note="x")
    found = at_once(
        lambda: version_retire(actor=scene.one, version=version),
        lambda: version_retire(actor=scene.two, version=version),
    )
    assert sum(isinstance(item, Conflict) for item in found) == 1


def test_two_beginning_the_next_draft_at_once_get_the_same_one(scene: Scene) -> None:
    version_freeze(actor=scene.one, version=scene.draft, note="x")
    found = at_once(
        lambda: draft_get_or_create(actor=scene.one, dataset=scene.dataset),
        lambda: draft_get_or_create(actor=scene.two, dataset=scene.dataset),
    )
    assert found[0] == found[1]
    assert found[0].entries.count() == 80


def test_two_importing_the_same_new_items_at_once_make_each_once(scene: Scene) -> None:
    rows = numbered(natives(50, start=500))
    first, second = at_once(
        lambda: items_import(actor=scene.one, version=scene.draft, rows=rows),
        lambda: items_import(actor=scene.two, version=scene.draft, rows=rows),
    )
    assert sorted([first.created, second.created]) == [0, 50]
    assert scene.draft.entries.count() == 130
