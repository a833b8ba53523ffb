"""What a run can be started with."""

from __future__ import annotations

from django.db.models import QuerySet

from core_app.actors import Actor
from datasets_app import policies as dataset_policies
from datasets_app.models import DatasetVersion
from runs_app.models import Suite, SystemVersion
from runs_app.policies import policy
from teams_app.models import Team


def start_choices(
    actor: Actor, team: Team
) -> tuple[QuerySet[DatasetVersion], QuerySet[SystemVersion], QuerySet[Suite]]:
    """Return the team's dataset versions, system versions and suites that the actor may view, newest first."""
    versions = dataset_policies.policy.visible_to(actor, DatasetVersion.objects.select_related("dataset__team"))
    systems = policy.visible_to(actor, SystemVersion.objects.select_related("system__team"))
    suites = policy.visible_to(actor, Suite.objects.select_related("team"))
    return (
        versions.filter(dataset__team=team).order_by("-id"),
        systems.filter(system__team=team).order_by("-id"),
        suites.filter(team=team).order_by("slug"),
    )
