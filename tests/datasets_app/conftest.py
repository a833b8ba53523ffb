"""A database of its own for tests with several connections: a copy, with every guard in place, thrown away."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection, connections
from pytest_django import DjangoDbBlocker


def _swapped(name: str) -> Iterator[None]:
    """Let this and every new connection of the process use the database of that name."""
    own, settings = connection.connection, connection.settings_dict
    before = settings["NAME"]
    connection.connection = None
    settings["NAME"] = name
    try:
        yield
    finally:
        connections["default"].close()
        settings["NAME"] = before
        connection.connection = own


@pytest.fixture
def database_copy(django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[None]:
    """Work on a copy of the migrated test database, as committed, with real transactions."""
    with django_db_blocker.unblock():
        connection.ensure_connection()
        if connection.vendor == "sqlite":
            path = tmp_path / "copy.sqlite3"
            with sqlite3.connect(path) as target:
                connection.connection.backup(target)
            target.close()
            yield from _swapped(str(path))
            return
        name, source = f"{connection.settings_dict['NAME']}_copy", connection.settings_dict["NAME"]
        connection.close()
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')
            cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{source}"')
        try:
            yield from _swapped(name)
        finally:
            connection.close()
            with connection._nodb_cursor() as cursor:
                cursor.execute(f'DROP DATABASE "{name}"')
