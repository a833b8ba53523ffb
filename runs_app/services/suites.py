"""Suites: which metrics a run is scored with. Each change makes a new, immutable version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.canonical import canonical_json
from core_app.errors import Conflict, FieldError, Invalid
from core_app.services import audit_record
from runs_app.models import Suite, SuiteVersion
from runs_app.policies import RunAction, policy
from runs_app.services.suite_settings import is_number, settings_validated
from runs_app.services.systems import check_slug
from scoring.errors import ScoringError
from scoring.identity import MetricIdentity
from scoring.registry import METRICS, identity, spec_of
from teams_app.models import Team

DEFAULT_SLUG = "default"
MAX_METRICS = 200


def default_metrics() -> list[str]:
    """Return the identities of the suite that every team begins with: retrieval by stage, answering, refusals."""
    asked: list[tuple[str, str | None, dict[str, Any]]] = [
        ("retrieval.hit", "coarse", {"k": 50}),
        ("retrieval.hit", "coarse", {"k": 5}),
        ("retrieval.recall", "coarse", {"k": 20}),
        ("retrieval.evidence_recall", "coarse", {"k": 20}),
        ("retrieval.hit", "reranked", {"k": 5}),
        ("retrieval.recall", "reranked", {"k": 10}),
        ("retrieval.evidence_recall", "reranked", {"k": 10}),
        ("retrieval.precision", "reranked", {"k": 5}),
        ("retrieval.mrr", "reranked", {"k": 10}),
        ("retrieval.ndcg", "reranked", {"k": 10}),
        ("retrieval.ap", "reranked", {"k": 10}),
        ("retrieval.hit", "prompt", {"k": 10}),
        ("retrieval.recall", "prompt", {"k": 10}),
        ("retrieval.precision", "prompt", {"k": 5}),
        ("retrieval.evidence_recall", "prompt", {"k": 10}),
        ("retrieval.evidence_complete", "prompt", {"k": 10}),
        ("answers.task_success", None, {}),
        ("answers.correct", None, {}),
        ("refusal.coverage", None, {}),
        ("refusal.false_accept", None, {}),
        ("refusal.false_refusal", None, {}),
        ("refusal.risk", None, {}),
        ("refusal.truthfulness", None, {}),
        ("citations.locatable", None, {}),
    ]
    return [identity(name, stage=stage, **params).text for name, stage, params in asked]


def metrics_validated(metrics: Sequence[Any], theta: Any = None) -> list[str]:
    """Return canonical identity texts, in the given order; raises `Invalid` with a pointer for each bad one.

    Each metric is an identity text (`retrieval.ndcg@10 gain=linear stage=reranked v1`) or an object with `name`,
    `stage` and the parameters; such an object takes `theta` where it gives none itself. Hidden defaults and order of
    parameters are brought to the canonical form.
    """
    errors: list[FieldError] = []
    texts: list[str] = []
    if not isinstance(metrics, Sequence) or isinstance(metrics, str) or not metrics:
        raise Invalid(
            _("A suite needs at least one metric."),
            errors=[FieldError("/metrics", "required", _("Give a list of metrics."))],
        )
    if len(metrics) > MAX_METRICS:
        raise Invalid(
            _("A suite holds at most %(limit)s metrics.") % {"limit": MAX_METRICS},
            errors=[FieldError("/metrics", "too_many", str(len(metrics)))],
        )
    for index, given in enumerate(metrics):
        pointer = f"/metrics/{index}"
        try:
            text = _canonical(given, theta)
        except (ScoringError, TypeError, ValueError, ArithmeticError) as error:
            errors.append(FieldError(pointer, "metric", str(error)))
            continue
        if text in texts:
            errors.append(FieldError(pointer, "duplicate", _("This metric stands in the list twice.")))
            continue
        texts.append(text)
    if errors:
        raise Invalid(_("Some metrics are not valid."), errors=errors)
    return texts


def _canonical(given: Any, theta: Any) -> str:
    if isinstance(given, str):
        parsed = MetricIdentity.parse(given)
    elif isinstance(given, Mapping) and isinstance(given.get("name"), str):
        params = {str(key): value for key, value in given.items() if key not in {"name", "stage"}}
        spec = METRICS.get(given["name"])
        if theta is not None and spec is not None and any(one.name == "theta" for one in spec.parameters):
            params.setdefault("theta", theta)
        parsed = identity(given["name"], stage=given.get("stage"), **params)
    else:
        raise ValueError(_("A metric is an identity text, or an object with a name."))
    spec, checked = spec_of(parsed)
    return spec.identity(stage=parsed.stage, **checked).text


def _checked(metrics: Sequence[Any], settings: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
    theta = settings.get("theta")
    texts = metrics_validated(metrics, theta if is_number(theta, 0, 1) else None)
    return texts, settings_validated(settings, texts)


@transaction.atomic
def suite_create(
    *,
    actor: Actor,
    team: Team,
    slug: str,
    name: str = "",
    metrics: Sequence[Any],
    settings: Mapping[str, Any] | None = None,
) -> SuiteVersion:
    """Create a suite with its first version, which is returned; `Conflict` where the short name is taken."""
    policy.require(actor, RunAction.SUITE_EDIT, team)
    check_slug(slug, "/slug")
    texts, checked = _checked(metrics, settings or {})
    try:
        with transaction.atomic():
            suite = Suite.objects.create(team=team, slug=slug, name=(name or slug)[:200])
    except IntegrityError:
        raise Conflict(_("The team has a suite of this name."), code="exists") from None
    version = SuiteVersion.objects.create(
        suite=suite, number=1, metrics=texts, settings=checked, created_by_label=actor.label
    )
    audit_record(
        actor=actor, action="suite.create", obj=suite, team_id=team.pk, after={"ref": version.ref, "metrics": texts}
    )
    return version


@transaction.atomic
def suite_version_create(
    *, actor: Actor, suite: Suite, metrics: Sequence[Any], settings: Mapping[str, Any] | None = None
) -> SuiteVersion:
    """Add a version; an unchanged list of metrics and settings returns the newest version as it is."""
    policy.require(actor, RunAction.SUITE_EDIT, suite)
    newest = suite.versions.order_by("-number").first()
    texts, checked = _checked(metrics, settings if settings is not None else (newest.settings if newest else {}))
    if newest and newest.metrics == texts and canonical_json(newest.settings) == canonical_json(checked):
        return newest
    try:
        with transaction.atomic():
            version = SuiteVersion.objects.create(
                suite=suite,
                number=(newest.number if newest else 0) + 1,
                metrics=texts,
                settings=checked,
                created_by_label=actor.label,
            )
    except IntegrityError:
        raise Conflict(_("Somebody else has just made this version. Load the suite again.")) from None
    audit_record(
        actor=actor,
        action="suite.version.create",
        obj=suite,
        team_id=suite.team_id,
        before={"ref": newest.ref, "metrics": newest.metrics} if newest else None,
        after={"ref": version.ref, "metrics": texts},
    )
    return version


def default_suite(team: Team, *, actor: Actor) -> SuiteVersion:
    """Return the newest version of the team's suite `default`, made on demand by whoever may edit suites."""
    version = (
        SuiteVersion.objects.filter(suite__team=team, suite__slug=DEFAULT_SLUG)
        .select_related("suite__team")
        .order_by("-number")
        .first()
    )
    if version is not None:
        return version
    try:
        return suite_create(
            actor=actor, team=team, slug=DEFAULT_SLUG, name=_("Default suite"), metrics=default_metrics()
        )
    except Conflict:
        return SuiteVersion.objects.filter(suite__team=team, suite__slug=DEFAULT_SLUG).latest("number")
