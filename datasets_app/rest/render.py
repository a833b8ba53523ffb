"""Rows as the calls give them; their shapes stand in `serializers`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from core_app.actors import Actor
from datasets_app.freezing import GROUPINGS
from datasets_app.models import (
    Corpus,
    Dataset,
    DatasetVersion,
    Document,
    ExposureEntry,
    ExposureExtension,
    Grant,
    Snapshot,
    VersionEntry,
)
from datasets_app.selectors import Difference, Usage, exposure_state, native_item, version_checks, version_counts
from datasets_app.states import Split


def dataset(row: Dataset) -> dict[str, Any]:
    names = ("slug", "name", "language", "description", "disclosure_limit", "created_at")
    return {
        "id": row.public_id,
        "ref": row.ref,
        "team": row.team.slug,
        **{name: getattr(row, name) for name in names},
        "corpus": row.corpus.ref if row.corpus else None,
    }


def version_brief(row: DatasetVersion) -> dict[str, Any]:
    names = ("number", "status", "note", "content_sha256", "created_at", "frozen_at", "retired_at")
    return {
        "id": row.public_id,
        "ref": row.ref,
        "dataset": row.dataset.ref,
        **{name: getattr(row, name) for name in names},
        "frozen_by": row.frozen_by_label,
    }


def version(actor: Actor, row: DatasetVersion) -> dict[str, Any]:
    """The whole version: counts, checks and exposure as the actor may see them."""
    checks = version_checks(actor, row)
    return {
        **version_brief(row),
        "parent": row.parent.number if row.parent else None,
        "counts": version_counts(row),
        "groupings": list(GROUPINGS),
        "health": [
            {
                **{name: check[name] for name in ("code", "severity", "title", "message", "mend", "count")},
                "external_ids": [entry.item.external_id for entry in check["entries"]],
            }
            for check in checks
        ],
        "exposure": {split: exposure_state(row, split).value for split in Split.values},
    }


def item(row: VersionEntry) -> dict[str, Any]:
    """The native item with what its hash is made of; only for those who may read it."""
    revision = row.revision
    extra = {"item_id": row.item.public_id, "sha256": revision.content_sha256, "nonce": revision.nonce}
    return {**native_item(row), **extra}


def question(row: VersionEntry) -> dict[str, Any]:
    """What a system needs to answer, and nothing that tells what the answer is."""
    content = row.revision.content
    return {
        "item_id": row.item.public_id,
        "question": content["question"],
        "history": content.get("history", []),
        "context": content.get("context", []),
        "language": content.get("language"),
        "query_time": content.get("query_time"),
        "audience": content.get("audience", []),
    }


def difference(row: Difference) -> dict[str, Any]:
    names = ("change", "item_id", "external_id", "before_sha256", "after_sha256")
    return {**{name: getattr(row, name) for name in names}, "fields": list(row.fields)}


def grant(row: Grant) -> dict[str, Any]:
    kind = "user" if row.user_id else "token" if row.token_id else "team"
    holder = row.user.username if row.user else row.token.public_id if row.token else row.team.slug if row.team else ""
    names = ("level", "reason", "created_at", "expires_at", "revoked_at")
    return {
        "id": row.public_id,
        "holder_kind": kind,
        "holder": holder,
        "granted_by": row.granted_by_label,
        **{name: getattr(row, name) for name in names},
    }


def exposure(row: ExposureEntry) -> dict[str, Any]:
    return {
        "use": row.use,
        "split": row.split,
        "by": row.actor_label,
        "system": row.system_ref,
        "run": row.run_ref,
        "items": row.items,
        "reason": row.reason,
        "at": row.at,
    }


def budget(usage: Usage) -> dict[str, Any]:
    return {**asdict(usage), "state": usage.state.value, "left": usage.left}


def extension(row: ExposureExtension) -> dict[str, Any]:
    return {"runs": row.runs, "reason": row.reason, "by": row.actor_label, "at": row.at}


def corpus(row: Corpus) -> dict[str, Any]:
    """Needs the counts that `selectors.corpora_of` adds."""
    return {
        "id": row.public_id,
        "ref": row.ref,
        "team": row.team.slug,
        "slug": row.slug,
        "name": row.name,
        "documents": getattr(row, "document_count", 0),
        "snapshots": getattr(row, "snapshot_count", 0),
        "created_at": row.created_at,
    }


def document(row: Document, *, text: bool) -> dict[str, Any]:
    names = ("version_id", "length", "text_sha256", "valid_from", "valid_to", "withdrawn_at")
    versions = [
        {**{name: getattr(version, name) for name in names}, **({"text": version.text} if text else {})}
        for version in row.versions.all()
    ]
    return {
        "doc_id": row.doc_id,
        "title": row.title,
        "language": row.language,
        "audience": row.audience,
        "versions": versions,
    }


def snapshot(row: Snapshot) -> dict[str, Any]:
    return {
        "ref": f"{row.corpus.ref}@{row.name}",
        "name": row.name,
        "as_of": row.as_of,
        "content_sha256": row.content_sha256,
        "created_at": row.created_at,
    }
