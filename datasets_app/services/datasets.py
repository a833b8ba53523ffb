"""Datasets."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import FieldError, Invalid
from core_app.services import audit_record
from datasets_app.models import Corpus, Dataset, DatasetVersion
from datasets_app.policies import DatasetAction, policy
from datasets_app.services.base import create_checked
from teams_app.models import Team


def _check_corpus(actor: Actor, team: Team, corpus: Corpus | None) -> None:
    if corpus is None:
        return
    policy.require(actor, DatasetAction.CORPUS_VIEW, corpus)
    if corpus.team_id != team.pk:
        fault = FieldError("/corpus", "other_team", _("The corpus belongs to another team."))
        raise Invalid(_("Some fields are not valid."), errors=[fault])


@transaction.atomic
def dataset_create(
    *,
    actor: Actor,
    team: Team,
    slug: str,
    name: str,
    language: str = "",
    description: str = "",
    corpus: Corpus | None = None,
) -> Dataset:
    """Create a dataset with an empty draft, version 1. Raises `Invalid`, or `Conflict` where the slug is taken."""
    policy.require(actor, DatasetAction.CREATE, team)
    _check_corpus(actor, team, corpus)
    dataset = create_checked(
        Dataset(team=team, slug=slug, name=name, language=language, description=description, corpus=corpus)
    )
    DatasetVersion.objects.create(dataset=dataset, number=1)
    audit_record(
        actor=actor, action="dataset.create", obj=dataset, team_id=team.pk, label=dataset.ref, after={"name": name}
    )
    return dataset


@transaction.atomic
def dataset_update(
    *, actor: Actor, dataset: Dataset, name: str, language: str, description: str, corpus: Corpus | None
) -> Dataset:
    """Change what describes a dataset; its versions stay as they are."""
    policy.require(actor, DatasetAction.EDIT, dataset)
    _check_corpus(actor, dataset.team, corpus)
    fields = ("name", "language", "description", "corpus_id")
    before: dict[str, Any] = {field: getattr(dataset, field) for field in fields}
    dataset.name, dataset.language, dataset.description, dataset.corpus = name, language, description, corpus
    after = {field: getattr(dataset, field) for field in fields}
    dataset.save(update_fields=["name", "language", "description", "corpus"])
    audit_record(
        actor=actor,
        action="dataset.update",
        obj=dataset,
        team_id=dataset.team_id,
        label=dataset.ref,
        before={field: before[field] for field in fields if before[field] != after[field]},
        after={field: after[field] for field in fields if before[field] != after[field]},
    )
    return dataset
