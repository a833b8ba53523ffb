"""CSV that a spreadsheet can open without running anything: cells that begin like a formula are neutralised."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

#: First characters by which spreadsheet programs take a cell for a formula or a command. Tab, carriage return and line
#: feed are skipped by some before they look; the full-width forms count in East Asian versions.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
#: A formula behind a sign by which a spreadsheet of another locale parts cells (`;` where the comma is the decimal
#: sign), or behind a line's end: there a quoted cell is no whole one.
_FORMULA_INSIDE = re.compile(r"([;\t\r\n|][ \"']*)(?=[=+\-@＝＋－＠])")


def neutral_cell(value: Any) -> Any:
    """Return the value as a cell: numbers as they are, text that could be a formula behind an apostrophe."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return value
    text = _FORMULA_INSIDE.sub(r"\1'", str(value))
    return f"'{text}" if text.lstrip(" ").startswith(_FORMULA_STARTS) else text


class _Echo:
    """A file that hands each row straight back."""

    def write(self, value: str) -> str:
        return value


def csv_lines(header: Sequence[Any], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield CSV text row by row, first a BOM so that spreadsheets read the text as UTF-8."""
    writer = csv.writer(_Echo())
    yield "\ufeff"
    yield writer.writerow([neutral_cell(cell) for cell in header])
    for row in rows:
        yield writer.writerow([neutral_cell(cell) for cell in row])


def csv_response(filename: str, header: Sequence[Any], rows: Iterable[Sequence[Any]]) -> StreamingHttpResponse:
    """Return a streamed download; `filename` is plain ASCII."""
    return StreamingHttpResponse(
        csv_lines(header, rows),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{filename}"', "X-Content-Type-Options": "nosniff"},
    )
