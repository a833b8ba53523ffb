"""Which numbers of a text belong to a named entity.

In the sentence of each mention: the first number after the mention in its clause; else the last one before it there;
else the first one in a later clause that names nothing before it; else the last one in an earlier clause. With
"respectively" or 分别 the n-th name goes with the n-th number.
Worked example: "A套餐30元，B套餐50元": B套餐 has 50 alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from scoring.answers.text import fold_case, occurrences, sentence_bounds

_CLAUSE = re.compile(r"[,，、；;：:（）()\n]|\b(?:and|while|whereas|but|versus|vs)\b|而|和|以及|但|比")
_RESPECTIVELY = re.compile(r"\brespectively\b|分别|依次")
#: An aside about something else ("unlike Basic at $30,"): its numbers are not the entity's.
_ASIDE = re.compile(
    r"\s*(?:unlike|compared (?:to|with)|in contrast to|as opposed to|rather than|not like)\b"
    r"|\s*(?:不同于|区别于|相比于?|不像)"
)
_LIST = re.compile(r"\s*(?:,\s*and\b|,|、|，|\band\b|和|与|及|以及)\s*")


def _clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts = [start]
    for match in _CLAUSE.finditer(text, start, end):
        inside_number = (
            match.group() == ","
            and match.end() < end
            and text[match.end()].isdigit()
            and text[match.start() - 1].isdigit()
        )
        if not inside_number:
            cuts.append(match.end())
    cuts.append(end)
    return [(a, b) for a, b in pairwise(cuts) if b > a]


def _listed(
    text: str, bounds: tuple[int, int], mention: tuple[int, int], numbers: Sequence[tuple[int, int]]
) -> tuple[int, int] | None:
    """The number that "respectively" gives to the mention, or None where the lists do not match."""
    start, end = bounds
    if not _RESPECTIVELY.search(text, start, end):
        return None
    inside = [n for n in numbers if start <= n[0] < end and n[0] >= mention[1]]
    if len(inside) < 2:
        return None
    names = _LIST.split(text[start : inside[0][0]])
    place = len(_LIST.split(text[start : mention[0]])) - 1 if mention[0] > start else 0
    return inside[place] if len(names) == len(inside) and place < len(inside) else None


def bound(answer: str, names: Sequence[str], numbers: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of the numbers (``[start, end)`` in the answer), those that belong to the entity under any of its names."""
    text = fold_case(answer)
    found: list[tuple[int, int]] = []
    mentions = sorted({place for name in names for place in occurrences(answer, name)})
    for mention in mentions:
        bounds = sentence_bounds(text, mention[0])
        chosen = _listed(text, bounds, mention, numbers) or _nearest(text, bounds, mention, mentions, numbers)
        if chosen is not None:
            found.append(chosen)
    return found


def _nearest(
    text: str,
    bounds: tuple[int, int],
    mention: tuple[int, int],
    mentions: Sequence[tuple[int, int]],
    numbers: Sequence[tuple[int, int]],
) -> tuple[int, int] | None:
    clauses = _clauses(text, *bounds)
    own = next((i for i, (a, b) in enumerate(clauses) if a <= mention[0] < b), 0)

    def within(index: int) -> list[tuple[int, int]]:
        a, b = clauses[index]
        return [n for n in numbers if a <= n[0] < b and not (mention[0] <= n[0] < mention[1])]

    here = within(own)
    after = [n for n in here if n[0] >= mention[1]]
    if after:
        return after[0]
    if here:
        return here[-1]
    for index in range(own + 1, len(clauses)):
        later = [] if _ASIDE.match(text, clauses[index][0]) else within(index)
        if later:
            return later[0]
    for index in range(own - 1, -1, -1):
        earlier = within(index)
        if earlier:
            return earlier[-1]
    return None
