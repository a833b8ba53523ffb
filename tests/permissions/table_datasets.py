"""Who may do what with evaluation sets and corpora."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone

from core_app.roles import Role
from datasets_app.services import draft_get_or_create, exposure_extend, exposure_record, item_approve, snapshot_create
from datasets_app.states import ExposureUse, Level
from tests.conftest import Cast
from tests.datasets_app.factories import fill, grant, make_corpus, make_dataset, make_frozen, native
from tests.permissions.harness import Expectation, form, page, rest

APPS = ("datasets_app",)

READ, WRITE, STEWARD = "datasets:read", "datasets:write", "datasets:steward"
_EXPIRES = (timezone.now() + timedelta(days=20)).isoformat()
_NOTE = {"note": "why"}
_ROWS = '{"external_id": "new-1", "question": "Is it new?"}\n'
_DOCUMENTS = '{"doc_id": "n1", "versions": [{"version_id": "1", "text": "New."}]}\n'
_NDJSON = "application/x-ndjson"


def seed(cast: Cast) -> dict[str, Any]:
    corpus = make_corpus(cast, "matrix-kb")
    snapshot_create(actor=cast.actor("editor"), corpus=corpus, name="now", as_of=timezone.now())
    dataset = make_dataset(cast, "matrix-qa", corpus=corpus)
    frozen = make_frozen(cast, dataset=dataset)
    made = grant(cast, dataset, "viewer", Level.RUN)
    exposure_record(actor=cast.actor("steward"), version=frozen, split="frozen", use=ExposureUse.READ, items=1)
    exposure_extend(actor=cast.actor("steward"), version=frozen, runs=2, reason="why")
    draft = draft_get_or_create(actor=cast.actor("editor"), dataset=dataset)
    fill(cast, draft, [native(77, source="llm_generated")])
    item = draft.entries.get(item__external_id="q-0077").item
    item_approve(actor=cast.actor("steward"), version=draft, item=item)
    waiting = make_frozen(cast, dataset=make_dataset(cast, "other-qa"))
    in_review = draft_get_or_create(actor=cast.actor("editor"), dataset=waiting.dataset)
    type(in_review).objects.filter(pk=in_review.pk).update(
        status="in_review", submitted_by_key=cast.actor("second_steward").key
    )
    review = {"dataset": "other-qa", "number": in_review.number}
    ref = "support/matrix-qa"
    return {
        "team": "support",
        "dataset": "matrix-qa",
        "number": draft.number,
        "corpus": "matrix-kb",
        "item": item.public_id,
        "grant": made.public_id,
        "document": "d1",
        "datasets:reopen": review,
        "datasets:approve": review,
        "datasets:retire": {"number": frozen.number},
        **{f"api:datasets-{name}": {"dataset": ref} for name in ("detail", "imports", "versions", "grants", "grant")},
        **{
            f"api:versions-{name}": {"version": f"{ref}@draft"}
            for name in ("detail", "submit", "freeze", "items", "questions", "export", "exposure", "detectable")
        },
        **{f"api:versions-exposure-{name}": {"version": f"{ref}@latest"} for name in ("budget", "extensions")},
        "api:versions-diff": {"version": f"{ref}@1", "other": f"{ref}@2"},
        "api:versions-reopen": {"version": "support/other-qa@draft"},
        "api:versions-approve": {"version": "support/other-qa@draft"},
        "api:versions-retire": {"version": f"{ref}@latest"},
        **{f"api:corpora-{name}": {"corpus": "support/matrix-kb"} for name in ("detail", "documents", "snapshots")},
    }


_ITEM = {"question": "Is it edited?", "split": "dev", "rest": "{}"}
_GRANT = {"holder": "user:annotator", "level": "run", "days": "3", "reason": "why"}
_NEW = {"team": "support", "slug": "new-one", "name": "New"}

TABLE = {
    "datasets:list": {"GET": page(Role.VIEWER)},
    "datasets:create": {"GET": page(Role.EDITOR), "POST": form(Role.EDITOR, {"slug": "new-one", "name": "New"})},
    "datasets:detail": {"GET": page(Role.VIEWER)},
    "datasets:settings": {"GET": page(Role.EDITOR), "POST": form(Role.EDITOR, {"name": "Renamed"})},
    "datasets:begin-draft": {"POST": form(Role.EDITOR, {})},
    "datasets:import": {
        "GET": page(Role.EDITOR),
        "POST": form(Role.EDITOR, {"body": _ROWS, "step": "import", "split": "dev", "on_error": "abort"}),
    },
    "datasets:access": {"GET": page(Role.STEWARD), "POST": form(Role.STEWARD, _GRANT)},
    "datasets:grant-revoke": {"POST": form(Role.STEWARD, {})},
    "datasets:exposure": {
        "GET": page(Role.VIEWER),
        "POST": form(Role.STEWARD, {"step": "extend", "runs": "3", "reason": "why"}),
    },
    "datasets:sample-size": {"GET": page(Role.VIEWER)},
    "datasets:version": {"GET": page(Role.VIEWER)},
    "datasets:freeze": {"GET": page(Role.STEWARD), "POST": form(Role.STEWARD, _NOTE)},
    "datasets:submit": {"POST": form(Role.EDITOR, {})},
    "datasets:reopen": {"POST": form(Role.EDITOR, {})},
    "datasets:approve": {"POST": form(Role.STEWARD, {})},
    "datasets:retire": {"POST": form(Role.STEWARD, {})},
    "datasets:diff": {"GET": page(Role.VIEWER)},
    "datasets:export": {"GET": page(Role.VIEWER)},
    "datasets:items": {"GET": page(Role.VIEWER)},
    "datasets:item": {"GET": page(Role.VIEWER)},
    "datasets:item-edit": {"GET": page(Role.EDITOR), "POST": form(Role.EDITOR, _ITEM)},
    "datasets:item-approve": {"POST": form(Role.EDITOR, {})},
    "datasets:item-remove": {"POST": form(Role.EDITOR, {})},
    "datasets:corpora": {"GET": page(Role.VIEWER)},
    "datasets:corpus-create": {"GET": page(Role.EDITOR), "POST": form(Role.EDITOR, {"slug": "new-one", "name": "New"})},
    "datasets:corpus": {"GET": page(Role.VIEWER), "POST": form(Role.EDITOR, {}, allowed=422)},
    "datasets:corpus-snapshot": {"POST": form(Role.EDITOR, {"name": "then", "as_of": "2026-01-01T00:00"})},
    "datasets:corpus-document": {"GET": page(Role.VIEWER)},
    "api:datasets": {
        "GET": rest(Role.VIEWER, READ, anyone=True),
        "POST": rest(Role.EDITOR, WRITE, 201, data=_NEW),
    },
    "api:datasets-detail": {"GET": rest(Role.VIEWER, READ)},
    "api:datasets-imports": {"POST": rest(Role.EDITOR, WRITE, 201, data=_ROWS, content_type=_NDJSON)},
    "api:datasets-versions": {"GET": rest(Role.VIEWER, READ), "POST": rest(Role.EDITOR, WRITE, 201)},
    "api:datasets-grants": {
        "GET": rest(Role.STEWARD, STEWARD),
        "POST": rest(
            Role.STEWARD,
            STEWARD,
            201,
            data={"user": "annotator", "level": "run", "reason": "why", "expires_at": _EXPIRES},
        ),
    },
    "api:datasets-grant": {"DELETE": rest(Role.STEWARD, STEWARD)},
    "api:versions-detail": {"GET": rest(Role.VIEWER, READ)},
    "api:versions-submit": {"POST": rest(Role.EDITOR, WRITE, data=_NOTE)},
    "api:versions-reopen": {"POST": rest(Role.EDITOR, WRITE, data={"reason": "why"})},
    "api:versions-freeze": {"POST": rest(Role.STEWARD, STEWARD, data=_NOTE)},
    "api:versions-approve": {"POST": rest(Role.STEWARD, STEWARD, data=_NOTE)},
    "api:versions-retire": {"POST": rest(Role.STEWARD, STEWARD, data={"reason": "why"})},
    "api:versions-items": {"GET": rest(Role.VIEWER, READ, query="?split=dev")},
    "api:versions-questions": {"GET": rest(Role.VIEWER, READ, query="?split=dev")},
    "api:versions-export": {"GET": rest(Role.VIEWER, READ, query="?split=dev")},
    "api:versions-diff": {"GET": rest(Role.VIEWER, READ)},
    "api:versions-exposure": {"GET": rest(Role.VIEWER, READ)},
    "api:versions-exposure-budget": {
        "GET": rest(Role.VIEWER, READ),
        "PUT": rest(Role.STEWARD, STEWARD, data={"runs_per_period": 5, "period_days": 7, "runs_lifetime": 50}),
    },
    "api:versions-exposure-extensions": {
        "GET": rest(Role.VIEWER, READ),
        "POST": rest(Role.STEWARD, STEWARD, 201, data={"runs": 3, "reason": "why"}),
    },
    "api:versions-detectable": {"GET": rest(Role.VIEWER, READ)},
    "api:statistics-sample-size": {
        "POST": Expectation(anyone=True, data={"wanted_difference": 0.05, "baseline_rate": 0.8})
    },
    "api:corpora": {"GET": rest(Role.VIEWER, READ, anyone=True), "POST": rest(Role.EDITOR, WRITE, 201, data=_NEW)},
    "api:corpora-detail": {"GET": rest(Role.VIEWER, READ)},
    "api:corpora-documents": {
        "GET": rest(Role.VIEWER, READ),
        "POST": rest(Role.EDITOR, WRITE, 201, data=_DOCUMENTS, content_type=_NDJSON),
    },
    "api:corpora-snapshots": {
        "GET": rest(Role.VIEWER, READ),
        "POST": rest(Role.EDITOR, WRITE, 201, data={"name": "then", "as_of": "2026-01-01T00:00:00Z"}),
    },
}
