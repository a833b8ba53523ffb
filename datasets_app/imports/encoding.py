"""Which encoding a file is in, by its content alone: UTF-8, UTF-16 with or without a mark, GB18030."""

from __future__ import annotations

import codecs
import io
from typing import IO

from django.utils.translation import gettext as _

from core_app.errors import FieldError, Malformed

BLOCK = 1 << 20
UTF8, UTF8_BOM, UTF16_LE, UTF16_BE, GB18030 = "utf-8", "utf-8-sig", "utf-16-le", "utf-16-be", "gb18030"
_UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
#: Text that is really GB18030 is nearly all in its oldest part, GB 2312. Other encodings read as GB18030 are not.
_COMMON_SHARE = 0.9


def _refused(detail: str, *, line: int = 1) -> Malformed:
    return Malformed(
        _("The text can't be read."), code="unknown_encoding", errors=[FieldError("", "unknown_encoding", detail, line)]
    )


def _utf16_without_mark(head: bytes) -> str | None:
    """Return the byte order that the nulls of ASCII characters give away: JSON, CSV and TSV all hold some."""
    pairs = len(head) // 2
    if pairs < 2:
        return None
    even, odd = head[0 : pairs * 2 : 2].count(0), head[1 : pairs * 2 : 2].count(0)
    if odd > 4 * even and odd * 20 > pairs:
        return UTF16_LE
    if even > 4 * odd and even * 20 > pairs:
        return UTF16_BE
    return None


def _first_fault(stream: IO[bytes], encoding: str) -> int | None:
    """Return the line of the first byte that the encoding does not know, None where it decodes throughout."""
    stream.seek(0)
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    while True:
        block = stream.read(BLOCK)
        try:
            line += decoder.decode(block, final=not block).count("\n")
        except UnicodeDecodeError as error:
            return line + error.object[: error.start].count(b"\n")
        if not block:
            return None


def _looks_chinese(stream: IO[bytes]) -> bool:
    stream.seek(0)
    text = codecs.getincrementaldecoder(GB18030)().decode(stream.read(BLOCK))
    wide = [char for char in text if char > "\x7f"]
    common = len("".join(wide).encode("gb2312", "ignore")) // 2
    return bool(wide) and common >= _COMMON_SHARE * len(wide)


def detect_encoding(stream: IO[bytes]) -> str:
    """Return the codec of a seekable stream; reads it through in blocks, leaves it at its start.

    Raises `Malformed` naming the line where the bytes are in no encoding known here, so nothing garbled is imported.
    """
    stream.seek(0)
    head = stream.read(4096)
    if head.startswith(_UTF32):
        raise _refused(_("The file is UTF-32. Save it as UTF-8."))
    if head.startswith(codecs.BOM_UTF8):
        found = UTF8_BOM
    elif head.startswith(codecs.BOM_UTF16_LE):
        found = UTF16_LE
    elif head.startswith(codecs.BOM_UTF16_BE):
        found = UTF16_BE
    else:
        found = _utf16_without_mark(head) or UTF8
    fault = _first_fault(stream, found)
    if fault is not None and found == UTF8 and _first_fault(stream, GB18030) is None and _looks_chinese(stream):
        found, fault = GB18030, None
    stream.seek(0)
    if fault is not None:
        detail = _("Line %(line)s is neither UTF-8, UTF-16 nor GB18030. Save the file as UTF-8.") % {"line": fault}
        raise _refused(detail, line=fault)
    return found


def open_text(stream: IO[bytes], encoding: str) -> io.TextIOWrapper:
    """Return the stream as text from its start, without a byte order mark; line ends stay as they are."""
    stream.seek(0)
    if encoding in {UTF16_LE, UTF16_BE} and stream.read(2) not in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
        stream.seek(0)
    return io.TextIOWrapper(stream, encoding=encoding, newline="")
