"""A file of any size as rows: encoding and format found by content, then read in bounded memory."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from django.utils.translation import gettext as _

from core_app.errors import FieldError, Invalid
from datasets_app.imports.encoding import detect_encoding, open_text
from datasets_app.imports.formats import FORMATS, Format, sniff

SAMPLE_CHARACTERS = 1 << 16


@dataclass(frozen=True, slots=True)
class Source:
    """A file whose rows can be read: what it is written in, and its rows as native items with their lines.

    As a context manager it lets go of the stream at the end; closing the stream stays its owner's.
    """

    format: str
    encoding: str
    mapping: dict[str, str]
    rows: Iterator[tuple[int, Any]]
    text: io.TextIOWrapper

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *exception: object) -> None:
        self.text.detach()

    def as_dict(self) -> dict[str, Any]:
        """Return what the file was read as."""
        return {"format": self.format, "encoding": self.encoding, "mapping": self.mapping}


def mapping_of(pairs: str) -> dict[str, str]:
    """Return {column: field} of `column=field,column=field`; raises `Invalid` on a pair that is none."""
    mapping: dict[str, str] = {}
    for pair in filter(None, pairs.split(",")):
        column, mark, field = pair.rpartition("=")
        if not mark:
            detail = _("“%(pair)s” is no column=field.") % {"pair": pair[:80]}
            raise Invalid(detail, errors=[FieldError("/mapping", "bad_mapping", detail)])
        mapping[column.strip()] = field.strip()
    return mapping


def _format(name: str, sample: str) -> Format:
    if name == "auto":
        return sniff(sample)
    if name not in FORMATS:
        detail = _("“%(name)s” is no format known here. Known are: %(known)s.")
        detail = detail % {"name": name[:80], "known": ", ".join(["auto", *FORMATS])}
        raise Invalid(detail, errors=[FieldError("/format", "unknown_value", detail)])
    return FORMATS[name]


def open_source(stream: IO[bytes], *, format: str = "auto", mapping: Mapping[str, str] | None = None) -> Source:
    """Return the rows of a seekable binary stream; they are read as they are taken.

    `mapping` is {column of the file: native field} for tables. Raises `Malformed` where the text can't be decoded,
    `Invalid` on an unknown format or mapping.
    """
    encoding = detect_encoding(stream)
    text = open_text(stream, encoding)
    sample = text.read(SAMPLE_CHARACTERS)
    text.detach()
    chosen = _format(format, sample)
    text = open_text(stream, encoding)
    try:
        found = chosen.open(text, sample, dict(mapping or {}))
    except BaseException:
        text.detach()
        raise
    return Source(chosen.name, encoding.removesuffix("-sig"), found.mapping, found.rows, text)
