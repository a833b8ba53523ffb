"""Which form an answer takes: what `Accept` asks for where we have it, else the view's first (JSON)."""

from __future__ import annotations

from typing import Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer


class FallbackNegotiation(DefaultContentNegotiation):
    """A client that asks for something else (a browser asks for HTML) gets JSON and no 406.

    `?format=` belongs to the calls themselves (imports, exports, reports), so it chooses no renderer here.
    """

    def select_renderer(
        self, request: Any, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        try:
            return super().select_renderer(request, renderers, format_suffix)
        except NotAcceptable:
            return renderers[0], renderers[0].media_type
