"""Is the process up, is it ready, what does it count."""

from __future__ import annotations

import hmac

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from core_app import health, metrics

_LOCAL = {"127.0.0.1", "::1"}


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers; nothing else is asked."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Everything that a request needs is there; 503 names what is down."""
    parts = health.check_all()
    down = [name for name, state in parts.items() if state != health.UP]
    return JsonResponse({"status": "unavailable" if down else "ok", "down": down, **parts}, status=503 if down else 200)


def _may_scrape(request: HttpRequest) -> bool:
    """With METRICS_TOKEN set, its bearer; without, this machine alone, and no caller behind a proxy on it."""
    if settings.METRICS_TOKEN:
        given = request.headers.get("Authorization", "").encode()
        return hmac.compare_digest(given, f"Bearer {settings.METRICS_TOKEN}".encode())
    return request.META.get("REMOTE_ADDR") in _LOCAL and "HTTP_X_FORWARDED_FOR" not in request.META


@require_safe
@never_cache
def prometheus(request: HttpRequest) -> HttpResponse:
    """Metrics in Prometheus' text form."""
    if not _may_scrape(request):
        return HttpResponseForbidden("Set METRICS_TOKEN and send it as a bearer, or ask from this machine.\n")
    return HttpResponse(metrics.exposition(), content_type="text/plain; version=0.0.4; charset=utf-8")
