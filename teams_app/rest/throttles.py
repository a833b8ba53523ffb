"""A rate limit for each token."""

from django.views import View
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle


class TokenRateThrottle(SimpleRateThrottle):
    scope = "token"

    def get_cache_key(self, request: Request, view: View) -> str | None:
        token = request.auth
        return f"throttle:token:{token.pk}" if token is not None else None
