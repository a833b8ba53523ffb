"""What the pages about comparisons and gates share."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import cached_property

from core_app.pages import PageView
from runs_app.policies import RunAction, policy
from teams_app.models import Team
from teams_app.selectors import team_member_of


class DecisionPage(PageView):
    """A page under /t/<team>/. `action` is asked before a GET, `post_action` before a POST."""

    action: RunAction
    post_action: RunAction | None = None
    template_name = ""

    @cached_property
    def team(self) -> Team:
        team = team_member_of(self.actor, self.kwargs["team"])
        is_write = self.request.method == "POST"
        policy.require(self.actor, self.post_action if is_write and self.post_action else self.action, team)
        return team

    def page(self, request: HttpRequest, status: int = 200, **context: Any) -> HttpResponse:
        """Render the page's template with the team."""
        return render(request, self.template_name, {"team": self.team, **context}, status=status)
