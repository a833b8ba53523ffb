"""Finding systems and suites by opaque id or readable reference."""

from __future__ import annotations

from typing import TypeVar

from django.db import models
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import NotFound
from runs_app.models import Suite, SuiteVersion, System, SystemVersion
from runs_app.policies import policy

M = TypeVar("M", bound=models.Model)


def split_ref(ref: str) -> tuple[str, str]:
    """Return the part before and after the last `@`; the second is empty where there is none."""
    head, _at, tail = ref.partition("@")
    return head, tail


def by_ref(actor: Actor, queryset: models.QuerySet[M], ref: str) -> M:
    """Return the row of `team/slug` or an opaque id that the actor may view."""
    if "/" in ref:
        team, slug = ref.split("/", 1)
        return policy.get_visible(actor, queryset, team__slug=team, slug=slug)
    return policy.get_visible(actor, queryset, public_id=ref)


def system_by_ref(actor: Actor, ref: str) -> System:
    """Return the system of `support/assistant` or `sys_…`; raises `NotFound` or `Forbidden`."""
    return by_ref(actor, System.objects.select_related("team"), ref)


def system_version_by_ref(actor: Actor, ref: str) -> SystemVersion:
    """Return the version of `support/assistant@v1.4`; without a label the newest. Raises `NotFound` or `Forbidden`."""
    head, label = split_ref(ref)
    system = system_by_ref(actor, head)
    versions = SystemVersion.objects.filter(system=system).select_related("system__team").order_by("-id")
    version = versions.filter(label=label).first() if label else versions.first()
    if version is None:
        raise NotFound(_("The system has no such version."))
    return version


def suite_by_ref(actor: Actor, ref: str) -> Suite:
    """Return the suite of `support/default` or `sui_…`; raises `NotFound` or `Forbidden`."""
    return by_ref(actor, Suite.objects.select_related("team"), ref)


def suite_version_by_ref(actor: Actor, ref: str) -> SuiteVersion:
    """Return the version of `support/default@2`; without a number, or with `latest`, the newest."""
    head, number = split_ref(ref)
    suite = suite_by_ref(actor, head)
    versions = SuiteVersion.objects.filter(suite=suite).select_related("suite__team").order_by("-number")
    if number and number != "latest":
        versions = versions.filter(number=int(number)) if number.isdigit() else versions.none()
    version = versions.first()
    if version is None:
        raise NotFound(_("The suite has no such version."))
    return version


def systems_visible(actor: Actor, team: str = "") -> models.QuerySet[System]:
    """Return the systems that the actor may view, of one team where its short name is given."""
    rows = policy.visible_to(actor, System.objects.select_related("team"))
    return rows.filter(team__slug=team) if team else rows


def suites_visible(actor: Actor, team: str = "") -> models.QuerySet[Suite]:
    """Return the suites that the actor may view, of one team where its short name is given."""
    rows = policy.visible_to(actor, Suite.objects.select_related("team"))
    return rows.filter(team__slug=team) if team else rows
