"""What an output's scores are made of, in parts that can be held against another run's output of the same item.

The answer as read without case, spaces and punctuation, its outcome, its confidence, the ids of each ranked list and
where its units stand in their documents, the citations, what each judge found. What a pusher can vary at will without
changing a score (latency, trace ids, texts of passages and claims) is left out, for it would make every two outputs
look different.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from core_app.canonical import canonical_json
from runs_app.states import Outcome

#: The columns of an output that `output_parts` takes, in its order.
PART_COLUMNS = ("answer", "outcome", "confidence", "retrieved", "citations", "judgements")
#: The answer and the ranked lists: parts in which an output that is like most others says nothing.
ANSWER = "answer"
LIST = "list "
_NOT_READ = re.compile(r"[^\w+\-%$€£¥<>=]+")
_PLACES = ("doc_id", "version_id", "start", "end")


def output_parts(
    answer: str, outcome: str, confidence: float | None, retrieved: Any, citations: Any, judgements: Any
) -> dict[str, Any]:
    """Return part → its value, hashable: `answer`, `confidence`, `citations`, `list <stage>` and `places <stage>` for
    each stage, `judged <judge>` for each judge.
    """
    told = ""
    if outcome in {Outcome.ANSWERED, Outcome.PARTIAL}:
        told = _NOT_READ.sub("", unicodedata.normalize("NFKC", answer).casefold())
    parts: dict[str, Any] = {
        ANSWER: (outcome, told),
        "confidence": confidence,
        "citations": tuple(tuple(citation.get(name) for name in _PLACES) for citation in citations),
    }
    for stage, units in retrieved.items():
        parts[LIST + stage] = tuple(unit["id"] for unit in units)
        parts[f"places {stage}"] = tuple(tuple(unit.get(name) for name in _PLACES) for unit in units)
    for record in judgements:
        parts[f"judged {record['judge']}"] = canonical_json(_labels(record))
    return parts


def _labels(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a judgement without the claims' texts, which no score is made of."""
    claims = record.get("claims")
    if claims is None:
        return dict(record)
    return {**record, "claims": [{key: part for key, part in claim.items() if key != "text"} for claim in claims]}
