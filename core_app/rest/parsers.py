"""Bodies read with limits on size and nesting, so that bad input is a clear 400 or 413 and never a crash."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework import parsers

from core_app.errors import FieldError, Malformed, TooLarge

_OPENING = frozenset("[{")
_CLOSING = frozenset("]}")


def check_depth(text: str, limit: int) -> None:
    """Raise `Malformed` where brackets nest deeper than `limit`; strings are skipped. Linear, without recursion."""
    if text.count("[") + text.count("{") <= limit:
        return
    depth = 0
    in_string = False
    escaped = False
    for char in text:
        if in_string:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                in_string = False
        elif char == '"':
            in_string = True
        elif char in _OPENING:
            depth += 1
            if depth > limit:
                raise Malformed(_("The JSON nests deeper than %(limit)s levels.") % {"limit": limit}, code="too_deep")
        elif char in _CLOSING:
            depth -= 1


#: What JSON can write and no database keeps: the null character and halves of surrogate pairs.
_UNSTORABLE_ESCAPE = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
#: A number that may be beyond a double's range (1e308): `1e400` reads as infinity, a 400-digit integer as itself.
_LARGE_NUMBER = re.compile(r"[eE]\+?\d{3}|\d{300}")
#: Integers of so many bits are certainly within it.
_SAFE_BITS = 1023


def beyond_double(value: Any) -> bool:
    """Return whether a JSON number is infinite, or an integer that no float holds: arithmetic on it would fail."""
    if isinstance(value, int) and value.bit_length() <= _SAFE_BITS:
        return False
    try:
        return math.isinf(float(value))
    except OverflowError:
        return True


def _unstorable_at(value: Any) -> tuple[str, str] | None:
    """Return (pointer, code) of the first text or number that no database keeps, None where there is none."""
    pending: list[tuple[str, Any]] = [("", value)]
    while pending:
        at, item = pending.pop()
        if isinstance(item, str):
            if _UNSTORABLE.search(item):
                return at, "unstorable_text"
        elif isinstance(item, int | float):
            if beyond_double(item):
                return at, "number_too_large"
        elif isinstance(item, dict):
            for key, child in item.items():
                place = at + "/" + key.replace("~", "~0").replace("/", "~1")
                if _UNSTORABLE.search(key):
                    return at, "unstorable_text"
                pending.append((place, child))
        elif isinstance(item, list):
            pending += [(f"{at}/{index}", child) for index, child in enumerate(item)]
    return None


def check_storable(text: str, value: Any, *, line: int | None = None) -> None:
    """Raise `Malformed` where a text or number of the parsed `value` can't be stored; `text` is the JSON of it."""
    if not _UNSTORABLE_ESCAPE.search(text) and not _LARGE_NUMBER.search(text):
        return
    found = _unstorable_at(value)
    if found is None:
        return
    place, code = found
    detail = (
        _("A text holds a null character or half of a surrogate pair.")
        if code == "unstorable_text"
        else _("A number is too large.")
    )
    raise Malformed(detail, code=code, errors=[FieldError(place, code, detail, line=line)])


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def loads(text: str, *, line: int | None = None) -> Any:
    """Return the value of one JSON text; raises `Malformed` naming line and column."""
    check_depth(text, settings.API_MAX_JSON_DEPTH)
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        position = getattr(error, "colno", None)
        row = line if line is not None else getattr(error, "lineno", None)
        detail = getattr(error, "msg", str(error))
        if position is not None:
            detail = f"{detail} (column {position})"
        raise Malformed(
            _("The body is not valid JSON."), errors=[FieldError("", "not_json", detail, line=row)]
        ) from None
    check_storable(text, value, line=line)
    return value


def decode(raw: bytes, *, line: int | None = None) -> str:
    """Return the text of UTF-8 bytes (with or without BOM); raises `Malformed` naming the byte."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(
            _("The body is not UTF-8."),
            code="not_utf8",
            errors=[FieldError("", "not_utf8", f"byte {error.start}: {error.reason}", line=line)],
        ) from None


def read_limited(stream: IO[bytes], limit: int) -> bytes:
    """Return the whole body, or raise `TooLarge` once it passes `limit` bytes."""
    raw = stream.read(limit + 1)
    if len(raw) > limit:
        raise TooLarge(_("The body is larger than %(limit)s bytes.") % {"limit": limit})
    return raw


def declared_too_large(meta: Mapping[str, Any], limit: int) -> bool:
    length = str(meta.get("CONTENT_LENGTH") or "")
    return length.isascii() and length.isdigit() and int(length) > limit


class JSONParser(parsers.BaseParser):
    """One JSON value."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        limit = settings.API_MAX_BODY_BYTES
        if parser_context and declared_too_large(parser_context["request"].META, limit):
            raise TooLarge(_("The body is larger than %(limit)s bytes.") % {"limit": limit})
        return loads(decode(read_limited(stream, limit)))


def iter_ndjson(raw: bytes) -> Iterator[tuple[int, Any]]:
    """Yield (line number from 1, value) for each non-empty line; raises `Malformed` naming the line."""
    for number, row in enumerate(raw.split(b"\n"), start=1):
        if row.strip():
            yield number, loads(decode(row, line=number), line=number)


class NDJSONParser(parsers.BaseParser):
    """One JSON value a line; `request.data` is a list of (line number, value)."""

    media_type = "application/x-ndjson"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> Any:
        limit = settings.API_MAX_BODY_BYTES
        if parser_context and declared_too_large(parser_context["request"].META, limit):
            raise TooLarge(_("The body is larger than %(limit)s bytes.") % {"limit": limit})
        return list(iter_ndjson(read_limited(stream, limit)))
