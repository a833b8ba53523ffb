"""The way in, the team's home, its settings."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _

from core_app import panels
from core_app.errors import DomainError
from core_app.pages import PageView, add_refusal, form_data
from teams_app.forms import TeamForm, TeamSettingsForm
from teams_app.policies import TeamAction
from teams_app.selectors import person_find, teams_of
from teams_app.services import team_change, team_create
from teams_app.views.base import TeamPageView


class HomeView(PageView):
    """To the person's one team, else the list of teams."""

    def get(self, request: HttpRequest) -> HttpResponse:
        teams = list(teams_of(self.actor))
        if len(teams) == 1 and not self.actor.is_platform_admin:
            return redirect("teams:team", team=teams[0].slug)
        context = {"teams": teams, "may_create": self.actor.is_platform_admin}
        return render(request, "teams_app/teams.html", context)


class TeamCreateView(PageView):
    """A new team, by platform administrators."""

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        if request.user.is_authenticated and not self.actor.is_platform_admin:
            raise PermissionDenied
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        return render(request, "teams_app/team_create.html", {"form": TeamForm()})

    def post(self, request: HttpRequest) -> HttpResponse:
        form = TeamForm(form_data(request))
        if form.is_valid():
            fields = form.cleaned_data
            try:
                owner = person_find(fields["owner"]) if fields["owner"] else None
                team = team_create(actor=self.actor, slug=fields["slug"], name=fields["name"], owner=owner)
                return redirect("teams:members", team=team.slug)
            except DomainError as error:
                add_refusal(form, error)
        return render(request, "teams_app/team_create.html", {"form": form}, status=422)


class TeamHomeView(TeamPageView):
    """What needs the person, and a panel of each app."""

    action = TeamAction.VIEW
    template_name = "teams_app/team_home.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        shown = [
            render_to_string(
                row["template"],
                {**row["context"], "panel": row["context"], "team": self.team, "actor": self.actor},
                request=request,
            )
            for row in panels.home_panels(self.actor, self.team)
        ]
        return self.page(request, panels=shown, attention=panels.attention_rows(self.actor, self.team))


class TeamSettingsView(TeamPageView):
    """The team's name and its rule of four eyes."""

    action = TeamAction.VIEW
    post_action = TeamAction.CHANGE
    template_name = "teams_app/team_settings.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        form = TeamSettingsForm(initial={"name": self.team.name, "four_eyes": self.team.four_eyes})
        return self.page(request, form=form)

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        form = TeamSettingsForm(form_data(request))
        target = self.team
        if form.is_valid():
            try:
                team_change(actor=self.actor, team=target, **form.cleaned_data)
            except DomainError as error:
                add_refusal(form, error)
            else:
                messages.success(request, _("Saved."))
                return redirect("teams:settings", team=target.slug)
        return self.page(request, status=422, form=form)
