"""Writing many rows of one table in one go, each idempotent under the table's unique key, on both databases.

The ORM's `bulk_create` splits a write by SQLite's variable limit and builds an object a row; outputs and scores come by
the hundred thousand, so they go as plain tuples: one prepared statement on SQLite, arrays on PostgreSQL.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import connection, models


def to_json(value: Any) -> str:
    """Return the JSON text of a value for a JSON column; raises ValueError on NaN and infinity."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)


def _conflict(model: type[models.Model], unique: Sequence[str], update: Sequence[str]) -> str:
    if not update:
        return "ON CONFLICT DO NOTHING"
    columns = ", ".join(_column(model, name) for name in unique)
    changes = ", ".join(f"{_column(model, name)} = excluded.{_column(model, name)}" for name in update)
    return f"ON CONFLICT ({columns}) DO UPDATE SET {changes}"


def _column(model: type[models.Model], name: str) -> str:
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)
    assert field.column is not None
    return connection.ops.quote_name(field.column)


def rows_write(
    model: type[models.Model],
    fields: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    *,
    unique: Sequence[str] = (),
    update: Sequence[str] = (),
) -> None:
    """Insert tuples of column values in the order of `fields`; JSON columns take text (`to_json`).

    A row that meets an existing unique key is left out, or, with `unique` and `update`, changes those fields.
    """
    if not rows:
        return
    table = connection.ops.quote_name(model._meta.db_table)
    columns = ", ".join(_column(model, name) for name in fields)
    tail = _conflict(model, unique, update)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            kinds = [model._meta.get_field(name).db_type(connection) or "text" for name in fields]
            # A JSON column travels as text, because an array of jsonb would have to be built value by value.
            arrays = ", ".join(f"%s::{'text' if kind == 'jsonb' else kind}[]" for kind in kinds)
            names = ", ".join(f"c{index}" for index in range(len(fields)))
            casts = ", ".join(f"c{i}::jsonb" if kind == "jsonb" else f"c{i}" for i, kind in enumerate(kinds))
            cursor.execute(
                f"INSERT INTO {table} ({columns}) SELECT {casts} FROM unnest({arrays}) AS given ({names}) {tail}",  # noqa: S608
                [list(column) for column in zip(*rows, strict=True)],
            )
        else:
            places = ", ".join(["%s"] * len(fields))
            cursor.executemany(
                f"INSERT INTO {table} ({columns}) VALUES ({places}) {tail}",  # noqa: S608
                [_plain(row) for row in rows] if any(isinstance(value, datetime) for value in rows[0]) else rows,
            )


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(
        connection.ops.adapt_datetimefield_value(value) if isinstance(value, datetime) else value for value in row
    )
