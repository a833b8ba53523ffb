"""citations.locatable: share of an answer's citations whose document, version and location resolve in the snapshot.

A citation with ``start``/``end`` must lie inside the document; one without a location resolves by document and version.
Without a snapshot, an answer or a citation: ``not_applicable``; failed and refused outputs carry their states.
Worked example: two citations, one of a document that the snapshot lacks: 0.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.batch import Batch
from scoring.spec import MetricSpec
from scoring.types import Document, Score, State

_NO_DOCUMENTS = Score.none(State.NOT_APPLICABLE, "no snapshot of documents was given")
_NO_CITATIONS = Score.none(State.NOT_APPLICABLE, "the answer has no citations")
_FAILED = Score.none(State.TARGET_FAILED, "the system gave no output")
_REFUSED = Score.none(State.REFUSED, "the system declined to answer")


def resolves(citation: Mapping[str, Any], documents: Mapping[tuple[str, str | None], Document]) -> bool:
    """Whether the document, the version and the character span of a citation exist in the snapshot."""
    doc_id, version_id = citation.get("doc_id"), citation.get("version_id")
    if not isinstance(doc_id, str):
        return False
    document = documents.get((doc_id, version_id if isinstance(version_id, str) else None))
    if document is None:
        return False
    start, end = citation.get("start"), citation.get("end")
    if start is None and end is None:
        return True
    if not isinstance(start, int) or not isinstance(end, int) or start < 0 or end <= start:
        return False
    return document.length is None or end <= document.length


def compute(batch: Batch) -> list[Score]:
    """One score per pair."""
    scores: list[Score] = []
    for output in batch.outputs:
        if output.failed:
            scores.append(_FAILED)
        elif output.refused:
            scores.append(_REFUSED)
        elif batch.documents is None:
            scores.append(_NO_DOCUMENTS)
        elif not output.citations:
            scores.append(_NO_CITATIONS)
        else:
            documents = batch.documents
            good = sum(resolves(citation, documents) for citation in output.citations)
            scores.append(Score.of(good / len(output.citations), {"citations": len(output.citations)}))
    return scores


SPEC = MetricSpec(
    name="citations.locatable",
    family="citations",
    summary="Share of the answer's citations whose document, version and location exist in the snapshot.",
    compute=compute,
    needs=("documents",),
)
