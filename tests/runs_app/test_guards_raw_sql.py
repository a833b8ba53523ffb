"""Raw SQL against every guarded table: update, delete, insert, moving rows in, replacing, truncating."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from core_app.models import AuditEvent, AuditSeal
from core_app.services import audit_seal_pending
from datasets_app.models import (
    DatasetVersion,
    DocumentVersion,
    ExposureEntry,
    Item,
    ItemRevision,
    Snapshot,
    VersionEntry,
)
from datasets_app.services import snapshot_create
from runs_app.models import (
    Aggregate,
    AnswerThreshold,
    Comparison,
    GateCheck,
    GatePolicy,
    Output,
    Run,
    Score,
    SuiteVersion,
    SystemVersion,
)
from runs_app.services.comparisons import comparison_create
from runs_app.services.gates import gate_check, gate_create, gate_policy_activate
from runs_app.services.thresholds import threshold_choose
from tests.conftest import Cast
from tests.datasets_app.factories import make_corpus, make_dataset, make_frozen
from tests.runs_app.factories import answers, make_completed_run, make_run, make_system_version, push

pytestmark = pytest.mark.django_db


@pytest.fixture
def world(cast: Cast) -> dict[type[models.Model], models.Model]:
    """Return one guarded row of each guarded table."""
    corpus = make_corpus(cast)
    version = make_frozen(cast, dataset=make_dataset(cast, corpus=corpus))
    run = make_completed_run(cast, version, fields={"confidence": 0.9})
    frozen_run = make_completed_run(cast, version, split="frozen")
    other = make_completed_run(cast, version, system_version=make_system_version(cast, "v2"))
    editor, steward = cast.actor("editor"), cast.actor("steward")
    gate = gate_create(
        actor=editor, team=cast.team, slug="g", rules=[{"kind": "floor", "metric": "answers.correct", "limit": 0.5}]
    )
    policy = gate_policy_activate(actor=steward, gate=gate, version=1)
    audit_seal_pending()
    rows: list[Any] = [
        version,
        version.entries.filter(split="frozen").first(),
        ItemRevision.objects.first(),
        Item.objects.filter(protected_at__isnull=False).first(),
        DocumentVersion.objects.first(),
        snapshot_create(actor=editor, corpus=corpus, name="s", as_of=timezone.now()),
        ExposureEntry.objects.filter(run_ref=frozen_run.public_id).first(),
        run,
        run.outputs.first(),
        run.scores.filter(value__isnull=False).first(),
        run.aggregates.first(),
        run.suite_version,
        run.system_version,
        threshold_choose(actor=editor, system=run.system_version.system, run=run, max_risk=1.0),
        comparison_create(actor=editor, baseline=run, candidate=other),
        policy,
        gate_check(actor=editor, gate=gate, run=run),
        AuditEvent.objects.first(),
        AuditSeal.objects.first(),
    ]
    return {type(row): row for row in rows}


CHANGES: list[tuple[type[models.Model], str, Any]] = [
    (DatasetVersion, "note", "x"),
    (DatasetVersion, "status", "draft"),
    (DatasetVersion, "content_sha256", "0" * 64),
    (DatasetVersion, "number", 99),
    (DatasetVersion, "frozen_at", None),
    (VersionEntry, "split", "dev"),
    (VersionEntry, "facets", "x"),
    (ItemRevision, "question", "x"),
    (ItemRevision, "reviewed_by_label", "x"),
    (Item, "external_id", "x"),
    (Item, "protected_at", None),
    (Item, "public_id", "x"),
    (DocumentVersion, "text", "x"),
    (Snapshot, "name", "x"),
    (ExposureEntry, "reason", "x"),
    (Run, "status", "scoring"),
    (Run, "scores_sha256", "x"),
    (Run, "warnings", []),
    (Output, "answer", "x"),
    (Score, "value", 0.123),
    (Aggregate, "value", 0.123),
    (SuiteVersion, "metrics", []),
    (SystemVersion, "config", {"x": 1}),
    (SystemVersion, "label", "x"),
    (AnswerThreshold, "threshold", 0.0),
    (Comparison, "comparable", False),
    (GatePolicy, "rules", []),
    (GateCheck, "verdict", "pass"),
    (AuditEvent, "action", "x"),
    (AuditSeal, "hash", "x"),
]


def refused(act: Callable[[], Any], what: str = "") -> None:
    try:
        with transaction.atomic():
            act()
    except IntegrityError:
        return
    pytest.fail(f"not refused: {what}")


def test_every_update_is_refused(world: dict[type[models.Model], models.Model]) -> None:
    for model, field, value in CHANGES:
        rows = model._default_manager.filter(pk=world[model].pk)
        before = rows.values().get()
        refused(lambda rows=rows, change={field: value}: rows.update(**change), f"{model.__name__}.{field}")
        assert rows.values().get() == before


DELETED = sorted({model for model, _field, _value in CHANGES} - {DocumentVersion, Snapshot, SystemVersion}, key=str)


def test_every_delete_is_refused(world: dict[type[models.Model], models.Model]) -> None:
    for model in DELETED:
        row, meta = world[model], model._meta
        with connection.cursor() as cursor:
            sql = f"DELETE FROM {meta.db_table} WHERE {meta.pk.column} = %s"
            refused(lambda sql=sql, row=row: cursor.execute(sql, [row.pk]), model.__name__)
        assert model._default_manager.filter(pk=row.pk).exists()


def test_every_truncate_is_refused(world: dict[type[models.Model], models.Model]) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no TRUNCATE")
    connection.check_constraints()  # PostgreSQL truncates no table whose foreign keys wait to be checked
    for model in DELETED:
        with connection.cursor() as cursor:
            sql = f"TRUNCATE {model._meta.db_table} CASCADE"
            refused(lambda sql=sql: cursor.execute(sql), model.__name__)
        assert model._default_manager.exists()


def test_replacing_by_any_unique_key_is_refused(world: dict[type[models.Model], models.Model]) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite has INSERT OR REPLACE")
    for model in DELETED:
        row, meta = world[model], model._meta
        names = {field.column: f'"{field.column}"' for field in meta.concrete_fields}
        keys = [names[meta.pk.column]]
        if meta.constraints or any(field.unique and not field.primary_key for field in meta.fields):
            # Under another primary key, the row stands in the way by its other unique key.
            keys.append(f"{keys[0]} + 1000000")
        for key in keys:
            chosen = ", ".join({**names, meta.pk.column: key}.values())
            sql = f"INSERT OR REPLACE INTO {meta.db_table} ({', '.join(names.values())}) SELECT {chosen} FROM "
            sql += f"{meta.db_table} WHERE {keys[0]} = %s"
            with connection.cursor() as cursor:
                refused(lambda sql=sql, row=row: cursor.execute(sql, [row.pk]), f"{model.__name__} {key}")
        assert model._default_manager.filter(pk=row.pk).exists()


@pytest.mark.parametrize("model", [Output, Score, Aggregate], ids=lambda model: model.__name__)
def test_no_row_is_moved_into_a_completed_run(
    cast: Cast, world: dict[type[models.Model], models.Model], model: type[models.Model]
) -> None:
    run: Any = world[Run]
    open_run = make_run(cast, run.dataset_version, repeats=2)
    push(open_run, [row for row in answers(open_run) if row["repeat"] == 2])
    output = open_run.outputs.first()
    score: Any = world[Score]
    made: Any = {
        Output: lambda: output,
        Score: lambda: Score.objects.create(run=open_run, output=output, metric=score.metric, state="no_gold"),
        Aggregate: lambda: Aggregate.objects.create(
            run=open_run, metric=score.metric, group="tag", group_value="x", n_scored=0, n_total=0
        ),
    }[model]()
    refused(lambda: model._default_manager.filter(pk=made.pk).update(run=run))


def test_an_entry_is_not_moved_into_a_frozen_version(world: dict[type[models.Model], models.Model]) -> None:
    version: Any = world[DatasetVersion]
    draft = DatasetVersion.objects.create(dataset=version.dataset, number=2)
    item = Item.objects.create(dataset=version.dataset, external_id="new")
    revision: Any = world[ItemRevision]
    entry = VersionEntry.objects.create(version=draft, item=item, revision=revision, split="dev")
    refused(lambda: VersionEntry.objects.filter(pk=entry.pk).update(version=version))


def test_what_may_change_still_may(world: dict[type[models.Model], models.Model]) -> None:
    policy: Any = world[GatePolicy]
    assert GatePolicy.objects.filter(pk=policy.pk).update(status="superseded") == 1
    system_version: Any = world[SystemVersion]
    assert SystemVersion.objects.filter(pk=system_version.pk).update(change="told better") == 1
    item: Any = world[Item]
    assert Item.objects.filter(pk=item.pk).update(released_at=timezone.now()) == 1
    version: Any = world[DatasetVersion]
    assert DatasetVersion.objects.filter(pk=version.pk).update(status="retired", retired_at=timezone.now()) == 1
