"""Native rows from a file or body: one JSON object a line, or one JSON list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from core_app.errors import DomainError, FieldError, Malformed
from core_app.rest.parsers import check_depth, decode

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is no JSON, in the place of its row: refused like a row with a fault."""

    code: str
    detail: str
    pointer: str = ""


def _check_encoding(raw: bytes) -> None:
    """Refuse UTF-16 as a whole: line by line, each of its lines would be another riddle."""
    if raw.startswith(_UTF16) or b"\x00" in raw[:200]:
        detail = _("The file looks like UTF-16. Save it as UTF-8.")
        raise Malformed(
            _("The body is not UTF-8."), code="not_utf8", errors=[FieldError("", "not_utf8", detail, line=1)]
        )


def read_line(raw: bytes, number: int) -> Any:
    """Return a line's value. NaN, NUL and cut surrogates pass: the item's own check names the field that holds them."""
    try:
        text = decode(raw, line=number)
        check_depth(text, settings.API_MAX_JSON_DEPTH)
        return json.loads(text)
    except DomainError as error:
        first = error.errors[0] if error.errors else None
        return Unreadable(error.code, f"{error.detail} {first.detail}" if first else str(error.detail))
    except json.JSONDecodeError as error:
        return Unreadable(
            "not_json", _("Not valid JSON: %(what)s (column %(n)s).") % {"what": error.msg, "n": error.colno}
        )
    except (ValueError, RecursionError) as error:
        return Unreadable("not_json", str(error))


def read_list(text: str, start: int) -> Iterator[tuple[int, Any]]:
    """Yield the elements of a JSON list one by one with their position from 1."""
    position, end = start + 1, len(text)
    number = 0

    def blank(at: int) -> int:
        while at < end and text[at] in " \t\r\n":
            at += 1
        return at

    def refuse(at: int, reason: str) -> Malformed:
        line = text.count("\n", 0, at) + 1
        column = at - text.rfind("\n", 0, at)
        fault = FieldError("", "not_json", f"{reason} (column {column})", line=line)
        return Malformed(_("The body is not valid JSON."), errors=[fault])

    position = blank(position)
    if text[position : position + 1] == "]":
        return
    while True:
        number += 1
        try:
            value, stop = _DECODER.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise refuse(error.pos, error.msg) from None
        except (ValueError, RecursionError) as error:
            check_depth(text[position:], settings.API_MAX_JSON_DEPTH)
            raise refuse(position, str(error)) from None
        check_depth(text[position:stop], settings.API_MAX_JSON_DEPTH)
        yield number, value
        position = blank(stop)
        mark = text[position : position + 1]
        if mark == ",":
            position = blank(position + 1)
        elif mark == "]":
            if blank(position + 1) != end:
                raise refuse(position + 1, "Extra data")
            return
        else:
            raise refuse(position, "Expecting ',' delimiter")


def read_rows(raw: bytes) -> Iterator[tuple[int, Any]]:
    """Yield (number, value) of each row: the line of NDJSON, the position from 1 in a list.

    A line that can't be read is yielded as `Unreadable`; a list that can't be read raises `Malformed`, since nothing
    tells where its next row would begin.
    """
    _check_encoding(raw)
    head = raw[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"["):
        text = decode(raw)
        yield from read_list(text, text.index("["))
        return
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if line.strip():
            yield number, read_line(line, number)
