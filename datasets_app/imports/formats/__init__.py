"""The registry of formats: what `format=` may name, and which one a file is in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from datasets_app.imports.formats.base import Format, Rows, without_blanks
from datasets_app.imports.formats.json_values import first_record, json_records
from datasets_app.imports.formats.records import RECORDS
from datasets_app.imports.formats.squad import open_squad, sniff_squad
from datasets_app.imports.formats.tables import open_table, sniff_table

__all__ = ["FORMATS", "Format", "Rows", "sniff"]


def _native(text: IO[str], sample: str, mapping: dict[str, str]) -> Rows:
    return Rows(json_records(text, sample))


def _sniff_native(sample: str) -> float:
    record = first_record(sample)
    return 1.0 if isinstance(record, Mapping) and {"external_id", "question"} <= set(record) else 0.1


def _record_format(name: str, place: int, fits: Callable[[Any], bool], item_of: Callable[[Any], Any]) -> Format:
    def confidence(sample: str) -> float:
        record = first_record(sample)
        return 0.9 - place / 100 if isinstance(record, Mapping) and fits(record) else 0.0

    def converted(text: IO[str], sample: str) -> Iterator[tuple[int, Any]]:
        for line, record in json_records(text, sample):
            item = item_of(record) if isinstance(record, Mapping) else record
            yield line, without_blanks(item) if isinstance(item, dict) else item

    def open_records(text: IO[str], sample: str, mapping: dict[str, str]) -> Rows:
        return Rows(converted(text, sample))

    return Format(name, confidence, open_records)


FORMATS: dict[str, Format] = {
    "jsonl": Format("jsonl", _sniff_native, _native),
    "csv": Format("csv", sniff_table, open_table),
    "squad_json": Format("squad_json", sniff_squad, open_squad),
    **{name: _record_format(name, place, *pair) for place, (name, pair) in enumerate(RECORDS.items())},
}


def sniff(sample: str) -> Format:
    """Return the format that is surest of the sample; native rows where none is."""
    return max(FORMATS.values(), key=lambda known: known.sniff(sample))
