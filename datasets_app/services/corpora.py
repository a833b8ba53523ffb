"""Corpora: documents with versions, and snapshots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from django.db import transaction
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.canonical import sha256_hex
from core_app.errors import FieldError, Invalid, brief
from core_app.services import audit_record
from datasets_app.imports.documents import ParsedDocument, parse_document
from datasets_app.imports.jsonl import Unreadable
from datasets_app.imports.native import MAX_FAULTS_OF_A_ROW
from datasets_app.imports.plan import CHUNK, RowError, chunks
from datasets_app.models import Corpus, Document, DocumentVersion, Snapshot
from datasets_app.policies import DatasetAction, policy
from datasets_app.services.base import create_checked
from teams_app.models import Team


@dataclass(slots=True)
class DocumentReport:
    """What an import of documents did, or with `dry_run` would do."""

    dry_run: bool
    documents_created: int = 0
    documents_updated: int = 0
    versions_created: int = 0
    versions_updated: int = 0
    unchanged: int = 0
    refused: list[RowError] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        counts = ("documents_created", "documents_updated", "versions_created", "versions_updated", "unchanged")
        names = ("line", "external_id", "pointer", "code", "detail")
        return {
            "dry_run": self.dry_run,
            **{name: getattr(self, name) for name in counts},
            "refused": [{name: getattr(row, name) for name in names} for row in self.refused[:1000]],
        }


@transaction.atomic
def corpus_create(*, actor: Actor, team: Team, slug: str, name: str) -> Corpus:
    """Create an empty corpus. Raises `Invalid`, or `Conflict` where the slug is taken."""
    policy.require(actor, DatasetAction.CORPUS_EDIT, team)
    corpus = create_checked(Corpus(team=team, slug=slug, name=name))
    audit_record(
        actor=actor, action="corpus.create", obj=corpus, team_id=team.pk, label=corpus.ref, after={"name": name}
    )
    return corpus


def _parse(rows: Iterable[tuple[int, Any]], errors: list[RowError]) -> list[tuple[int, ParsedDocument]]:
    parsed: list[tuple[int, ParsedDocument]] = []
    first: dict[str, int] = {}
    for line, raw in rows:
        if isinstance(raw, Unreadable):
            errors.append(RowError(line, "", raw.code, raw.detail))
            continue
        document, faults = parse_document(raw)
        named = raw.get("doc_id") if isinstance(raw, Mapping) else None
        name = named[:200] if isinstance(named, str) else ""
        named_faults = faults[:MAX_FAULTS_OF_A_ROW]
        errors += [RowError(line, brief(fault.pointer), fault.code, fault.detail, name) for fault in named_faults]
        if document is None:
            continue
        if document.doc_id in first:
            detail = _("Line %(line)s has the same doc_id.") % {"line": first[document.doc_id]}
            errors.append(RowError(line, "/doc_id", "duplicate", detail, name))
            continue
        first[document.doc_id] = line
        parsed.append((line, document))
    return parsed


def _changed_texts(corpus: Corpus, parsed: list[tuple[int, ParsedDocument]], errors: list[RowError]) -> None:
    """Refuse another text under the id of a stored version: evidence spans point into the old one."""
    known: dict[tuple[str, str], str] = {}
    for part in chunks([document.doc_id for _line, document in parsed]):
        rows = DocumentVersion.objects.filter(document__corpus=corpus, document__doc_id__in=part)
        for doc_id, version_id, digest in rows.values_list("document__doc_id", "version_id", "text_sha256"):
            known[doc_id, version_id] = digest
    for line, document in parsed:
        for index, version in enumerate(document.versions):
            if known.get((document.doc_id, version.version_id), version.text_sha256) != version.text_sha256:
                detail = _("The stored text of version “%(id)s” differs; give the new text a version id of its own.")
                pointer = f"/versions/{index}/text"
                message = detail % {"id": version.version_id}
                errors.append(RowError(line, pointer, "text_changed", message, document.doc_id))


def _write(corpus: Corpus, documents: list[ParsedDocument], report: DocumentReport, *, dry_run: bool) -> None:
    stored: dict[str, Document] = {}
    versions: dict[tuple[str, str], DocumentVersion] = {}
    for part in chunks([document.doc_id for document in documents]):
        stored |= {row.doc_id: row for row in Document.objects.filter(corpus=corpus, doc_id__in=part)}
        rows = DocumentVersion.objects.filter(document__corpus=corpus, document__doc_id__in=part)
        for version in rows.select_related("document").defer("text"):
            versions[version.document.doc_id, version.version_id] = version
    new_documents: list[Document] = []
    changed_documents: list[Document] = []
    new_versions: list[DocumentVersion] = []
    changed_versions: list[DocumentVersion] = []
    for document in documents:
        before = report.versions_created + report.versions_updated
        fresh = document.doc_id not in stored
        row = stored.get(document.doc_id) or Document(corpus=corpus, doc_id=document.doc_id)
        if fresh:
            new_documents.append(row)
        wanted = {"title": document.title, "language": document.language, "audience": document.audience}
        different = any(getattr(row, name) != value for name, value in wanted.items())
        for name, value in wanted.items():
            setattr(row, name, value)
        if different and not fresh:
            changed_documents.append(row)
        for parsed in document.versions:
            present = versions.get((document.doc_id, parsed.version_id))
            times = {name: getattr(parsed, name) for name in ("valid_from", "valid_to", "withdrawn_at")}
            if present is None:
                new_versions.append(
                    DocumentVersion(
                        document=row,
                        version_id=parsed.version_id,
                        text=parsed.text,
                        text_sha256=parsed.text_sha256,
                        length=len(parsed.text),
                        **times,
                    )
                )
                report.versions_created += 1
            elif any(getattr(present, name) != value for name, value in times.items()):
                for name, value in times.items():
                    setattr(present, name, value)
                changed_versions.append(present)
                report.versions_updated += 1
        report.documents_created += fresh
        report.documents_updated += different and not fresh
        if not fresh and not different and before == report.versions_created + report.versions_updated:
            report.unchanged += 1
    if dry_run:
        return
    Document.objects.bulk_create(new_documents, batch_size=CHUNK)
    Document.objects.bulk_update(changed_documents, ["title", "language", "audience"], batch_size=200)
    for version in new_versions:
        version.document_id = version.document.pk
    DocumentVersion.objects.bulk_create(new_versions, batch_size=CHUNK)
    DocumentVersion.objects.bulk_update(changed_versions, ["valid_from", "valid_to", "withdrawn_at"], batch_size=200)


@transaction.atomic
def documents_import(
    *,
    actor: Actor,
    corpus: Corpus,
    rows: Iterable[tuple[int, Any]],
    on_error: Literal["abort", "skip"] = "abort",
    dry_run: bool = False,
) -> DocumentReport:
    """Add documents and versions: `rows` are (line number, `{"doc_id", "title", "language", "audience", "versions"}`).

    A stored version's text never changes (spans point into it); its validity may. `abort` writes nothing where a row is
    refused (raises `Invalid`), `skip` writes the good rows, `dry_run` writes nothing.
    """
    policy.require(actor, DatasetAction.CORPUS_EDIT, corpus)
    corpus = Corpus.objects.select_for_update().get(pk=corpus.pk)
    report = DocumentReport(dry_run=dry_run)
    parsed = _parse(rows, report.refused)
    _changed_texts(corpus, parsed, report.refused)
    report.refused.sort(key=lambda error: error.line)
    if report.refused and on_error != "skip" and not dry_run:
        errors = [FieldError(row.pointer, row.code, row.detail, line=row.line) for row in report.refused[:1000]]
        raise Invalid(_("Some rows are refused; nothing is imported."), code="rows_refused", errors=errors)
    bad = {error.line for error in report.refused}
    good = [document for line, document in parsed if line not in bad]
    _write(corpus, good, report, dry_run=dry_run)
    if not dry_run:
        after = {key: value for key, value in report.as_dict().items() if key != "refused"}
        audit_record(
            actor=actor,
            action="documents.import",
            obj=corpus,
            team_id=corpus.team_id,
            label=corpus.ref,
            after={**after, "refused": len(bad)},
        )
    return report


@transaction.atomic
def snapshot_create(*, actor: Actor, corpus: Corpus, name: str, as_of: datetime) -> Snapshot:
    """Name the moment `as_of`: the document versions valid then. Raises `Conflict` where the name is taken."""
    policy.require(actor, DatasetAction.CORPUS_EDIT, corpus)
    rows = DocumentVersion.objects.valid_at(as_of).filter(document__corpus=corpus)
    listed = sorted(list(row) for row in rows.values_list("document__doc_id", "version_id", "text_sha256"))
    snapshot = create_checked(Snapshot(corpus=corpus, name=name, as_of=as_of, content_sha256=sha256_hex(listed)))
    audit_record(
        actor=actor,
        action="snapshot.create",
        obj=snapshot,
        team_id=corpus.team_id,
        label=f"{corpus.ref}@{name}",
        after={"as_of": as_of.isoformat(), "documents": len(listed)},
    )
    return snapshot
