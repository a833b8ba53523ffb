"""What the base layout needs on every page: the person's teams and the team being looked at."""

from typing import Any

from django.http import HttpRequest

from teams_app.models import Team


def navigation(request: HttpRequest) -> dict[str, Any]:
    actor = getattr(request, "actor", None)
    if actor is None or not request.user.is_authenticated:
        return {"nav_teams": [], "nav_team": None}
    teams = list(Team.objects.of(actor).order_by("name"))
    match = getattr(request, "resolver_match", None)
    slug = match.kwargs.get("team") if match else None
    return {"nav_teams": teams, "nav_team": next((team for team in teams if team.slug == slug), None)}
