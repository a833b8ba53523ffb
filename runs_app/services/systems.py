"""Registering systems under test and their versions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.canonical import canonical_json
from core_app.errors import Conflict, FieldError, Invalid
from core_app.services import audit_record
from runs_app.models import System, SystemVersion
from runs_app.policies import RunAction, policy
from teams_app.models import Team, slug_validator

MAX_CONFIG_CHARS = 64_000
#: A label stands after the `@` of a reference, so it keeps to what a URL carries unescaped.
_LABEL = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._+-]{0,79}$")


def check_slug(slug: str, pointer: str) -> None:
    """Raise `Invalid` where the text is not a short name."""
    try:
        slug_validator(slug)
    except ValidationError as error:
        raise Invalid(
            _("Some fields are not valid."), errors=[FieldError(pointer, "slug", str(error.messages[0]))]
        ) from None


@transaction.atomic
def system_get_or_create(
    *, actor: Actor, team: Team, slug: str, name: str = "", description: str = ""
) -> tuple[System, bool]:
    """Return the team's system of this short name, and whether it is new.

    An existing system keeps its name and description. Raises `Invalid` for a malformed short name, `Forbidden` where a
    new one would have to be made by somebody who may not.
    """
    policy.require(actor, RunAction.SYSTEM_VIEW, team)
    system = System.objects.filter(team=team, slug=slug).select_related("team").first()
    if system is not None:
        return system, False
    policy.require(actor, RunAction.SYSTEM_EDIT, team)
    check_slug(slug, "/slug")
    try:
        with transaction.atomic():
            system = System.objects.create(team=team, slug=slug, name=(name or slug)[:200], description=description)
    except IntegrityError:
        return System.objects.select_related("team").get(team=team, slug=slug), False
    audit_record(actor=actor, action="system.create", obj=system, team_id=team.pk, after={"ref": system.ref})
    return system, True


@transaction.atomic
def system_version_get_or_create(
    *,
    actor: Actor,
    system: System,
    label: str,
    change: str = "",
    git_sha: str = "",
    config: Mapping[str, Any] | None = None,
) -> tuple[SystemVersion, bool]:
    """Return the system's version of this label, and whether it is new.

    A label means one configuration for good: the same label with another configuration or commit is a `Conflict` whose
    errors name what differs. What the caller leaves out is not compared.
    """
    policy.require(actor, RunAction.SYSTEM_VIEW, system)
    version = SystemVersion.objects.filter(system=system, label=label).select_related("system__team").first()
    if version is None:
        version, created = _version_create(actor, system, label, change, git_sha, config)
        if created:
            return version, True
    differing = _differences(version, git_sha=git_sha, config=config)
    if differing:
        raise Conflict(
            _("Version %(label)s of this system exists with another configuration. Give the new one its own label.")
            % {"label": label},
            code="system_version_differs",
            errors=[FieldError(f"/system/{path}", "differs", _("registered with another value")) for path in differing],
        )
    return version, False


def _version_create(
    actor: Actor, system: System, label: str, change: str, git_sha: str, config: Mapping[str, Any] | None
) -> tuple[SystemVersion, bool]:
    policy.require(actor, RunAction.SYSTEM_EDIT, system)
    errors = []
    if not _LABEL.match(label):
        errors.append(
            FieldError("/system/version", "label", _("Use letters, digits and . _ + - only; at most 80 characters."))
        )
    if len(git_sha) > 64:
        errors.append(FieldError("/system/git_sha", "too_long", _("At most 64 characters.")))
    if config is not None and len(canonical_json(dict(config))) > MAX_CONFIG_CHARS:
        errors.append(FieldError("/system/config", "too_large", _("The configuration is too large.")))
    if errors:
        raise Invalid(_("Some fields are not valid."), errors=errors)
    try:
        with transaction.atomic():
            version = SystemVersion.objects.create(
                system=system, label=label, change=change, git_sha=git_sha, config=dict(config or {})
            )
    except IntegrityError:
        return SystemVersion.objects.select_related("system__team").get(system=system, label=label), False
    audit_record(
        actor=actor,
        action="system.version.create",
        obj=version,
        team_id=system.team_id,
        after={"ref": version.ref, "change": change[:500], "git_sha": git_sha},
    )
    return version, True


def _differences(version: SystemVersion, *, git_sha: str, config: Mapping[str, Any] | None) -> list[str]:
    """Return the paths (`git_sha`, `config/chunk_size`) at which what is asked differs from what is registered."""
    found = []
    if git_sha and git_sha != version.git_sha:
        found.append("git_sha")
    if config is not None:
        asked = dict(config)
        for key in sorted({*asked, *version.config}):
            same = key in asked and key in version.config
            if not same or canonical_json(asked[key]) != canonical_json(version.config[key]):
                found.append(f"config/{key}")
    return found
