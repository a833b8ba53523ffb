"""Counting attempts in the cache, by window of time."""

from __future__ import annotations

import logging
import time

import redis
from django.core.cache import cache

from core_app.errors import TooMany

log = logging.getLogger(__name__)


def limit(key: str, *, most: int, seconds: int, detail: object) -> None:
    """Count one attempt under `key`; raises `TooMany` beyond `most` in a window of `seconds`.

    Without a cache nothing is counted: that a helper is down must not lock everybody out.
    """
    window, passed = divmod(int(time.time()), seconds)
    name = f"limit:{key}:{window}"
    try:
        cache.add(name, 0, timeout=seconds + 1)
        count = cache.incr(name)
    except (redis.RedisError, OSError):
        log.warning("no cache: attempts are not counted", extra={"key": key.partition(":")[0]})
        return
    except ValueError:
        # The entry expired between the two calls: a new window has begun.
        return
    if count > most:
        raise TooMany(detail, retry_after=seconds - passed)
