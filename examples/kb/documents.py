"""The documents as the system sees them, and how they are cut into chunks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from examples.kb.text import sentence_spans

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Version:
    """One version of a document, with who may see it and when it holds."""

    doc_id: str
    version_id: str
    title: str
    audience: frozenset[str]
    valid_from: datetime
    valid_to: datetime | None
    withdrawn_at: datetime | None
    text: str

    def is_valid_at(self, moment: datetime) -> bool:
        """Whether this version is the word of the company at ``moment``: on [valid_from, valid_to), not withdrawn."""
        ends = [end for end in (self.valid_to, self.withdrawn_at) if end is not None]
        return self.valid_from <= moment and all(moment < end for end in ends)


@dataclass(frozen=True)
class Chunk:
    """A stretch ``text[start:end]`` of one version; ``indexed`` is what the search sees of it."""

    version: Version
    start: int
    end: int
    indexed: str

    @property
    def id(self) -> str:
        """For example ``d07@2#120-520``."""
        return f"{self.version.doc_id}@{self.version.version_id}#{self.start}-{self.end}"

    @property
    def text(self) -> str:
        """The words of the document, without additions."""
        return self.version.text[self.start : self.end]


def load_documents() -> list[dict[str, Any]]:
    """The rows of ``documents.jsonl``."""
    return _load("documents.jsonl")


def load_items() -> list[dict[str, Any]]:
    """The rows of ``items.jsonl``, in the platform's native item format, gold included."""
    return _load("items.jsonl")


def parse_time(value: str) -> datetime:
    """An ISO 8601 time with a zone; ``Z`` is UTC."""
    return datetime.fromisoformat(value.replace("Z", "+00:00"))


def versions_of(documents: Sequence[Mapping[str, Any]]) -> Iterator[Version]:
    """All versions of all documents."""
    for document in documents:
        for version in document["versions"]:
            yield Version(
                doc_id=document["doc_id"],
                version_id=version["version_id"],
                title=document["title"],
                audience=frozenset(document["audience"]),
                valid_from=parse_time(version["valid_from"]),
                valid_to=parse_time(version["valid_to"]) if version["valid_to"] else None,
                withdrawn_at=parse_time(version["withdrawn_at"]) if version["withdrawn_at"] else None,
                text=version["text"],
            )


def fixed_windows(version: Version, *, size: int = 400) -> list[Chunk]:
    """Cut every ``size`` characters, through sentences and words alike."""
    text = version.text
    return [
        Chunk(version=version, start=start, end=min(start + size, len(text)), indexed=text[start : start + size])
        for start in range(0, len(text), size)
    ]


def sentence_windows(version: Version, *, size: int = 220) -> list[Chunk]:
    """Whole sentences of one paragraph up to about ``size`` characters; neighbours share one sentence.

    The title is put before the text in the index, as a sentence such as "It costs ..." does not say of what it speaks.
    """
    chunks: list[Chunk] = []
    for sentences in _paragraphs(version.text):
        first = 0
        while first < len(sentences):
            last = first
            while last + 1 < len(sentences) and sentences[last + 1][1] - sentences[first][0] <= size:
                last += 1
            start, end = sentences[first][0], sentences[last][1]
            chunks.append(
                Chunk(version=version, start=start, end=end, indexed=f"{version.title}\n{version.text[start:end]}")
            )
            if last + 1 == len(sentences):
                break
            first = max(last, first + 1)
    return chunks


def _paragraphs(text: str) -> Iterator[list[tuple[int, int]]]:
    paragraph: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        if paragraph and "\n" in text[paragraph[-1][1] : start]:
            yield paragraph
            paragraph = []
        paragraph.append((start, end))
    if paragraph:
        yield paragraph


def _load(name: str) -> list[dict[str, Any]]:
    with (HERE / name).open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
