"""Numbers, times and differences as text: what the template tags print."""

from __future__ import annotations

import difflib
import math
import re
from datetime import UTC, datetime

from django.utils.translation import gettext, ngettext

MINUS = "−"
#: A run of one script's letters and digits, one CJK character, one run of spaces, or one other sign.
_TOKEN = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]|\w(?:(?![\u3400-\u9fff\u3040-\u30ff])\w)*|\s+|.", re.S
)
#: Beyond this many tokens a word diff costs more than it tells.
DIFF_LIMIT = 3000
#: Texts that share less than this of their tokens are two texts: their diff would be a patchwork.
DIFF_LEAST = 0.5


def as_number(value: object) -> float | None:
    """Return a finite number, or None for nothing, NaN, infinity and text that is no number."""
    if value is None or value == "":
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return number if math.isfinite(number) else None


def fixed(value: float, digits: int) -> str:
    """Return fixed decimals with a true minus sign; a value that rounds to zero has no sign."""
    text = f"{abs(value):,.{digits}f}"
    negative = value < 0 and float(f"{value:.{digits}f}") != 0
    return MINUS + text if negative else text


def with_sign(value: float, digits: int) -> str:
    """Return fixed decimals with + or −, and no sign where the value rounds to zero."""
    rounded = float(f"{value:.{digits}f}")
    text = fixed(value, digits)
    return f"+{text}" if rounded > 0 else text


def short_metric(identity: str) -> str:
    """Return a metric's short name: name, cutoff, stage and judge where there are any (`ndcg@10 · rerank`).

    The full identity belongs into the title beside it.
    """
    head, *rest = str(identity).split() or [""]
    name = head.split(".", 1)[-1]
    parts = dict(part.split("=", 1) for part in rest if "=" in part)
    extra = [parts[key] for key in ("stage", "variant", "judge") if key in parts]
    return " · ".join([name, *extra])


def ago(then: datetime, now: datetime) -> str:
    """Return how long ago (or ahead) a moment is, in its largest whole unit."""
    seconds = (now - then).total_seconds()
    if seconds < -1:
        return gettext("in %(span)s") % {"span": span(-seconds)}
    if seconds < 45:
        return gettext("just now")
    return gettext("%(span)s ago") % {"span": span(seconds)}


def span(seconds: float) -> str:
    """Return a length of time in its largest whole unit, at least one minute."""
    minutes = max(1, int(seconds // 60))
    hours, days = int(seconds // 3600), int(seconds // 86400)
    if days >= 365:
        return ngettext("%(n)d year", "%(n)d years", days // 365) % {"n": days // 365}
    if days >= 60:
        return ngettext("%(n)d month", "%(n)d months", days // 30) % {"n": days // 30}
    if days:
        return ngettext("%(n)d day", "%(n)d days", days) % {"n": days}
    if hours:
        return ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours}
    return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}


def moment(value: datetime | str) -> datetime | None:
    """Return an aware UTC moment from a datetime or ISO text, or None."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def word_diff(old: str, new: str) -> list[tuple[str, str]]:
    """Return (`equal`, `insert` or `delete`, text) pieces that turn `old` into `new`; CJK goes by character."""
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    if old == new:
        return [("equal", old)] if old else []
    if len(before) + len(after) > DIFF_LIMIT:
        return [("delete", old), ("insert", new)]
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    if before and after and matcher.ratio() < DIFF_LEAST:
        return [("delete", old), ("insert", new)]
    pieces: list[tuple[str, str]] = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(("equal", "".join(before[a:b])))
            continue
        if b > a:
            pieces.append(("delete", "".join(before[a:b])))
        if d > c:
            pieces.append(("insert", "".join(after[c:d])))
    return pieces
