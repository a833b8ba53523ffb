"""SQuAD 2.0 style documents, nested as articles → paragraphs → questions (CMRC 2018 too)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import IO, Any

from datasets_app.imports.formats.base import Rows, without_blanks
from datasets_app.imports.formats.json_values import json_records
from datasets_app.imports.formats.records import squad_row
from datasets_app.imports.jsonl import Unreadable


def sniff_squad(sample: str) -> float:
    """Return how surely the sample is a nested document: it names paragraphs, contexts and questions."""
    head = sample[:65536]
    return 1.0 if all(f'"{name}"' in head for name in ("data", "paragraphs", "context", "qas")) else 0.0


def _entries(value: Any, name: str) -> list[Mapping[str, Any]]:
    found = value.get(name) if isinstance(value, Mapping) else None
    return [entry for entry in found if isinstance(entry, Mapping)] if isinstance(found, list) else []


def _rows(text: IO[str], sample: str) -> Iterator[tuple[int, Any]]:
    number = 0
    for at, article in json_records(text, sample):
        if isinstance(article, Unreadable):
            yield at, article
        for place, paragraph in enumerate(_entries(article, "paragraphs")):
            cluster = str(paragraph.get("id") or f"{article.get('title') or at}-{place}")
            for asked in _entries(paragraph, "qas"):
                number += 1
                item = squad_row({**asked, "context": paragraph.get("context"), "paragraph": cluster[:200]})
                yield number, without_blanks(item) if isinstance(item, dict) else item


def open_squad(text: IO[str], sample: str, mapping: dict[str, str]) -> Rows:
    """Return the questions in their order, numbered from 1."""
    return Rows(_rows(text, sample))
