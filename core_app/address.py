"""The caller's address behind a known number of proxies."""

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """Return the address of the caller.

    With `TRUSTED_PROXY_COUNT` = n the n-th entry of X-Forwarded-For from the right counts: that one was written by our
    own proxy, and what stands left of it can be made up.
    """
    remote = request.META.get("REMOTE_ADDR", "") or ""
    count = settings.TRUSTED_PROXY_COUNT
    if count < 1:
        return remote
    hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
    return hops[-count][:64] if len(hops) >= count else remote
