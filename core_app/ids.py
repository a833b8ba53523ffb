"""Opaque public ids, such as `run_7f3k…`: random, so that they neither count nor order anything."""

import secrets

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(prefix: str, length: int = 20) -> str:
    """Return `prefix_` and `length` random characters (100 bits at 20) without look-alikes."""
    return f"{prefix}_" + "".join(secrets.choice(_ALPHABET) for _ in range(length))
