"""`can` and `visible_to` are two readings of one table: for every model and everyone they must agree."""

from __future__ import annotations

import importlib
import itertools
from importlib.util import find_spec

import pytest
from django.apps import apps
from django.db import models

from core_app.actors import ANONYMOUS, SYSTEM
from core_app.policy import Policy
from tests.permissions.conftest import World
from tests.permissions.harness import ACTORS, table_modules


def policies() -> dict[str, Policy]:
    """Return the policy of each app that has one."""
    found = {}
    for config in apps.get_app_configs():
        if config.name.endswith("_app") and find_spec(f"{config.name}.policies") is not None:
            found[config.name] = importlib.import_module(f"{config.name}.policies").policy
    return found


PAIRS = [(app, model) for app, policy in policies().items() for model in policy.view_actions]


@pytest.mark.django_db
@pytest.mark.parametrize(("app", "model"), PAIRS, ids=lambda value: getattr(value, "__name__", value))
def test_can_and_visible_to_agree(app: str, model: type[models.Model], world: World) -> None:
    policy = policies()[app]
    owners = {name for module in table_modules() for name in getattr(module, "APPS", ())}
    if app not in owners:
        pytest.skip(f"no table seeds {app} yet")
    rows = list(model._default_manager.all())
    assert rows, f"no seed makes a {model.__name__}: the comparison would say nothing"
    actors = [ANONYMOUS, SYSTEM, *(world.cast.actor(name) for name in ACTORS if name != "anonymous")]
    for actor, row in itertools.product(actors, rows):
        visible = policy.visible_to(actor, model._default_manager.filter(pk=row.pk)).exists()
        assert policy.can(actor, policy.view_actions[model], row) == visible, f"{actor.label}: {row!r}"


@pytest.mark.parametrize("app", sorted(policies()))
def test_each_action_of_the_table_is_named_and_needs_a_known_scope(app: str) -> None:
    from teams_app.scopes import SCOPES

    policy = policies()[app]
    for action, need in policy.table.items():
        assert need.scope is None or need.scope in SCOPES, f"{action} asks for the unknown scope {need.scope}"
        if need.scope is not None:
            # A token can never do what its maker could not: the scope's least role includes the action's.
            assert SCOPES[need.scope].includes(need.role), f"{action}: {need.scope} is given out below {need.role}"
