"""citations.accessible: share of an answer's citations that the asker may open, by the documents' audience.

A document without an audience is open to everyone; else one of the item's audience names must be in it. A citation
whose document or version the snapshot lacks opens nothing, so it counts as not accessible. The detail counts apart:
``forbidden`` (outside of the asker's rights), ``unknown`` (not in the snapshot) and ``internal_paths`` (citations that
show a path of a server or share; whether these may be opened is another matter, so they do not change the value).

Without a snapshot or a citation: ``not_applicable``; failed and refused outputs carry their states.
Worked example: two citations, one of a document for "staff" only, asked by "public": 0.5.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scoring.batch import Batch
from scoring.spec import MetricSpec
from scoring.types import Document, EvalItem, Score, State, SystemOutput

_NO_DOCUMENTS = Score.none(State.NOT_APPLICABLE, "no snapshot of documents was given")
_NO_CITATIONS = Score.none(State.NOT_APPLICABLE, "the answer has no citations")
_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")
_REFUSED = Score.none(State.REFUSED, "the system declined to answer")
_INTERNAL = re.compile(
    r"file:|[A-Za-z]:[\\/]|\\\\\w|/(?:bin|data|etc|home|mnt|opt|root|srv|tmp|usr|var)/", re.IGNORECASE
)


def shows_internal_path(citation: Mapping[str, Any]) -> bool:
    """Whether a text of the citation begins with ``file:``, a drive letter, a share, or a server's folder.

    Worked example: ``{"url": "file:///srv/kb/a.pdf"}`` does, ``{"url": "https://kb.example/a"}`` does not.
    """
    return any(isinstance(value, str) and _INTERNAL.match(value) is not None for value in citation.values())


def _one(item: EvalItem, output: SystemOutput, documents: Mapping[tuple[str, str | None], Document] | None) -> Score:
    if output.failed:
        return _FAILED
    if output.refused:
        return _REFUSED
    if documents is None:
        return _NO_DOCUMENTS
    if not output.citations:
        return _NO_CITATIONS
    asker = set(item.audience)
    forbidden = unknown = 0
    for citation in output.citations:
        version = citation.get("version_id")
        document = documents.get((str(citation.get("doc_id")), version if isinstance(version, str) else None))
        if document is None:
            unknown += 1
        elif document.audience and not document.audience & asker:
            forbidden += 1
    n = len(output.citations)
    return Score.of(
        (n - forbidden - unknown) / n,
        {
            "citations": n,
            "forbidden": forbidden,
            "unknown": unknown,
            "internal_paths": sum(map(shows_internal_path, output.citations)),
        },
    )


def compute(batch: Batch) -> list[Score]:
    """One score per pair."""
    return [_one(item, out, batch.documents) for item, out in zip(batch.items, batch.outputs, strict=True)]


SPEC = MetricSpec(
    name="citations.accessible",
    family="citations",
    summary="Share of the answer's citations that the asker may open, by the documents' audience.",
    compute=compute,
    needs=("documents",),
)
