"""Whether what the site stands on is there: database, broker, migrations."""

from __future__ import annotations

import redis
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor

from core_app.broker import broker_client

UP = "up"
DOWN = "down"
UNKNOWN = "unknown"

_migrated = False


def database_state() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except (DatabaseError, InterfaceError):
        return DOWN
    return UP


def broker_state() -> str:
    try:
        broker_client().ping()
    except (redis.RedisError, OSError):
        return DOWN
    return UP


def migrations_state() -> str:
    """Return `up` where every migration of this code has been applied; once true, it stays so for the process."""
    global _migrated  # noqa: PLW0603
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return UP if _migrated else DOWN


def check_all() -> dict[str, str]:
    """Return the state of each part; without a database the migrations are `unknown`."""
    database = database_state()
    return {
        "database": database,
        "broker": broker_state(),
        "migrations": migrations_state() if database == UP else UNKNOWN,
    }
