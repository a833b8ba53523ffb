"""Taking in a system's outputs: all rows of a request or none, any order, repeated sends harmless."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import Conflict, FieldError, Invalid, TooLarge
from datasets_app import selectors as dataset_selectors
from runs_app.models import Output, Run
from runs_app.policies import RunAction, policy
from runs_app.services.batches import OUTPUT_FIELDS
from runs_app.services.bulk import rows_write
from runs_app.services.external_scores import judge_repeat_faults
from runs_app.services.output_rows import OutputRow, row_read
from runs_app.states import RunStatus

MAX_ROWS = 20_000
MAX_ERRORS = 100
_CHUNK = 5_000


def _status_locked(run: Run) -> str:
    """Return the run's status, held against a change until the transaction ends.

    Pushes to one run may go on side by side; ending the collection waits for them. SQLite's transactions are immediate,
    so there nobody else can write meanwhile.
    """
    with connection.cursor() as cursor:
        lock = " FOR SHARE" if connection.vendor == "postgresql" else ""
        cursor.execute(f"SELECT status FROM runs_app_run WHERE id = %s{lock}", [run.pk])  # noqa: S608
        return str(cursor.fetchone()[0])


class _Places:
    """Where a row stood in the request: by line for NDJSON, else by index under a prefix."""

    def __init__(self, lines: Sequence[int] | None, prefix: str) -> None:
        self.lines = lines
        self.prefix = prefix

    def error(self, index: int, pointer: str, code: str, detail: str) -> FieldError:
        if self.lines is not None:
            return FieldError(pointer, code, detail, line=self.lines[index])
        return FieldError(f"{self.prefix}/{index}{pointer}", code, detail)


def _read_all(rows: Sequence[Any], run: Run, places: _Places) -> list[OutputRow]:
    read: list[OutputRow] = []
    errors: list[FieldError] = []
    for index, row in enumerate(rows):
        output, faults = row_read(index, row, run.repeats)
        faults = [*faults, *judge_repeat_faults(row, run.judge_repeats)]
        errors += [places.error(index, *fault) for fault in faults]
        if output is not None:
            read.append(output)
        if len(errors) >= MAX_ERRORS:
            break
    if errors:
        raise Invalid(_("Some outputs are not valid; none was stored."), errors=errors[:MAX_ERRORS])
    return read


def _entries_of_rows(run: Run, read: Sequence[OutputRow], places: _Places) -> list[int]:
    """Return each row's entry id; raises `Invalid` with `unknown_item` for rows that answer no item of the run."""
    entries = dataset_selectors.entries_of(run.dataset_version, run.split, run.tier)
    found: list[dict[str, int]] = []
    for lookup, public in (("item__external_id", False), ("item__public_id", True)):
        keys = sorted({row.key for row in read if row.key_is_public is public})
        known: dict[str, int] = {}
        for start in range(0, len(keys), _CHUNK):
            part = entries.order_by().filter(**{f"{lookup}__in": keys[start : start + _CHUNK]})
            known.update(part.values_list(lookup, "id"))
        found.append(known)
    ids = [found[row.key_is_public].get(row.key, 0) for row in read]
    errors = [
        places.error(
            row.index,
            "/item_id" if row.key_is_public else "/external_id",
            "unknown_item",
            _("This run has no such item: %(key)s.") % {"key": row.key[:80]},
        )
        for row, entry_id in zip(read, ids, strict=True)
        if not entry_id
    ]
    if errors:
        raise Invalid(_("Some outputs answer no item of this run; none was stored."), errors=errors[:MAX_ERRORS])
    return ids


#: Where an item keeps what a list of judgements must be as long as.
_GOLD_LISTS = {"nuggets": "revision__content__nuggets", "subquestions": "revision__content__subquestions"}


def _check_judged(actor: Actor, run: Run, read: Sequence[OutputRow], entry_ids: Sequence[int], places: _Places) -> None:
    """Hold judgements over the items' gold against it; raises `Invalid`.

    Who may not read the items can't have seen what he would judge by, and could find it out by trying: refused to him.
    """
    judged = [(row, entry_id) for row, entry_id in zip(read, entry_ids, strict=True) if row.judged]
    if not judged:
        return
    errors: list[FieldError] = []
    lengths = _gold_lengths(actor, run, sorted({entry_id for _row, entry_id in judged}))
    for row, entry_id in judged:
        for one in row.judged:
            if entry_id not in lengths:
                text = _("Judging this needs the item's gold, and so the level “read” on the frozen split.")
                errors.append(places.error(row.index, one.pointer, "level_required", text))
            elif one.length != (wanted := lengths[entry_id].get(one.part, one.length)):
                text = _("The item has %(n)s of these, so give as many labels.") % {"n": wanted}
                errors.append(places.error(row.index, one.pointer, "length", text))
    if errors:
        raise Invalid(_("Some judgements are not valid; no output was stored."), errors=errors[:MAX_ERRORS])


def _gold_lengths(actor: Actor, run: Run, entry_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return entry id → part → how many labels it takes, of the entries that the actor may read."""
    found: dict[int, dict[str, int]] = {}
    if not policy.may_read_items(actor, run):
        return found
    readable = dataset_selectors.readable_entries(actor, run.dataset_version).order_by()
    for start in range(0, len(entry_ids), _CHUNK):
        rows = readable.filter(pk__in=entry_ids[start : start + _CHUNK])
        for pk, *lists in rows.values_list("pk", *_GOLD_LISTS.values()):
            found[pk] = {part: len(listed or ()) for part, listed in zip(_GOLD_LISTS, lists, strict=True)}
    return found


def _stored(run: Run, entry_ids: Sequence[int]) -> dict[tuple[int, int], str]:
    stored: dict[tuple[int, int], str] = {}
    wanted = sorted(set(entry_ids))
    for start in range(0, len(wanted), _CHUNK):
        part = Output.objects.filter(run=run, entry_id__in=wanted[start : start + _CHUNK])
        for entry_id, repeat, digest in part.values_list("entry_id", "repeat", "content_sha256"):
            stored[entry_id, repeat] = digest
    return stored


@transaction.atomic
def outputs_push(
    *, actor: Actor, run: Run, rows: Sequence[Any], lines: Sequence[int] | None = None, prefix: str = ""
) -> dict[str, int]:
    """Store a request's outputs and return `{"accepted", "updated", "unchanged"}`.

    All or nothing: one bad row raises `Invalid` with the place of each fault (`/3/answer`, or a line with `/answer`).
    The same output again is harmless at any time; another one replaces it while the run collects, and is a `Conflict`
    (`output_conflict`) after that. No audit event: outputs come by the thousand, and their hash is in the event that
    ends the collection.
    """
    policy.require(actor, RunAction.PUSH, run)
    if len(rows) > MAX_ROWS:
        raise TooLarge(_("At most %(limit)s outputs in one request.") % {"limit": MAX_ROWS})
    places = _Places(lines, prefix)
    read = _read_all(rows, run, places)
    entry_ids = _entries_of_rows(run, read, places)
    _check_judged(actor, run, read, entry_ids, places)
    collecting = _status_locked(run) == RunStatus.COLLECTING
    stored = _stored(run, entry_ids)
    fresh: dict[tuple[int, int], OutputRow] = {}
    report = {"accepted": 0, "updated": 0, "unchanged": 0}
    errors: list[FieldError] = []
    for row, entry_id in zip(read, entry_ids, strict=True):
        key = (entry_id, row.repeat)
        if key in fresh:
            if fresh[key].content_sha256 == row.content_sha256:
                report["unchanged"] += 1
            else:
                errors.append(
                    places.error(row.index, "", "duplicate_row", _("The request holds two outputs for this item."))
                )
        elif stored.get(key) == row.content_sha256:
            report["unchanged"] += 1
        elif not collecting:
            errors.append(
                places.error(
                    row.index, "", "output_conflict", _("The run no longer collects, and this is another output.")
                )
            )
        else:
            fresh[key] = row
            report["updated" if key in stored else "accepted"] += 1
    if errors and collecting:
        raise Invalid(_("Some outputs contradict each other; none was stored."), errors=errors[:MAX_ERRORS])
    if errors:
        raise Conflict(
            _("The run no longer collects outputs. Start a new run for other answers."),
            code="output_conflict",
            errors=errors[:MAX_ERRORS],
        )
    _write(run, fresh)
    return report


def _write(run: Run, fresh: dict[tuple[int, int], OutputRow]) -> None:
    """Upsert in the order of the key, so that two requests over the same items can't deadlock."""
    now = timezone.now()
    rows = [
        (run.pk, entry_id, repeat, *row.columns, row.content_sha256, now)
        for (entry_id, repeat), row in sorted(fresh.items())
    ]
    for start in range(0, len(rows), 1000):
        rows_write(
            Output,
            OUTPUT_FIELDS,
            rows[start : start + 1000],
            unique=("run", "entry", "repeat"),
            update=OUTPUT_FIELDS[3:],
        )
