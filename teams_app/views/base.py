"""What every page of a team shares."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import cached_property

from core_app.pages import PageView
from teams_app.models import Team
from teams_app.policies import TeamAction
from teams_app.selectors import team_for


class TeamPageView(PageView):
    """A page under /t/<team>/. `action` is asked of the policy before the handler runs, `post_action` for a POST."""

    action: TeamAction
    post_action: TeamAction | None = None
    template_name = ""

    def get_action(self) -> TeamAction:
        is_write = self.request.method == "POST"
        return self.post_action if is_write and self.post_action is not None else self.action

    @cached_property
    def team(self) -> Team:
        return team_for(self.actor, self.kwargs["team"], self.get_action())

    def page(self, request: HttpRequest, status: int = 200, **context: Any) -> HttpResponse:
        """Render the page's template with the team."""
        return render(request, self.template_name, {"team": self.team, "actor": self.actor, **context}, status=status)
