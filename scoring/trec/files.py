"""TREC qrels and run files: read from lines, written back. Lines that start with # and empty lines are passed over."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scoring.errors import ScoringError, TrecFormatError

Qrels = dict[str, dict[str, int]]
RunScores = dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class TrecRun:
    """``scores``: topic to document to score; ``run_id``: the tag of the last line, as trec_eval prints it."""

    scores: RunScores
    run_id: str


def _fields(lines: Iterable[str], name: str, least: int, what: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split()
        if len(fields) < least:
            raise TrecFormatError(name, number, f"has {len(fields)} fields, needs {what}")
        yield number, fields


def read_qrels(lines: Iterable[str], name: str = "qrels") -> Qrels:
    """Labels by topic and document from ``topic iteration document label`` lines.

    Raises TrecFormatError for too few fields, a label that is not a whole number, or a document labelled twice for a
    topic.
    """
    qrels: Qrels = {}
    for number, fields in _fields(lines, name, 4, "topic iteration document label"):
        topic, _, document, label = fields[:4]
        try:
            value = int(label)
        except ValueError:
            raise TrecFormatError(name, number, f"label {label!r} is not a whole number") from None
        labels = qrels.setdefault(topic, {})
        if document in labels:
            raise TrecFormatError(name, number, f"document {document!r} is labelled twice for topic {topic!r}")
        labels[document] = value
    return qrels


def read_run(lines: Iterable[str], name: str = "run") -> TrecRun:
    """Scores by topic and document from ``topic Q0 document rank score tag`` lines; the rank column is not read.

    Raises TrecFormatError for too few fields, a score that is not a finite number, or a document returned twice for a
    topic.
    """
    scores: RunScores = {}
    run_id = ""
    for number, fields in _fields(lines, name, 6, "topic Q0 document rank score tag"):
        topic, _, document, _, score, run_id = fields[:6]
        try:
            value = float(score)
        except ValueError:
            raise TrecFormatError(name, number, f"score {score!r} is not a number") from None
        if not math.isfinite(value):
            raise TrecFormatError(name, number, f"score {score!r} is not finite")
        returned = scores.setdefault(topic, {})
        if document in returned:
            raise TrecFormatError(name, number, f"document {document!r} is returned twice for topic {topic!r}")
        returned[document] = value
    return TrecRun(scores, run_id)


def write_qrels(qrels: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """Lines ``topic 0 document label`` with line ends, in the given order; the inverse of ``read_qrels``."""
    for topic, labels in qrels.items():
        for document, label in labels.items():
            yield f"{topic} 0 {document} {label}\n"


def write_run(scores: Mapping[str, Mapping[str, float]], run_id: str) -> Iterator[str]:
    """Lines ``topic Q0 document rank score tag`` with line ends, ranked as trec_eval ranks; inverse of ``read_run``."""
    for topic, documents in scores.items():
        for rank, (document, score) in enumerate(ranking(documents), 1):
            yield f"{topic} Q0 {document} {rank} {score!r} {run_id}\n"


def ranking(documents: Mapping[str, float]) -> list[tuple[str, float]]:
    """Documents by score falling, ties by document id falling (of its UTF-8 bytes), as trec_eval sorts.

    Raises ScoringError for a score that is not finite.
    """
    for document, score in documents.items():
        if not math.isfinite(score):
            raise ScoringError(f"score of document {document!r} is {score!r}, not finite")
    return sorted(documents.items(), key=lambda pair: (pair[1], pair[0].encode()), reverse=True)
