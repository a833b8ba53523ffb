"""What single pages need: the coverage grid, quoted evidence, what is hidden and why, the home panel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count
from django.urls import reverse
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.panels import Attention
from datasets_app.models import Dataset, DatasetVersion, DocumentVersion, ExposureBudget, VersionEntry
from datasets_app.policies import DatasetAction, policy
from datasets_app.selectors.entries import readable_entries
from datasets_app.selectors.versions import dataset_rows, datasets_of
from datasets_app.states import ExposureReminder, QuestionType, Split, VersionStatus
from teams_app.models import Team

#: Characters shown around a quoted span.
AROUND = 120


def coverage_grid(counts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return one row per question type: `{"type", "label", "cells": [n in dev, n in frozen], "total"}`."""
    rows = []
    for kind in QuestionType:
        cells = [counts.get(split, {}).get("type", {}).get(kind.value, 0) for split in Split.values]
        rows.append({"type": kind.value, "label": kind.label, "cells": cells, "total": sum(cells)})
    return rows


def hidden_counts(actor: Actor, version: DatasetVersion) -> int:
    """Return how many of the version's items the actor may not see, whatever the filters."""
    total = VersionEntry.objects.filter(version=version).aggregate(n=Count("id"))["n"]
    return int(total - readable_entries(actor, version).count())


@dataclass(frozen=True, slots=True)
class Quote:
    """One alternative of a requirement: a unit's id, or a span with the text around it."""

    unit: str = ""
    doc_id: str = ""
    version_id: str = ""
    start: int = 0
    end: int = 0
    before: str = ""
    text: str = ""
    after: str = ""
    title: str = ""
    found: bool = False


def _in_word(char: str) -> bool:
    """Return whether a cut beside this character would part a word; CJK has no gaps between words."""
    return char.isalnum() and char < "\u2e80"


def text_before(text: str, start: int) -> str:
    """Return the text before a span, from the beginning of a word on; … where more stands before it."""
    first = max(0, start - AROUND)
    if first == 0:
        return text[:start]
    if _in_word(text[first - 1]):
        while first < start and _in_word(text[first]):
            first += 1
    return "…" + text[first:start].lstrip()


def text_after(text: str, end: int) -> str:
    """Return the text after a span, up to the end of a word; … where more follows."""
    last = end + AROUND
    if last >= len(text):
        return text[end:]
    if _in_word(text[last]):
        while last > end and _in_word(text[last - 1]):
            last -= 1
    return text[end:last].rstrip() + "…"


def evidence_quotes(dataset: Dataset, entry: VersionEntry) -> list[list[list[Quote]]]:
    """Return the item's evidence as groups → requirements → alternatives, spans with their text from the corpus."""
    evidence = entry.revision.content.get("evidence", [])
    spans = [alt for group in evidence for requirement in group for alt in requirement if isinstance(alt, dict)]
    texts: dict[tuple[str, str], DocumentVersion] = {}
    if dataset.corpus_id is not None and spans:
        rows = DocumentVersion.objects.filter(
            document__corpus_id=dataset.corpus_id, document__doc_id__in={span["doc_id"] for span in spans}
        )
        for row in rows.select_related("document").order_by("version_id"):
            texts[row.document.doc_id, row.version_id] = row
            texts[row.document.doc_id, ""] = row

    def quote(alternative: Any) -> Quote:
        if isinstance(alternative, str):
            return Quote(unit=alternative)
        doc_id, version_id = alternative["doc_id"], alternative.get("version_id") or ""
        start, end = alternative["start"], alternative["end"]
        row = texts.get((doc_id, version_id))
        if row is None:
            return Quote(doc_id=doc_id, version_id=version_id, start=start, end=end)
        return Quote(
            doc_id=doc_id,
            version_id=row.version_id,
            start=start,
            end=end,
            before=text_before(row.text, start),
            text=row.text[start:end],
            after=text_after(row.text, end),
            title=row.document.title,
            found=True,
        )

    return [[[quote(alternative) for alternative in requirement] for requirement in group] for group in evidence]


def home_panel(actor: Actor, team: Team) -> dict[str, Any] | None:
    """Return the home page's panel of datasets, None where the actor may not see any."""
    if not policy.can(actor, DatasetAction.VIEW, team):
        return None
    return {"rows": dataset_rows(datasets_of(actor, team).order_by("-id")[:5]), "team": team}


def exposure_attention(team: Team) -> list[Attention]:
    """Return what the daily look and the runs found about the team's frozen splits: near, spent, due to rotate."""
    texts = {
        ExposureReminder.SPENT.value: _("The frozen split of %(dataset)s, version %(number)s is spent"),
        ExposureReminder.NEAR.value: _("The frozen split of %(dataset)s, version %(number)s is near its budget"),
        ExposureReminder.ROTATE.value: _("The frozen split of %(dataset)s, version %(number)s is due to rotate"),
    }
    rows = ExposureBudget.objects.filter(version__dataset__team=team, version__status=VersionStatus.FROZEN)
    rows = rows.exclude(reminders=[]).select_related("version__dataset").order_by("version_id")
    newest: dict[int, ExposureBudget] = {row.version.dataset_id: row for row in rows}
    return [
        Attention(
            text=texts[code] % {"dataset": row.version.dataset, "number": row.version.number},
            url=reverse("datasets:exposure", args=[team.slug, row.version.dataset.slug]),
            level="bad" if code == ExposureReminder.SPENT else "warning",
        )
        for row in list(newest.values())[:20]
        for code in row.reminders
        if code in texts
    ]


def attention(actor: Actor, team: Team) -> list[Attention]:
    """Return what waits for a steward: versions in review, and what is to be done about frozen splits."""
    if not policy.can(actor, DatasetAction.FREEZE, team):
        return []
    waiting = DatasetVersion.objects.filter(dataset__team=team, status=VersionStatus.IN_REVIEW)
    return [
        *exposure_attention(team),
        *[
            Attention(
                text=_("%(dataset)s, version %(number)s waits for review")
                % {"dataset": row.dataset, "number": row.number},
                url=reverse("datasets:version", args=[team.slug, row.dataset.slug, row.number]),
                level="warning",
            )
            for row in waiting.select_related("dataset")[:20]
        ],
    ]
