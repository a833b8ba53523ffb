"""A plain client of the broker, for its health and the length of its queues."""

import redis
from django.conf import settings


def broker_client(timeout: float = 2.0) -> redis.Redis:
    """Return a client of the broker that gives up after `timeout` seconds; redis-py and kombu differ over sockets."""
    url = settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://", 1)
    return redis.Redis.from_url(url, socket_timeout=timeout, socket_connect_timeout=timeout)
