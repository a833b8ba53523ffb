"""Reading text as people write it: folding that keeps positions, word boundaries in English and Chinese, clauses."""

from __future__ import annotations

import re
import unicodedata

from scoring.chars import is_cjk

_FULLWIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F) if code != 0xFF0C}
#: The full-width comma ends a clause; only among full-width digits does it group thousands.
_GROUPING = re.compile("(?<=[０-９])，(?=[０-９]{3}(?![０-９]))")
_ONE_TO_ONE = {
    0x3000: 0x20,
    0x00A0: 0x20,
    0x202F: 0x20,
    0x2009: 0x20,
    0x2007: 0x20,
    0x2018: 0x27,
    0x2019: 0x27,
    0x02BC: 0x27,
    0x201C: 0x22,
    0x201D: 0x22,
    0x2010: 0x2D,
    0x2011: 0x2D,
    0x2012: 0x2D,
    0x2013: 0x2D,
    0x2014: 0x2D,
    0x2015: 0x2D,
    0x2212: 0x2D,
    0xFE63: 0x2D,
    0x223C: 0x7E,
    0x301C: 0x7E,
}
_FOLD = {**_FULLWIDTH, **_ONE_TO_ONE}


def fold(text: str) -> str:
    """Full-width forms, typographic quotes, dashes and spaces as plain ones. Length and positions stay the same."""
    return _GROUPING.sub(",", text).translate(_FOLD)


def fold_case(text: str) -> str:
    """``fold`` and lower case, character by character, so that positions stay the same."""
    folded = fold(text)
    lowered = folded.lower()
    if len(lowered) == len(folded):
        return lowered
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in folded)


_EDGE = " \t\r\n.,;:!?\"'`。，；：！？、“”‘’「」『』()[]{}<>《》*_-"


def normalize(text: str, case_sensitive: bool = False) -> str:
    """For comparing whole answers: NFKC, one space between words, no punctuation or markdown at the ends, case
    folded.
    """
    value = fold(unicodedata.normalize("NFKC", text))
    value = " ".join(value.split())
    value = value.strip(_EDGE)
    return value if case_sensitive else value.casefold()


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word, so that no word boundary lies between them."""
    if is_cjk(left) or is_cjk(right):
        return False
    return (left.isalnum() or left == "_") and (right.isalnum() or right == "_")


def occurrences(text: str, value: str, case_sensitive: bool = False) -> list[tuple[int, int]]:
    """Word-bounded places of ``value`` in ``text``; spaces in it match any white space.

    Latin letters and digits may not run on at either end ("30" is not in "300" or "3.30"); Chinese has no such bounds.
    """
    haystack = fold(text) if case_sensitive else fold_case(text)
    needle = (fold(value) if case_sensitive else fold_case(value)).strip()
    words = needle.split()
    if not words:
        return []
    found: list[tuple[int, int]] = []
    for match in re.finditer(r"\s+".join(re.escape(word) for word in words), haystack):
        start, end = match.span()
        if start and _joins(haystack[start - 1], haystack[start]):
            continue
        if end < len(haystack) and _joins(haystack[end - 1], haystack[end]):
            continue
        if _inside_number(haystack, start, end):
            continue
        found.append((start, end))
    return found


def _inside_number(text: str, start: int, end: int) -> bool:
    """True where the hit is a piece of a longer number: 30 in 30.5, 1,300 or 3.30."""
    if text[start].isdigit() and start >= 2 and text[start - 1] in ".," and text[start - 2].isdigit():
        return True
    return text[end - 1].isdigit() and end + 1 < len(text) and text[end] in ".," and text[end + 1].isdigit()


_SENTENCE_END = re.compile(r"[。！？；!?;\n]|\.(?=\s|$|[\"')\]])")


def sentence_bounds(text: str, position: int) -> tuple[int, int]:
    """The sentence around a position as ``[start, end)``; a decimal point does not end a sentence."""
    start, end = 0, len(text)
    for match in _SENTENCE_END.finditer(text):
        if match.end() <= position:
            start = match.end()
        elif match.start() >= position:
            end = match.start()
            break
    return start, end
