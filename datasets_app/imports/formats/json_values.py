"""JSON of any shape as a stream of records: one object a line, one list, or one document that holds a list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext as _

from core_app.errors import FieldError, Malformed, TooLarge
from core_app.rest.parsers import check_depth
from datasets_app.imports.jsonl import Unreadable, read_line, read_list

#: Characters of one line: no item is as long, and a file without line ends may not fill the memory.
MAX_LINE = 8_000_000
#: Where documents keep their records.
HOLDERS = ("data", "tests", "goldens", "examples", "items", "records")


def first_record(sample: str) -> Any:
    """Return the first record that the sample shows whole, None where it shows none."""
    text = sample.lstrip()
    start = 1 if text.startswith("[") else 0
    try:
        check_depth(text[:MAX_LINE], settings.API_MAX_JSON_DEPTH)
        return json.JSONDecoder().raw_decode(text[start:].lstrip())[0]
    except (ValueError, RecursionError, Malformed):
        return None


def _is_lines(sample: str) -> bool:
    """Return whether each line stands for itself: the first one is a whole value, or ends a broken one at once."""
    first = sample.lstrip().split("\n", 1)[0].strip()
    if not first.startswith("{"):
        return True
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return len(first) > 1 and first.endswith("}")
    return not (isinstance(value, dict) and any(isinstance(value.get(name), list) for name in ("data", "tests")))


def _whole(text: IO[str]) -> str:
    limit = settings.IMPORT_MAX_BODY_BYTES
    content = text.read(limit + 1)
    if len(content) > limit:
        detail = _("One JSON document may have %(limit)s characters; write longer ones as one object a line.")
        raise TooLarge(detail % {"limit": limit})
    return content


def _document(content: str) -> list[Any]:
    try:
        check_depth(content, settings.API_MAX_JSON_DEPTH)
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise Malformed(
            _("The body is not valid JSON."), errors=[FieldError("", "not_json", str(error), line=line)]
        ) from None
    held = next((value[name] for name in HOLDERS if isinstance(value.get(name), list)), None)
    return [value] if held is None else held


def json_records(text: IO[str], sample: str) -> Iterator[tuple[int, Any]]:
    """Yield (line, record) of one object a line; (position from 1, record) of a list or a document that holds one."""
    if sample.lstrip().startswith("["):
        content = _whole(text)
        yield from read_list(content, content.index("["))
        return
    if not _is_lines(sample):
        yield from enumerate(_document(_whole(text)), start=1)
        return
    number = 0
    while line := text.readline(MAX_LINE):
        number += 1
        if len(line) == MAX_LINE:
            yield number, Unreadable("too_long", _("At most %(limit)s characters a line.") % {"limit": MAX_LINE})
            return
        if line.strip():
            yield number, read_line(line.encode("utf-8", "surrogatepass"), number)
