"""Flushing the database between transactional tests, although the guards refuse DELETE and TRUNCATE.

`transaction=True` tests end with Django's flush. The guards are lifted around it, in its transaction, and put back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import connections, transaction
from django.db.backends.base.operations import BaseDatabaseOperations

from core_app.triggers import PREFIX

_original = BaseDatabaseOperations.execute_sql_flush


def _lift_on_sqlite(cursor: Any) -> list[str]:
    cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s", [f"{PREFIX}%"])
    rows = cursor.fetchall()
    for name, _sql in rows:
        cursor.execute(f"DROP TRIGGER {name}")
    return [sql for _name, sql in rows]


def _lift_on_postgresql(cursor: Any) -> list[str]:
    cursor.execute(
        "SELECT DISTINCT c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
        "WHERE NOT t.tgisinternal AND t.tgname LIKE %s",
        [f"{PREFIX}%"],
    )
    tables = [name for (name,) in cursor.fetchall()]
    for table in tables:
        cursor.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
    return [f'ALTER TABLE "{table}" ENABLE TRIGGER USER' for table in tables]


def _flush_despite_guards(self: BaseDatabaseOperations, sql_list: Iterable[str]) -> None:
    connection = connections[self.connection.alias]
    lift = _lift_on_sqlite if connection.vendor == "sqlite" else _lift_on_postgresql
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        put_back = lift(cursor)
        _original(self, sql_list)
        for statement in put_back:
            # Without parameters, so that a per cent sign in a trigger's text stays one.
            cursor.execute(statement, None)


def install() -> None:
    """Have every flush of this process lift the guards."""
    BaseDatabaseOperations.execute_sql_flush = _flush_despite_guards  # type: ignore[method-assign]
