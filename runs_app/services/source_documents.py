"""The versions of a snapshot's documents, as far as a batch of outputs names them: those valid then, and all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from datasets_app.models import DocumentVersion, Snapshot
from scoring.types import Document, EvalItem, SystemOutput

_COLUMNS = (
    "document__doc_id", "version_id", "length", "document__audience", "valid_from", "valid_to", "withdrawn_at",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceDocuments:
    """`held`: the versions that the snapshot holds. `history`: all versions. Both None without a snapshot."""

    held: list[Document] | None = None
    history: list[Document] | None = None


def _is_valid(version: Document, moment: datetime) -> bool:
    begun = version.valid_from is None or version.valid_from <= moment
    ended = any(end is not None and end <= moment for end in (version.valid_to, version.withdrawn_at))
    return begun and not ended


def _read(row: Sequence[Any]) -> Document:
    doc_id, version_id, length, audience, *moments = row
    return Document(doc_id, version_id, length, frozenset(audience), *moments)


def dated_version(snapshot: Snapshot | None) -> Document | None:
    """Return one version of the corpus with a validity, or None where there is none."""
    if snapshot is None:
        return None
    versions = DocumentVersion.objects.filter(document__corpus_id=snapshot.corpus_id)
    dated = versions.exclude(Q(valid_from=None) & Q(valid_to=None) & Q(withdrawn_at=None))
    row = dated.order_by("pk").values_list(*_COLUMNS).first()
    return _read(row) if row else None


def source_documents(
    snapshot: Snapshot | None, outputs: Sequence[SystemOutput], dated: Document | None
) -> SourceDocuments:
    """Return the documents that these outputs retrieved or cite, with every version's validity.

    Whether the corpus dates its versions at all must not depend on which outputs happen to share a batch, so one
    `dated` version, if there is any (`dated_version`), is always among the history.
    """
    if snapshot is None:
        return SourceDocuments()
    named = {unit.doc_id for output in outputs for units in output.retrieved.values() for unit in units}
    named |= {citation.get("doc_id") for output in outputs for citation in output.citations}
    wanted = [doc_id for doc_id in named if isinstance(doc_id, str)]
    versions = DocumentVersion.objects.filter(document__corpus_id=snapshot.corpus_id, document__doc_id__in=wanted)
    history = [_read(row) for row in versions.order_by().values_list(*_COLUMNS)]
    held = [version for version in history if _is_valid(version, snapshot.as_of)]
    # A citation without a version means the one that the snapshot holds.
    held += [Document(one.doc_id, None, one.length, one.audience) for one in held]
    return SourceDocuments(held, [*history, *([dated] if dated is not None else [])])


def asked_at(item: EvalItem, snapshot: Snapshot | None) -> str | None:
    """Return when the question is asked: the item's own time, else the snapshot's moment."""
    return item.query_time or (snapshot.as_of.isoformat() if snapshot is not None else None)
