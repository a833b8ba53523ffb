"""Immutability in the database: the same guard as triggers on SQLite and PostgreSQL, installed by migrations.

A `Guard` names a table, the operations that it refuses and, where only some rows are protected, a condition over
`OLD` (update, delete) or `NEW` (insert) written in SQL that both databases read. Violations surface in Django as
`IntegrityError` on both. A guard without condition also refuses TRUNCATE on PostgreSQL and, on SQLite, the insert of an
id that exists (`INSERT OR REPLACE` deletes without firing delete triggers).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.migrations.operations.base import Operation

PREFIX = "guard_"


@dataclass(frozen=True, slots=True)
class Guard:
    """One trigger set. `operations` is a subset of INSERT, UPDATE, DELETE; `when` maps an operation to its condition.

    Conditions may hold subqueries; they use `OLD.` and `NEW.` and plain comparisons. `key` is the primary key's column.
    """

    name: str
    table: str
    operations: tuple[str, ...]
    message: str
    when: tuple[tuple[str, str], ...] = ()
    key: str = "id"

    def condition(self, operation: str) -> str | None:
        return dict(self.when).get(operation)

    def trigger_names(self, vendor: str) -> list[str]:
        """Return the names of the triggers that must exist after a full migrate."""
        names = [f"{PREFIX}{self.name}_{operation.lower()}" for operation in self.operations]
        if vendor == "postgresql" and "DELETE" in self.operations:
            names.append(f"{PREFIX}{self.name}_truncate")
        if vendor == "sqlite" and {"UPDATE", "DELETE"} & set(self.operations):
            names.append(f"{PREFIX}{self.name}_replace")
        return names

    def create_sql(self, vendor: str) -> list[str]:
        return self._sqlite() if vendor == "sqlite" else self._postgresql()

    def drop_sql(self, vendor: str) -> list[str]:
        if vendor == "sqlite":
            return [f"DROP TRIGGER IF EXISTS {name}" for name in self.trigger_names(vendor)]
        statements = [f"DROP TRIGGER IF EXISTS {name} ON {self.table}" for name in self.trigger_names(vendor)]
        functions = [*self.operations, "TRUNCATE"]
        return statements + [f"DROP FUNCTION IF EXISTS {PREFIX}{self.name}_{item.lower()}_fn()" for item in functions]

    def _sqlite(self) -> list[str]:
        message = self.message.replace("'", "''")
        statements = []
        for operation in self.operations:
            condition = self.condition(operation)
            when = f"WHEN {condition}" if condition else ""
            statements.append(
                f"CREATE TRIGGER {PREFIX}{self.name}_{operation.lower()} BEFORE {operation} ON {self.table} "
                f"FOR EACH ROW {when} BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )
        if {"UPDATE", "DELETE"} & set(self.operations):
            condition = self.condition("DELETE") or self.condition("UPDATE")
            same = f"EXISTS (SELECT 1 FROM {self.table} AS existing WHERE existing.{self.key} = NEW.{self.key}"  # noqa: S608
            extra = f" AND ({condition.replace('OLD.', 'existing.').replace('NEW.', 'existing.')})" if condition else ""
            statements.append(
                f"CREATE TRIGGER {PREFIX}{self.name}_replace BEFORE INSERT ON {self.table} "
                f"FOR EACH ROW WHEN {same}{extra}) BEGIN SELECT RAISE(ABORT, '{message}'); END"
            )
        return statements

    def _postgresql(self) -> list[str]:
        message = self.message.replace("'", "''").replace("%", "%%")
        statements = []
        for operation in [*self.operations, *(["TRUNCATE"] if "DELETE" in self.operations else [])]:
            name = f"{PREFIX}{self.name}_{operation.lower()}"
            row = "NEW" if operation in {"INSERT", "UPDATE"} else "OLD"
            condition = self.condition(operation) if operation != "TRUNCATE" else None
            test = f"IF {condition} THEN" if condition else "IF TRUE THEN"
            level = "STATEMENT" if operation == "TRUNCATE" else "ROW"
            back = "NULL" if operation == "TRUNCATE" else row
            statements.append(
                f"CREATE OR REPLACE FUNCTION {name}_fn() RETURNS trigger AS $guard$ BEGIN {test} "
                f"RAISE EXCEPTION '{message}' USING ERRCODE = '23514'; END IF; RETURN {back}; "
                "END $guard$ LANGUAGE plpgsql"
            )
            statements.append(
                f"CREATE TRIGGER {name} BEFORE {operation} ON {self.table} "
                f"FOR EACH {level} EXECUTE FUNCTION {name}_fn()"
            )
        return statements


class InstallGuards(Operation):
    """Migration operation: create the guards' triggers; backwards drops them."""

    reversible = True
    reduces_to_sql = True

    def __init__(self, guards: Sequence[Guard]) -> None:
        self.guards = tuple(guards)

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        return (self.__class__.__qualname__, [self.guards], {})

    def state_forwards(self, app_label: str, state: Any) -> None:
        """The model state does not know triggers."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        vendor = schema_editor.connection.vendor
        for guard in self.guards:
            for statement in [*guard.drop_sql(vendor), *guard.create_sql(vendor)]:
                schema_editor.execute(statement, params=None)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        vendor = schema_editor.connection.vendor
        for guard in self.guards:
            for statement in guard.drop_sql(vendor):
                schema_editor.execute(statement, params=None)

    def describe(self) -> str:
        return "Guard rows against change: " + ", ".join(guard.name for guard in self.guards)
