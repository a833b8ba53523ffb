"""Who is in the team."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from core_app.errors import DomainError
from core_app.pages import add_refusal, no_store
from teams_app.forms import MemberAddForm, MemberInviteForm, RoleForm
from teams_app.models import Team
from teams_app.policies import TeamAction
from teams_app.roles import ROLE_WORDS
from teams_app.selectors import member_get, members_of, person_find
from teams_app.services import invitation_renew, member_add, member_change, member_invite, member_remove
from teams_app.views.base import TeamPageView


class MembersView(TeamPageView):
    """The list; owners add and invite from here."""

    action = TeamAction.MEMBERS_VIEW
    post_action = TeamAction.MEMBERS_CHANGE
    template_name = "teams_app/members.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        return self._list(request)

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        target = self.team
        form = MemberAddForm(request.POST)
        if form.is_valid():
            try:
                person = person_find(form.cleaned_data["person"])
                member_add(actor=self.actor, team=target, user=person, role=form.cleaned_data["role"])
            except DomainError as error:
                add_refusal(form, error)
            else:
                messages.success(request, _("%(person)s is in the team now.") % {"person": person})
                return redirect("teams:members", team=target.slug)
        return self._list(request, status=422, add_form=form)

    def _list(self, request: HttpRequest, status: int = 200, **more: Any) -> HttpResponse:
        context = {"add_form": MemberAddForm(), "members": members_of(self.team), "roles": ROLE_WORDS, **more}
        return self.page(request, status=status, **context)


class MemberInviteView(TeamPageView):
    """An account for somebody new; the link to set its password is shown once."""

    action = TeamAction.MEMBERS_CHANGE
    template_name = "teams_app/member_invite.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        return self.page(request, form=MemberInviteForm())

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        target = self.team
        form = MemberInviteForm(request.POST)
        if form.is_valid():
            try:
                membership, path = member_invite(actor=self.actor, team=target, **form.cleaned_data)
            except DomainError as error:
                add_refusal(form, error)
            else:
                return _show_link(request, target, membership.user, path)
        return self.page(request, status=422, form=form)


def _show_link(request: HttpRequest, team: Team, person: Any, path: str) -> HttpResponse:
    context = {"team": team, "person": person, "link": request.build_absolute_uri(path)}
    return no_store(render(request, "teams_app/member_link.html", context))


class MemberLinkView(TeamPageView):
    """A new link for somebody who has never signed in."""

    action = TeamAction.MEMBERS_CHANGE

    def post(self, request: HttpRequest, team: str, username: str) -> HttpResponse:
        membership = member_get(self.team, username)
        path = invitation_renew(actor=self.actor, membership=membership)
        return _show_link(request, self.team, membership.user, path)


class MemberChangeView(TeamPageView):
    """Another role."""

    action = TeamAction.MEMBERS_CHANGE
    template_name = "teams_app/member_change.html"

    def get(self, request: HttpRequest, team: str, username: str) -> HttpResponse:
        membership = member_get(self.team, username)
        form = RoleForm(initial={"role": membership.role})
        return self.page(request, form=form, membership=membership, roles=ROLE_WORDS)

    def post(self, request: HttpRequest, team: str, username: str) -> HttpResponse:
        membership = member_get(self.team, username)
        form = RoleForm(request.POST)
        if form.is_valid():
            try:
                member_change(actor=self.actor, membership=membership, role=form.cleaned_data["role"])
            except DomainError as error:
                add_refusal(form, error)
            else:
                messages.success(request, _("The role is changed."))
                return redirect("teams:members", team=team)
        return self.page(request, status=422, form=form, membership=membership, roles=ROLE_WORDS)


class MemberRemoveView(TeamPageView):
    """Out of the team."""

    action = TeamAction.MEMBERS_CHANGE

    def post(self, request: HttpRequest, team: str, username: str) -> HttpResponse:
        membership = member_get(self.team, username)
        member_remove(actor=self.actor, membership=membership)
        messages.success(request, _("%(person)s is no longer in the team.") % {"person": membership.user})
        return redirect("teams:members", team=team)
