"""What an import would do: each row checked against the file, the version and the corpus before a write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice
from typing import Any, TypeVar

from django.db.models import Max
from django.utils.translation import gettext as _

from datasets_app.imports.jsonl import Unreadable
from datasets_app.imports.native import NativeItem, facets_of, parse_item
from datasets_app.models import Dataset, DatasetVersion, DocumentVersion, Item, ItemRevision, VersionEntry
from datasets_app.states import Split

CHUNK = 500
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RowError:
    """Why one row is refused: its line, a JSON pointer inside the row, a code, a sentence."""

    line: int
    pointer: str
    code: str
    detail: str
    external_id: str = ""


@dataclass(slots=True)
class Standing:
    """How an item of the dataset stands now: in this version, or only known from another."""

    item_id: int
    protected: bool
    last_number: int = 0
    entry_id: int | None = None
    split: str = ""
    tiers: list[str] = field(default_factory=list)
    content: Mapping[str, Any] | None = None
    revision_id: int | None = None
    reviewed_by: str = ""


@dataclass(slots=True)
class PlannedRow:
    """A row that will be written, and what it changes. `standing` None: a new item."""

    line: int
    item: NativeItem
    split: str
    standing: Standing | None
    new_content: bool
    new_placement: bool

    @property
    def is_new(self) -> bool:
        return self.standing is None or self.standing.entry_id is None

    @property
    def changes(self) -> bool:
        return self.is_new or self.new_content or self.new_placement

    @property
    def facets(self) -> str:
        return facets_of(self.item.content, self.item.tiers)

    @property
    def present_revision_id(self) -> int:
        """Return the revision that the row leaves as it is."""
        if self.standing is None or self.standing.revision_id is None:
            raise ValueError("a new item has no revision yet")
        return self.standing.revision_id

    @property
    def same_question(self) -> bool:
        """Return whether the wording is that of the present revision."""
        content = self.standing.content if self.standing else None
        return content is not None and content["question"] == self.item.content["question"]

    @property
    def reviewed_by(self) -> str:
        """Return who has reviewed this wording already."""
        return self.standing.reviewed_by if self.standing is not None and self.same_question else ""

    def changed_fields(self) -> list[str]:
        """Return the names of the fields that differ from the present revision and placement."""
        standing = self.standing
        if standing is None or standing.content is None:
            return []
        old, new = standing.content, self.item.content
        names = sorted(key for key in {*old, *new} if old.get(key) != new.get(key))
        if standing.entry_id is not None:
            names += ["split"] if standing.split != self.split else []
            names += ["tiers"] if standing.tiers != self.item.tiers else []
        return names


@dataclass(slots=True)
class Plan:
    """The rows to write and the errors of the refused ones, in the order of the file."""

    rows: list[PlannedRow] = field(default_factory=list)
    errors: list[RowError] = field(default_factory=list)

    @property
    def refused_lines(self) -> int:
        return len({error.line for error in self.errors})


def _key(external_id: str) -> bytes:
    """Return 16 bytes for an id: what is remembered of each row of a long file."""
    return blake2b(external_id.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@dataclass(slots=True)
class Seen:
    """What has to be known of earlier rows of a streamed file: where each id stood first, and which were accepted.

    `waiting` holds the rows that perturb an item not met yet; they are planned after the last row.
    """

    first_line: dict[bytes, int] = field(default_factory=dict)
    accepted: set[bytes] = field(default_factory=set)
    waiting: list[tuple[int, NativeItem]] = field(default_factory=list)


def chunks(values: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def standings_of(version: DatasetVersion, external_ids: Sequence[str]) -> dict[str, Standing]:
    """Return how the named items stand, by external id; unknown ones are absent. Three queries per 500."""
    found: dict[str, Standing] = {}
    for part in chunks(external_ids):
        by_id: dict[int, Standing] = {}
        rows = Item.objects.filter(dataset_id=version.dataset_id, external_id__in=part)
        for row in rows.annotate(last=Max("revisions__number")):
            standing = Standing(item_id=row.pk, protected=row.is_protected, last_number=row.last or 0)
            found[row.external_id] = by_id[row.pk] = standing
        if not by_id:
            continue
        placed = VersionEntry.objects.filter(version=version, item_id__in=list(by_id)).values_list(
            "item_id", "id", "split", "tiers", "revision_id", "revision__content", "revision__reviewed_by_label"
        )
        for item_id, entry_id, split, tiers, revision_id, content, reviewed_by in placed:
            standing = by_id[item_id]
            standing.entry_id, standing.split, standing.tiers = entry_id, split, tiers
            standing.revision_id, standing.content, standing.reviewed_by = revision_id, content, reviewed_by
        absent = [item_id for item_id, standing in by_id.items() if standing.entry_id is None]
        for revision in ItemRevision.objects.filter(item_id__in=absent).order_by("item_id", "number"):
            standing = by_id[revision.item_id]
            standing.revision_id, standing.content = revision.pk, revision.content
            standing.reviewed_by = revision.reviewed_by_label
    return found


def _parsed(rows: Iterable[tuple[int, Any]], errors: list[RowError], seen: Seen) -> list[tuple[int, NativeItem]]:
    """Parse each row and refuse the second of two with one external id."""
    items: list[tuple[int, NativeItem]] = []
    first_line = seen.first_line
    for line, raw in rows:
        if isinstance(raw, Unreadable):
            errors.append(RowError(line, raw.pointer, raw.code, raw.detail))
            continue
        item, faults = parse_item(raw)
        named = raw.get("external_id") if isinstance(raw, Mapping) else None
        name = named[:200] if isinstance(named, str) else ""
        errors += [RowError(line, fault.pointer, fault.code, fault.detail, name) for fault in faults]
        key = _key(named) if isinstance(named, str) and named else b""
        if key and key in first_line:
            detail = _("Line %(line)s has the same external_id.") % {"line": first_line[key]}
            errors.append(RowError(line, "/external_id", "duplicate", detail, name))
            continue
        if key:
            first_line[key] = line
        if item is not None:
            items.append((line, item))
    return items


def _spans(item: NativeItem) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for g, group in enumerate(item.content.get("evidence", ())):
        for r, requirement in enumerate(group):
            for a, alternative in enumerate(requirement):
                if isinstance(alternative, Mapping):
                    yield f"/evidence/{g}/{r}/{a}", alternative


def document_lengths(corpus_id: int, doc_ids: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return {doc_id: {version_id: length in characters}} of the named documents."""
    lengths: dict[str, dict[str, int]] = {}
    for part in chunks(sorted(set(doc_ids))):
        rows = DocumentVersion.objects.filter(document__corpus_id=corpus_id, document__doc_id__in=part)
        for doc_id, version_id, length in rows.values_list("document__doc_id", "version_id", "length"):
            lengths.setdefault(doc_id, {})[version_id] = length
    return lengths


def span_fault(span: Mapping[str, Any], lengths: Mapping[str, Mapping[str, int]]) -> tuple[str, str, str] | None:
    """Return (field, code, detail) of a span that points at nothing, None where it resolves."""
    versions = lengths.get(span["doc_id"])
    if versions is None:
        return "doc_id", "unknown_document", _("The corpus has no document “%(id)s”.") % {"id": span["doc_id"]}
    version_id = span.get("version_id")
    if version_id is not None and version_id not in versions:
        known = ", ".join(sorted(versions)[:10])
        detail = _("The document has no version “%(id)s”; it has: %(known)s.") % {"id": version_id, "known": known}
        return "version_id", "unknown_version", detail
    length = versions[version_id] if version_id is not None else max(versions.values(), default=0)
    if span["end"] > length:
        detail = _("The text has %(length)s characters; the span ends at %(end)s.")
        return "end", "beyond_text", detail % {"length": length, "end": span["end"]}
    return None


def _resolve_spans(dataset: Dataset, items: list[tuple[int, NativeItem]], errors: list[RowError]) -> None:
    if dataset.corpus_id is None:
        return
    wanted = [span["doc_id"] for _line, item in items for _pointer, span in _spans(item)]
    lengths = document_lengths(dataset.corpus_id, wanted)
    for line, item in items:
        for pointer, span in _spans(item):
            fault = span_fault(span, lengths)
            if fault is not None:
                name, code, detail = fault
                errors.append(RowError(line, f"{pointer}/{name}", code, detail, item.external_id))


def _resolve_targets(
    version: DatasetVersion, items: list[tuple[int, NativeItem]], errors: list[RowError], seen: Seen, *, last: bool
) -> None:
    """A perturbed item's original must be in the version or be accepted from the file (chains fall with their root).

    Before the last chunk, a row whose original is not known yet waits.
    """
    wanted = sorted({item.perturbs_id for _line, item in items if item.perturbs_id})
    known: set[str] = {name for name in wanted if _key(name) in seen.accepted}
    for part in chunks(wanted):
        rows = VersionEntry.objects.filter(version=version, item__external_id__in=part)
        known.update(rows.values_list("item__external_id", flat=True))
    bad = {error.line for error in errors}
    while True:
        accepted = {item.external_id for line, item in items if line not in bad} | known
        fallen = [
            (line, item)
            for line, item in items
            if line not in bad and item.perturbs_id and item.perturbs_id not in accepted
        ]
        if not fallen:
            return
        for line, item in fallen:
            bad.add(line)
            if not last:
                seen.waiting.append((line, item))
                continue
            detail = _("There is no item “%(id)s” in this file or version.") % {"id": item.perturbs_id}
            errors.append(RowError(line, "/perturbs/external_id", "unknown_item", detail, item.external_id))


def _placement_fault(standing: Standing | None, split: str, may_edit_tests: bool) -> tuple[str, str, str] | None:
    """Return why an item may not be put into the split, None where it may."""
    touches_tests = split == Split.FROZEN or (
        standing is not None and (standing.protected or standing.split == Split.FROZEN)
    )
    if touches_tests and not may_edit_tests:
        return "/split", "needs_steward", _("Only a steward may add, change or move items of the frozen test split.")
    if standing is not None and standing.protected and split != Split.FROZEN:
        detail = _("This item is protected: it was frozen in a test split and can't go into the dev split.")
        return "/split", "protected", detail
    return None


def _plan(
    *,
    version: DatasetVersion,
    items: list[tuple[int, NativeItem]],
    plan: Plan,
    seen: Seen,
    last: bool,
    default_split: str | None,
    may_edit_tests: bool,
    may_read_protected: bool,
) -> Plan:
    """Add to the plan what becomes of the well-formed items of one chunk."""
    standings = standings_of(version, [item.external_id for _line, item in items])
    placed: dict[int, str] = {}
    for line, item in items:
        standing = standings.get(item.external_id)
        split = item.split or (standing.split if standing and standing.split else default_split) or Split.DEV.value
        placed[line] = split
        fault = _placement_fault(standing, split, may_edit_tests)
        if fault is not None:
            plan.errors.append(RowError(line, *fault, item.external_id))
    _resolve_spans(version.dataset, items, plan.errors)
    waiting = len(seen.waiting)
    _resolve_targets(version, items, plan.errors, seen, last=last)
    plan.errors.sort(key=lambda error: error.line)
    left_out = {error.line for error in plan.errors} | {line for line, _item in seen.waiting[waiting:]}
    for line, item in items:
        if line in left_out:
            continue
        seen.accepted.add(_key(item.external_id))
        standing = standings.get(item.external_id)
        split = placed[line]
        if standing is not None and standing.protected and not may_read_protected:
            standing.content = None
        plan.rows.append(
            PlannedRow(
                line=line,
                item=item,
                split=split,
                standing=standing,
                new_content=standing is None or standing.content != item.content,
                new_placement=standing is not None
                and standing.entry_id is not None
                and (standing.split != split or standing.tiers != item.tiers),
            )
        )
    return plan


def plan_stream(
    *,
    version: DatasetVersion,
    rows: Iterable[tuple[int, Any]],
    default_split: str | None,
    may_edit_tests: bool,
    may_read_protected: bool,
    size: int = CHUNK,
) -> Iterator[Plan]:
    """Yield what importing `rows` (line number, decoded JSON) into the draft would do, chunk by chunk. Writes nothing.

    Memory grows by a few dozen bytes a row, for the ids; only rows that perturb a later one are held until the end.
    A chunk is planned against the version as it stands then, so the caller may write one before asking for the next.

    For those who may not read protected items, each row of one is new content: whether it equals what is stored would
    answer guesses.

    A row without a split stays where its item is; a new one goes to `default_split`, else to dev.
    """
    seen = Seen()

    def planned(items: list[tuple[int, NativeItem]], plan: Plan, *, last: bool) -> Plan:
        return _plan(
            version=version,
            items=items,
            plan=plan,
            seen=seen,
            last=last,
            default_split=default_split,
            may_edit_tests=may_edit_tests,
            may_read_protected=may_read_protected,
        )

    source = iter(rows)
    while part := list(islice(source, size)):
        plan = Plan()
        yield planned(_parsed(part, plan.errors, seen), plan, last=False)
    if seen.waiting:
        yield planned(seen.waiting, Plan(), last=True)


def plan_import(
    *,
    version: DatasetVersion,
    rows: Iterable[tuple[int, Any]],
    default_split: str | None,
    may_edit_tests: bool,
    may_read_protected: bool,
) -> Plan:
    """Return `plan_stream` as one plan, for a few rows."""
    whole = Plan()
    for plan in plan_stream(
        version=version,
        rows=rows,
        default_split=default_split,
        may_edit_tests=may_edit_tests,
        may_read_protected=may_read_protected,
    ):
        whole.rows += plan.rows
        whole.errors += plan.errors
    whole.errors.sort(key=lambda error: error.line)
    return whole
