"""Canonical JSON: one text for one value, so that a hash means the same everywhere.

UTF-8, keys sorted by code point, no white space, no `\\u` escapes beyond those JSON demands, NaN refused, floats as
Python's shortest round-trip form with integral floats written as integers (1.0 and 1 are one number in JSON).
"""

import hashlib
import json
from typing import Any


def _normal(value: Any) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, dict):
        return {str(key): _normal(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_normal(item) for item in value]
    raise TypeError(f"canonical JSON can't hold a {type(value).__name__}")


def canonical_json(value: Any) -> str:
    """Return the canonical text of a JSON value; raises ValueError on NaN or infinity, TypeError on other types."""
    return json.dumps(_normal(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def sha256_hex(value: Any) -> str:
    """Return the sha256 (64 hex digits) of the canonical JSON of `value`, or of bytes as they are."""
    data = value if isinstance(value, bytes) else canonical_json(value).encode("utf-8")
    return hashlib.sha256(data).hexdigest()
