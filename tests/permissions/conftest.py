"""One world for all checks of the matrix: seeded once, and each request undone by its own savepoint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.db import transaction
from pytest_django.plugin import DjangoDbBlocker

from tests.conftest import Cast, make_cast
from tests.permissions.harness import Clients, table_modules


class World:
    """The cast, what each table's module seeded for it, and a signed-in client for each."""

    def __init__(self) -> None:
        self.cast: Cast = make_cast()
        self.seeded: Mapping[str, Mapping[str, Any]] = {
            module.__name__: module.seed(self.cast) for module in table_modules()
        }
        self.clients = Clients(self.cast)


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """The world of a test module, in a transaction that is rolled back after it.

    Tests that take it are marked `django_db` besides: theirs is a savepoint in it.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield World()
        transaction.set_rollback(True)
