"""``date``: the answer states a date. Fields: ``value`` ("2026-03-01", "2026-03" or "2026"), ``tolerance_days``,
``year_optional`` (true: a date without a year counts), ``day_first`` (03/04/2026 is 3 April; without it either reading
counts).

Read: 2026-03-01, 2026/3/1, 2026.3.1, 20260301, March 1, 2026; 1st (first) of March 2026; Mar 1 2026; 03/01/2026;
03/2026; 2026年3月1日(号); 二〇二六年三月一日; March 2026; 2026年3月; 3月1日; and a bare year where only the
year is asked.
A more exact date satisfies a less exact value. A date inside a negation does not count.
Worked example: value 2026-03-01: "自2026年3月1日起" passes, "not on March 1, 2026" fails.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.answers.negation import negated
from scoring.answers.numeral_words import chinese_value
from scoring.answers.result import AssertionResult
from scoring.answers.spec import flag, known, number_field, text_field
from scoring.answers.text import fold_case
from scoring.errors import AssertionSpecError
from scoring.types import SystemOutput

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sept sep", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = r"(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_ONES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_TEENS = ("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth")
_ORDINALS = {
    word: number
    for number, word in enumerate(
        (
            *_ONES, *_TEENS, "eighteenth", "nineteenth", "twentieth",
            *(f"twenty-{word}" for word in _ONES), "thirtieth", "thirty-first",
        ),
        1,
    )
}  # fmt: skip
_DAY = r"(?P<day>[0-3]?\d|" + "|".join(sorted(_ORDINALS, key=len, reverse=True)) + r")(?:st|nd|rd|th)?"
_ZH = "[零〇一二三四五六七八九十]"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\d.\-/])(?P<year>\d{4})\s?[-/.]\s?(?P<month>[01]?\d)\s?[-/.]\s?(?P<day>[0-3]?\d)(?![\d])",
        r"(?<!\d)(?P<year>(?:19|20)\d{2})(?P<month>[01]\d)(?P<day>[0-3]\d)(?!\d)",
        rf"(?P<year>\d{{4}}|{_ZH}{{4}})\s?年\s?(?P<month>\d{{1,2}}|{_ZH}{{1,2}})\s?月(?:份)?(?:\s?(?P<day>\d{{1,2}}|{_ZH}{{1,3}})\s?[日号])?",
        rf"\b{_MONTH}\s+{_DAY}(?!\d)(?:,?\s*(?:of\s+)?(?P<year>\d{{4}}))?\b",
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH},?(?:\s+(?P<year>\d{{4}}))?\b",
        rf"\b{_DAY}-{_MONTH}-(?P<year>\d{{4}})\b",
        rf"\b{_MONTH},?\s+(?:of\s+)?(?P<year>\d{{4}})\b",
        r"(?<![\d.\-/])(?P<first>[0-3]?\d)[/.\-](?P<second>[0-3]?\d)[/.\-](?P<year>\d{4})(?!\d)",
        r"(?<![\d.\-/])(?P<year>\d{4})-(?P<month>[01]\d)(?![\d\-])",
        r"(?<![\d.\-/])(?P<month>0?[1-9]|1[0-2])/(?P<year>(?:19|20)\d{2})(?![\d/])",
        rf"(?<![\d年])(?P<month>\d{{1,2}}|{_ZH}{{1,2}})\s?月\s?(?P<day>\d{{1,2}}|{_ZH}{{1,3}})\s?[日号]",
        rf"(?P<year>\d{{4}}|{_ZH}{{4}})\s?年(?!\s?\d{{1,2}}\s?月)",
        r"(?<![\d.,$¥€£\-/])(?P<year>(?:1[5-9]|20)\d{2})(?![\d.,]\d|\d|\s?(?:年|元|%|km|kg|people|人))",
    )
)


@dataclass(frozen=True, slots=True)
class _Found:
    year: int | None
    month: int | None
    day: int | None
    start: int
    end: int


def _whole(text: str | None) -> int | None:
    if text is None:
        return None
    if text.isdigit() and text.isascii():
        return int(text)
    if text in _MONTHS:
        return _MONTHS[text]
    if text in _ORDINALS:
        return _ORDINALS[text]
    value = chinese_value(text)
    return None if value is None else int(value)


def _readings(match: re.Match[str], day_first: bool | None) -> Iterator[_Found]:
    groups = match.groupdict()
    year = _whole(groups.get("year"))
    if "first" in groups:
        first, second = int(groups["first"]), int(groups["second"])
        orders: list[tuple[int | None, int | None]] = [(first, second), (second, first)]
        if day_first is not None:
            orders = orders[1:] if day_first else orders[:1]
    else:
        orders = [(_whole(groups.get("month")), _whole(groups.get("day")))]
    for month, day in orders:
        try:
            dt.date(year or 2000, month or 1, day or 1)
        except ValueError:
            continue
        yield _Found(year, month, day, *match.span())


def dates(text: str, day_first: bool | None = None) -> list[_Found]:
    """All dates of a text, the most exact reading of each place first; an ambiguous one gives both readings."""
    folded = fold_case(text)
    taken = bytearray(len(folded))
    found: list[_Found] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(folded):
            if any(taken[match.start() : match.end()]):
                continue
            readings = list(_readings(match, day_first))
            if readings:
                found.extend(readings)
                taken[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
    return sorted(found, key=lambda f: f.start)


def _wanted(assertion: Mapping[str, Any]) -> tuple[int, int | None, int | None]:
    value = text_field(assertion, "value") or ""
    match = re.fullmatch(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", value)
    if match is None:
        raise AssertionSpecError("/value", "must be YYYY-MM-DD, YYYY-MM or YYYY")
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None
    try:
        dt.date(year, month or 1, day or 1)
    except ValueError as error:
        raise AssertionSpecError("/value", f"is not a date: {error}") from error
    return year, month, day


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, "value", "tolerance_days", "year_optional", "day_first")
    _, _, day = _wanted(assertion)
    tolerance = number_field(assertion, "tolerance_days", 0)
    if tolerance and day is None:
        raise AssertionSpecError("/tolerance_days", "needs a value with a day")
    flag(assertion, "year_optional")
    flag(assertion, "day_first")


def _matches(found: _Found, wanted: tuple[int, int | None, int | None], tolerance: float, year_optional: bool) -> bool:
    year, month, day = wanted
    if found.year is None and not year_optional:
        return False
    if day is not None and found.day is not None and found.month is not None and month is not None:
        stated = dt.date(year if found.year is None else found.year, found.month, found.day)
        return abs((stated - dt.date(year, month, day)).days) <= tolerance
    if day is not None or (month is not None and found.month is None):
        return False
    return (found.year is None or found.year == year) and (month is None or found.month == month)


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when the date is stated."""
    wanted = _wanted(assertion)
    tolerance = number_field(assertion, "tolerance_days", 0) or 0.0
    optional = flag(assertion, "year_optional")
    day_first = flag(assertion, "day_first") if "day_first" in assertion else None
    found = dates(answer, day_first)
    denied: tuple[int, int] | None = None
    for date in found:
        try:
            agrees = _matches(date, wanted, tolerance, optional)
        except ValueError:
            # 29 February read into a year that has none.
            continue
        if not agrees:
            continue
        if negated(answer, date.start, date.end):
            denied = denied or (date.start, date.end)
            continue
        return AssertionResult(True, (date.start, date.end), "found")
    if denied is not None:
        return AssertionResult(False, denied, "only inside a negation")
    if found:
        return AssertionResult(False, (found[0].start, found[0].end), "another date, or a less exact one")
    return AssertionResult(False, None, "no date in the answer")
