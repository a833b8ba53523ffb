"""``number``: the answer states a number, in any unit that measures the same, in any usual way of writing it.

Fields: ``value`` (a number, or ``[low, high]`` for a range), ``unit``, ``abs_tol``, ``rel_tol`` (of the value),
``entity`` (a text or a list of names: the number must belong to it), ``unit_optional`` (true: a bare number counts).

The answer's number is converted to the assertion's unit and must lie within ``max(abs_tol, rel_tol * |value|)``;
without tolerances it must be equal but for rounding noise. Months and years against days allow 2 %, since their length
is an average. A number inside a negation does not count, nor does one end of a range; parts of one quantity ("1 hour
30 minutes", 1米75) are one number. A bound or a hedge ("up to 30 days", 不到30天, 约30天) is read as its number: what
kind of bound was meant is not compared. Without a unit, a percentage matches 30 as well as 0.3. Entity binding: see
``binding``.
Worked examples: value 30, unit day: "within thirty days", "30天内", "一个月左右" pass, "30 business days" and
"3-30 days" fail; value 30000, unit 元: "3万元" passes, "3万美元" fails.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from scoring.answers import units
from scoring.answers.binding import bound
from scoring.answers.negation import negated
from scoring.answers.numerals import Numeral, numerals
from scoring.answers.result import AssertionResult
from scoring.answers.spec import as_number, flag, known, number_field, text_field, texts_field
from scoring.answers.text import fold
from scoring.chars import is_cjk
from scoring.errors import AssertionSpecError
from scoring.types import SystemOutput

_NOISE = 1e-9
_TIME = frozenset({"year", "day", "month", "week", "hour", "minute"})
_HALF_AFTER = re.compile(r"半|\s+and\s+a\s+half\b", re.IGNORECASE)
#: Between the parts of one quantity: "1 hour and 30 minutes", "6 ft, 2 in", 1小时30分钟, 两年零三个月.
_JOINT = re.compile(r"\s*(?:,\s*|and\s+|零|又)?\Z", re.IGNORECASE)
#: 1米75, 19块9: the digits after the unit are its decimals.
_DECIMALS_AFTER = {"meter": 2, "CNY": 1}


def _wanted(assertion: Mapping[str, Any]) -> tuple[float, float | None]:
    value = assertion.get("value")
    if value is None:
        raise AssertionSpecError("/value", "is needed")
    if isinstance(value, (list, tuple)):
        if len(value) != 2:
            raise AssertionSpecError("/value", "a range has two ends")
        low, high = (as_number(entry, f"/value/{i}") for i, entry in enumerate(value))
        if low > high:
            raise AssertionSpecError("/value", "the lower end comes first")
        return low, high
    return as_number(value, "/value"), None


def validate(assertion: Mapping[str, Any]) -> None:
    """Raises AssertionSpecError."""
    known(assertion, "value", "unit", "abs_tol", "rel_tol", "entity", "unit_optional")
    _wanted(assertion)
    number_field(assertion, "abs_tol", 0)
    number_field(assertion, "rel_tol", 0)
    flag(assertion, "unit_optional")
    texts_field(assertion, "entity", required=False)
    unit = text_field(assertion, "unit", required=False)
    if unit is not None and units.known_unit(unit) is None:
        raise AssertionSpecError("/unit", f"{unit!r} is not a known unit")


class _Candidate:
    """A number of the answer with its unit."""

    def __init__(self, numeral: Numeral, text: str) -> None:
        self.numeral = numeral
        self.start, self.end = numeral.start, numeral.end
        self.unit: str | None = None
        #: The smallest unit that has been joined to this number so far.
        self.smallest: str | None = None
        after = None if numeral.percent else units.unit_after(text, numeral.end)
        before = units.unit_before(text, numeral.start)
        if before is not None:
            self.unit = before
            if after is not None and after[0] == before:
                self.end = after[1]
        elif after is not None:
            self.unit, self.end = after
        if numeral.percent:
            self.unit = "percent"
        if self.unit is not None:
            self.unit = units.speed_of(text, numeral.start, self.unit)
        half = _HALF_AFTER.match(text, self.end) if self.unit in _TIME and numeral.high is None else None
        if half is not None and (half.group() == "半" or numeral.value % 1 == 0):
            # 两年半, two years and a half: the half stands after the unit.
            self.numeral = Numeral(numeral.value + 0.5, numeral.start, numeral.end)
        if half is not None:
            self.end = half.end()

    def values(self, unit: str | None, unit_optional: bool) -> list[tuple[float, float | None]]:
        """What the number amounts to in the wanted unit: none where it measures something else."""
        numeral = self.numeral
        pair = (numeral.value, numeral.high)
        if unit is None:
            return [pair, (numeral.value * 100, _times(numeral.high, 100))] if numeral.percent else [pair]
        if numeral.percent:
            return [(numeral.value * 100, _times(numeral.high, 100))] if unit == "percent" else []
        if self.unit is None:
            shares = (
                [(numeral.value * 100, _times(numeral.high, 100))] if unit == "percent" and numeral.value <= 1 else []
            )
            return [pair, *shares] if unit_optional else shares
        if not units.comparable(self.unit, unit):
            return []
        high = None if numeral.high is None else units.convert(numeral.high, self.unit, unit)
        return [(units.convert(numeral.value, self.unit, unit), high)]


def _joined(candidates: list[_Candidate], text: str) -> list[_Candidate]:
    """The candidates, parts of one quantity ("1 hour 30 minutes") put together in the unit of the first."""
    found: list[_Candidate] = []
    for candidate in candidates:
        before = found[-1] if found else None
        part = _part(before, candidate, text) if before is not None else None
        if before is not None and part is not None:
            value = float(f"{before.numeral.value + part:.15g}")
            before.numeral = Numeral(value, before.numeral.start, before.numeral.end)
            before.end, before.smallest = candidate.end, candidate.unit
        else:
            found.append(candidate)
    return found


def _part(before: _Candidate, candidate: _Candidate, text: str) -> float | None:
    """What the second number adds to the first, in the first one's unit; None where it is a number of its own."""
    one, two = before.numeral, candidate.numeral
    if before.unit is None or one.high is not None or two.high is not None or two.value < 0 or one.value < 0:
        return None
    gap = text[before.end : candidate.start]
    if candidate.unit is None:
        written = text[candidate.start : candidate.end]
        digits = _DECIMALS_AFTER.get(before.unit, 0)
        if gap or two.percent or not is_cjk(text[before.end - 1]) or not 0 < len(written) <= digits:
            return None
        return two.value / 10 ** len(written) if two.value == int(two.value) and two.value < 100 else None
    smallest = before.smallest or before.unit
    if candidate.unit == smallest or two.percent or not _JOINT.match(gap):
        return None
    if not units.comparable(candidate.unit, smallest) or candidate.unit in _OFFSET:
        return None
    if units.convert(1.0, candidate.unit, smallest) >= 1.0 or units.convert(two.value, candidate.unit, smallest) >= 1.0:
        return None
    return units.convert(two.value, candidate.unit, before.unit)


_OFFSET = frozenset({"degree_Celsius", "degree_Fahrenheit", "kelvin"})


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def check(assertion: Mapping[str, Any], answer: str, output: SystemOutput | None) -> AssertionResult:
    """Pass when a number of the answer, bound to the entity where one is named, is the value."""
    low, high = _wanted(assertion)
    given_unit = text_field(assertion, "unit", required=False)
    unit = units.known_unit(given_unit) if given_unit else None
    if given_unit and unit is None:
        raise AssertionSpecError("/unit", f"{given_unit!r} is not a known unit")
    optional = flag(assertion, "unit_optional")
    text = fold(answer)
    candidates = _joined([_Candidate(numeral, text) for numeral in numerals(answer)], text)
    fitting = [c for c in candidates if c.values(unit, optional)]
    if not fitting:
        reason = "no number with that unit" if candidates else "no number"
        return AssertionResult(False, None, f"{reason} in the answer")
    entity = texts_field(assertion, "entity", required=False)
    if entity:
        chosen = set(bound(answer, entity, [(c.start, c.end) for c in fitting]))
        fitting = [c for c in fitting if (c.start, c.end) in chosen]
        if not fitting:
            return AssertionResult(False, None, f"no number belongs to {entity[0]!r}")
    return _decide(assertion, answer, fitting, unit, optional, low, high)


def _decide(
    assertion: Mapping[str, Any],
    answer: str,
    fitting: list[_Candidate],
    unit: str | None,
    optional: bool,
    low: float,
    high: float | None,
) -> AssertionResult:
    absolute = number_field(assertion, "abs_tol", 0) or 0.0
    relative = number_field(assertion, "rel_tol", 0) or 0.0
    denied: _Candidate | None = None
    partly: _Candidate | None = None
    for candidate in fitting:
        rel = relative
        if unit and candidate.unit and units.calendar(unit, candidate.unit):
            rel = max(rel, units.CALENDAR_TOLERANCE)

        def close(found: float, wanted: float, rel: float = rel) -> bool:
            return abs(found - wanted) <= max(absolute, rel * abs(wanted)) + _NOISE * max(1.0, abs(wanted))

        for value, top in candidate.values(unit, optional):
            if high is None and top is not None:
                partly = partly or (candidate if close(value, low) or close(top, low) else None)
                continue
            if not close(value, low) or (high is not None and (top is None or not close(top, high))):
                continue
            if negated(answer, candidate.start, candidate.end):
                denied = denied or candidate
                continue
            return AssertionResult(
                True, (candidate.start, candidate.end), f"found {answer[candidate.start : candidate.end]!r}"
            )
    if denied is not None:
        return AssertionResult(False, (denied.start, denied.end), "only inside a negation")
    if partly is not None:
        return AssertionResult(False, (partly.start, partly.end), "only as one end of a range")
    other = fitting[0]
    return AssertionResult(False, (other.start, other.end), f"another number: {answer[other.start : other.end]!r}")
