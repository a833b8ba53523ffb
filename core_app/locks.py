"""One at a time, on both databases: a lock that ends with the transaction."""

import hashlib

from django.db import connection


def transaction_lock(name: str) -> None:
    """Wait until no other transaction holds the lock `name`, then hold it until this one ends.

    PostgreSQL has advisory locks. SQLite transactions are IMMEDIATE (settings), so a second writer already waits.
    Call it inside `transaction.atomic()`.
    """
    if connection.vendor != "postgresql":
        return
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])
