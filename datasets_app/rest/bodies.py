"""Files as bodies: raw NDJSON or a JSON list, up to the limit for imports."""

from __future__ import annotations

from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework import parsers
from rest_framework.request import Request

from core_app.errors import FieldError, Invalid, TooLarge
from core_app.rest.parsers import declared_too_large, read_limited


class FileParser(parsers.BaseParser):
    """The body's bytes as they are; raises `TooLarge` past the limit for imports."""

    media_type = "application/x-ndjson"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> bytes:
        limit = settings.IMPORT_MAX_BODY_BYTES
        if parser_context and declared_too_large(parser_context["request"].META, limit):
            raise TooLarge(_("The body is larger than %(limit)s bytes.") % {"limit": limit})
        return read_limited(stream, limit)


class JsonlParser(FileParser):
    media_type = "application/jsonl"


class JsonParser(FileParser):
    media_type = "application/json"


class TextParser(FileParser):
    media_type = "text/plain"


class BinaryParser(FileParser):
    media_type = "application/octet-stream"


FILE_PARSERS = [FileParser, JsonlParser, JsonParser, TextParser, BinaryParser]


def body_of(request: Request) -> bytes:
    """Return the body's bytes; raises `Invalid` where there are none."""
    raw = request.data
    if not isinstance(raw, bytes) or not raw.strip():
        detail = _("The body is empty: send NDJSON, one object a line, or a JSON list.")
        raise Invalid(detail, errors=[FieldError("", "empty", detail)])
    return raw


def choice(request: Request, name: str, known: tuple[str, ...], default: str) -> str:
    """Return a query parameter out of a closed set; raises `Invalid` naming it."""
    value: str = request.query_params.get(name, default)
    if value not in known:
        detail = _("“%(name)s” is one of: %(known)s.") % {"name": name, "known": ", ".join(known)}
        raise Invalid(detail, errors=[FieldError(f"/{name}", "unknown_value", detail)])
    return value


def flag(request: Request, name: str) -> bool:
    """Return a true-or-false query parameter."""
    return choice(request, name, ("true", "false", "1", "0"), "false") in {"true", "1"}
