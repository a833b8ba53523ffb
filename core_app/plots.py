"""Geometry of the server-rendered figures: values to percentages, axes, gaps. No markup here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core_app.badges import Badge, badge_for
from core_app.wording import as_number


@dataclass(frozen=True, slots=True)
class Axis:
    """A straight scale from `low` to `high`; positions are percent of the width."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Return the position of a value, cut to the axis."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(1.0, max(0.0, share)), 3)

    def ticks(self, about: int = 4) -> list[float]:
        """Return round values inside the axis, roughly `about` of them."""
        raw = (self.high - self.low) / max(1, about)
        magnitude = 10.0 ** math.floor(math.log10(raw))
        step = next(m * magnitude for m in (1, 2, 2.5, 5, 10) if m * magnitude >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [index * step for index in range(first, last + 1)]


def axis_around_zero(values: Iterable[float]) -> Axis:
    """Return an axis that holds all values and zero in its middle, with a margin of a tenth."""
    reach = max((abs(value) for value in values), default=0.0) or 0.1
    return Axis(-1.1 * reach, 1.1 * reach)


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One difference with its interval, in values and in percent of the axis."""

    label: str
    title: str
    href: str
    n: int | None
    estimate: float | None
    low: float | None
    high: float | None
    eps: float | None
    verdict: str
    badge: Badge
    x: float | None = None
    x_low: float | None = None
    x_high: float | None = None
    band_x: float | None = None
    band_width: float | None = None


_MARKS = ("estimate", "low", "high")


def forest_rows(rows: Sequence[Mapping[str, Any]]) -> tuple[list[ForestRow], Axis]:
    """Return the rows placed on one common axis, better always to the right: `lower_is_better` mirrors a row's marks.

    Values stay as they are. Rows without an estimate keep their place and have no mark.
    """
    read = [{key: as_number(row.get(key)) for key in ("estimate", "low", "high", "eps")} for row in rows]
    axis = axis_around_zero(value for numbers in read for value in numbers.values() if value is not None)
    placed = []
    for row, numbers in zip(rows, read):
        verdict = str(row.get("verdict") or "")
        eps = numbers["eps"]
        turned = -1 if row.get("lower_is_better") else 1
        at = {key: None if (value := numbers[key]) is None else axis.at(turned * value) for key in _MARKS}
        placed.append(
            ForestRow(
                label=str(row.get("label", "")),
                title=str(row.get("title") or row.get("label", "")),
                href=str(row.get("href") or ""),
                n=row.get("n"),
                verdict=verdict,
                badge=badge_for(verdict),
                **numbers,
                x=at["estimate"],
                x_low=at["low"],
                x_high=at["high"],
                band_x=None if eps is None else axis.at(-abs(eps)),
                band_width=None if eps is None else round(axis.at(abs(eps)) - axis.at(-abs(eps)), 3),
            )
        )
    return placed, axis


def polylines(
    values: Sequence[float | None], width: float, height: float, margin: float = 2.0
) -> list[list[tuple[float, float]]]:
    """Return the unbroken stretches of a line through `values` in a box; a missing value breaks the line."""
    numbers = [as_number(value) for value in values]
    known = [value for value in numbers if value is not None]
    if not known:
        return []
    low, high = min(known), max(known)
    reach = high - low
    step = (width - 2 * margin) / max(1, len(numbers) - 1)
    stretches: list[list[tuple[float, float]]] = [[]]
    for index, value in enumerate(numbers):
        if value is None:
            stretches.append([])
            continue
        share = (value - low) / reach if reach else 0.5
        stretches[-1].append(
            (round(margin + index * step, 2), round(height - margin - share * (height - 2 * margin), 2))
        )
    return [stretch for stretch in stretches if stretch]
