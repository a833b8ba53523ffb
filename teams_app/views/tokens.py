"""The team's service tokens."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core_app.errors import DomainError
from core_app.pages import add_refusal, no_store
from teams_app.forms import TokenForm
from teams_app.policies import TeamAction
from teams_app.selectors import token_in, tokens_of
from teams_app.services import token_create, token_revoke
from teams_app.services.tokens import scopes_for
from teams_app.views.base import TeamPageView


class TokensView(TeamPageView):
    """The list, and making one: its secret is shown once, in the answer to the form."""

    action = TeamAction.TOKENS_VIEW
    post_action = TeamAction.TOKENS_CHANGE
    template_name = "teams_app/tokens.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        return self._list(request, form=self._form())

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        target = self.team
        form = self._form(request.POST)
        if form.is_valid():
            fields = form.cleaned_data
            try:
                token, secret = token_create(
                    actor=self.actor,
                    team=target,
                    name=fields["name"],
                    scopes=fields["scopes"],
                    expires_at=form.expires_at(),
                )
            except DomainError as error:
                add_refusal(form, error)
            else:
                context = {"team": target, "token": token, "secret": secret}
                return no_store(render(request, "teams_app/token_made.html", context))
        return self._list(request, status=422, form=form)

    def _form(self, data: Any = None) -> TokenForm:
        return TokenForm(data, scopes=scopes_for(self.actor.role_in(self.team.pk)))

    def _list(self, request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
        return self.page(request, status=status, tokens=tokens_of(self.team), now=timezone.now(), **more)


class TokenRevokeView(TeamPageView):
    """The end of a token."""

    action = TeamAction.TOKENS_CHANGE

    def post(self, request: HttpRequest, team: str, token: str) -> HttpResponse:
        found = token_in(self.team, token)
        token_revoke(actor=self.actor, token=found)
        messages.success(request, _("The token is revoked."))
        return redirect("teams:tokens", team=team)
