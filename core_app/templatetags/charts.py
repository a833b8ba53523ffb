"""Figures as SVG rendered on the server; each has its numbers beside it, so that nobody depends on the drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from core_app.plots import forest_rows, polylines
from core_app.wording import as_number, fixed, with_sign

register = template.Library()


@register.inclusion_tag("components/forest_plot.html")
def forest_plot(rows: Sequence[Mapping[str, Any]], caption: str = "", digits: int = 3) -> dict[str, Any]:
    """Differences with intervals on one axis around zero, each row's numbers and verdict beside its mark."""
    placed, axis = forest_rows(list(rows))
    ticks = [(axis.at(tick), with_sign(tick, 2)) for tick in axis.ticks()]
    has_n = any(row.n is not None for row in placed)
    return {
        "rows": placed,
        "caption": caption or _("Differences with their intervals"),
        "digits": digits,
        "zero": axis.at(0.0),
        "ticks": ticks,
        "has_n": has_n,
        "has_band": any(row.eps is not None for row in placed),
        "columns_before": 1,
        "columns_after": 3 + has_n,
    }


@register.simple_tag
def bar_cell(value: Any, max: Any = 1, digits: int = 3) -> SafeString:
    """Return a number with a thin bar of its share of `max`."""
    number, largest = as_number(value), as_number(max)
    if number is None:
        return no_value()
    share = 0.0 if not largest else min(1.0, abs(number) / abs(largest))
    return format_html(
        '<span class="bar-cell"><span class="num">{}</span>'
        '<svg width="48" height="6" aria-hidden="true" focusable="false">'
        '<rect class="bar-track" width="100%" height="6" rx="2"/>'
        '<rect class="bar-fill" width="{}%" height="6" rx="2"/></svg></span>',
        fixed(number, int(digits)),
        f"{100 * share:.2f}",
    )


@register.simple_tag
def sparkline(values: Sequence[float | None], label: str = "", digits: int = 3) -> SafeString:
    """Return a small line through the values, with first, last, least and greatest in words; None breaks the line."""
    width, height = 96, 22
    numbers = [number for number in map(as_number, values) if number is not None]
    if not numbers:
        return no_value()
    words = _("%(label)s from %(first)s to %(last)s, least %(least)s, greatest %(greatest)s") % {
        "label": label or _("Trend"),
        "first": fixed(numbers[0], digits),
        "last": fixed(numbers[-1], digits),
        "least": fixed(min(numbers), digits),
        "greatest": fixed(max(numbers), digits),
    }
    stretches = polylines(values, width, height, 3.0)
    lines = format_html_join(
        "",
        '<polyline points="{}"/>',
        ((" ".join(f"{x},{y}" for x, y in stretch),) for stretch in stretches if len(stretch) > 1),
    )
    last_x, last_y = stretches[-1][-1]
    return format_html(
        '<svg class="sparkline" width="{}" height="{}" viewBox="0 0 {} {}" role="img" aria-label="{}"><title>{}</title>'
        "{}"
        '<circle cx="{}" cy="{}" r="2.5"/></svg>',
        width, height, width, height, words, words, lines, last_x, last_y,
    )  # fmt: skip


def no_value(reason: str = "") -> SafeString:
    """Return the sign for a value that is not there, with words for those who can't see it."""
    words = reason or _("no value")
    return format_html(
        '<span class="none" title="{}"><span aria-hidden="true">–</span><span class="visually-hidden">{}</span></span>',
        words,
        words,
    )
