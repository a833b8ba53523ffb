"""The base of pages: a signed-in person, refusals shown beside the form, secrets never cached."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse
from django.utils.cache import add_never_cache_headers
from django.views import View

from core_app.actors import Actor
from core_app.errors import DomainError, Forbidden, NotFound


class PageView(LoginRequiredMixin, View):
    """A page for signed-in people; others are sent to the sign-in."""

    request: HttpRequest

    @property
    def actor(self) -> Actor:
        return self.request.actor  # type: ignore[attr-defined]


def add_refusal(form: forms.BaseForm, error: DomainError) -> None:
    """Show a service's refusal at the fields that it names, else above the form; raises it again where it is no matter
    of the form (404, 403)."""
    if isinstance(error, NotFound | Forbidden) and error.code in {NotFound.code, Forbidden.code}:
        raise error
    if not error.errors:
        form.add_error(None, str(error.detail))
    for fault in error.errors:
        name = fault.pointer.strip("/").split("/")[0]
        form.add_error(name if name in form.fields else None, str(fault.detail))


def no_store(response: HttpResponse) -> HttpResponse:
    """Keep a page that shows a secret once out of every cache."""
    add_never_cache_headers(response)
    return response


def form_data(request: HttpRequest) -> Any:
    """Return the data that a bound form takes, None on a GET."""
    return request.POST if request.method == "POST" else None
