"""What the base layout needs on every page: the person's teams, the team being looked at, what is not for them."""

from typing import Any

from django.http import HttpRequest

from core_app.actors import Actor
from teams_app.models import Team
from teams_app.policies import TeamAction, policy

#: The sections of the navigation that not every member may open.
GUARDED = {"tokens": TeamAction.TOKENS_VIEW, "audit": TeamAction.AUDIT_VIEW}


def navigation(request: HttpRequest) -> dict[str, Any]:
    actor = getattr(request, "actor", None)
    if actor is None or not request.user.is_authenticated:
        return {"nav_teams": [], "nav_team": None, "nav_hidden": frozenset()}
    teams = list(Team.objects.of(actor).order_by("name"))
    match = getattr(request, "resolver_match", None)
    slug = match.kwargs.get("team") if match else None
    current = next((team for team in teams if team.slug == slug), None)
    return {"nav_teams": teams, "nav_team": current, "nav_hidden": _hidden(actor, current, teams)}


def _hidden(actor: Actor, current: Team | None, teams: list[Team]) -> frozenset[str]:
    """Return the sections that would answer 403; of a person's only team where no team's page is open."""
    team = current or (teams[0] if len(teams) == 1 else None)
    if team is None:
        return frozenset()
    return frozenset(section for section, action in GUARDED.items() if not policy.can(actor, action, team))
