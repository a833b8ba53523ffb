"""Starting a run by references: what is named is found or registered, and all of it happens or none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import FieldError, Invalid, NotFound
from datasets_app import selectors as dataset_selectors
from datasets_app.models import DatasetVersion
from runs_app.models import Run, SuiteVersion, SystemVersion
from runs_app.policies import RunAction, policy
from runs_app.selectors.systems import suite_version_by_ref, system_by_ref, system_version_by_ref
from runs_app.services.runs import run_create
from runs_app.services.suites import DEFAULT_SLUG, default_suite
from runs_app.services.systems import system_get_or_create, system_version_get_or_create


def dataset_version_of(actor: Actor, ref: str) -> DatasetVersion:
    """Return the version that a reference names; a dataset without a version means its newest frozen one."""
    return dataset_selectors.version_by_ref(actor, f"{ref}@latest" if "/" in ref and "@" not in ref else ref)


def _system_version(actor: Actor, version: DatasetVersion, given: str | Mapping[str, Any]) -> SystemVersion:
    if isinstance(given, str):
        return system_version_by_ref(actor, given)
    ref, label = str(given.get("ref", "")), str(given.get("version", ""))
    if not ref or not label:
        missing = "ref" if not ref else "version"
        raise Invalid(
            _("Name the system and its version."),
            errors=[FieldError(f"/system/{missing}", "required", _("This field is needed."))],
        )
    try:
        system = system_by_ref(actor, ref)
    except NotFound:
        team_slug, slash, slug = ref.partition("/")
        if not slash or team_slug != version.dataset.team.slug:
            raise
        # A pipeline may register its system with its first run.
        system, _made = system_get_or_create(
            actor=actor, team=version.dataset.team, slug=slug, name=str(given.get("name", ""))
        )
    system_version, _made = system_version_get_or_create(
        actor=actor,
        system=system,
        label=label,
        change=str(given.get("change") or ""),
        git_sha=str(given.get("git_sha") or ""),
        config=given.get("config"),
    )
    return system_version


@transaction.atomic
def run_start(
    *,
    actor: Actor,
    dataset: str,
    split: str,
    system: str | Mapping[str, Any],
    tier: str = "",
    suite: str = "",
    snapshot: str = "",
    repeats: int = 1,
    judge_repeats: int = 1,
    purpose: str = "",
) -> Run:
    """Create a run from references. A system or version that is new is registered, the default suite made on demand.

    Raises what `run_create` raises; `NotFound` for an unknown reference.
    """
    version = dataset_version_of(actor, dataset)
    policy.require(actor, RunAction.START, version.dataset.team)
    team = version.dataset.team
    suite_version: SuiteVersion = (
        default_suite(team, actor=actor)
        if suite in {"", f"{team.slug}/{DEFAULT_SLUG}"}
        else suite_version_by_ref(actor, suite)
    )
    return run_create(
        actor=actor,
        dataset_version=version,
        split=split,
        tier=tier,
        suite_version=suite_version,
        system_version=_system_version(actor, version, system),
        snapshot=dataset_selectors.snapshot_by_ref(actor, snapshot) if snapshot else None,
        repeats=repeats,
        judge_repeats=judge_repeats,
        purpose=purpose,
    )
