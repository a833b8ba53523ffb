"""Numbers as people write them, in English and Chinese, with their places in the text.

Read: 1,234.5; 1 234; full-width １２３; 3.2M, 5k, 2 million, 1.5 billion; thirty, twenty-five, two hundred and fifty;
三十, 一百二十, 两千五, 三万五, 1.2万, 1亿2000万, 百分之三十, 三成, 一半; 1/2, half a; -5, minus 5, 零下5;
ranges 3-5, 3到5, 3 to 5.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from scoring.answers.numeral_words import (
    EN_SCALE,
    EN_TENS,
    EN_UNITS,
    ZH_BIG,
    ZH_CHARS,
    ZH_DIGIT,
    ZH_SMALL,
    chinese_value,
    english_value,
)
from scoring.answers.text import fold_case
from scoring.chars import is_cjk

_SUFFIX = {"k": 1e3, "m": 1e6, "mn": 1e6, "mm": 1e6, "b": 1e9, "bn": 1e9, "tn": 1e12}

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_ARABIC = re.compile(
    rf"(?P<num>{_DIGITS})(?:[eE](?P<exp>[+-]?\d{{1,3}}))?"
    rf"(?:\s?/\s?(?P<den>[1-9]\d*)(?![\d/.]))?"
)
_WORD = "|".join([*EN_TENS, *sorted(EN_UNITS, key=len, reverse=True)])
_SCALES = "|".join(EN_SCALE)
_EN_WORDS = re.compile(
    rf"\b(?:an?[\s-]+(?=(?:{_SCALES})\b))?(?:(?:{_WORD}|{_SCALES})(?:[\s-]+(?:and\s+)?(?=(?:{_WORD}|{_SCALES})\b))?)+\b"
)
_EN_FRACTION = re.compile(
    r"\b(?<!and )(?<!and a )(?<!and one )(?:(?P<half>half)|(?:(?P<top>a|an|one|two|three|four|five)[\s-])"
    r"(?P<bottom>half|halves|thirds?|quarters?|fourths?|fifths?|tenths?))"
    r"\b(?:\s+(?:of\s+)?(?:an?|the)\b)?"
)
_FRACTION = {"half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "tenth": 10}
_ZH_NUMBER = re.compile(rf"[{ZH_CHARS}]+(?:点[{''.join(ZH_DIGIT)}]+)?[{''.join(ZH_BIG)}]?半?")
_ZH_PERCENT = re.compile(
    rf"(?P<base>百分之|千分之|万分之)(?P<value>[{ZH_CHARS}]+(?:点[{''.join(ZH_DIGIT)}]+)?|\d+(?:\.\d+)?)"
)
_ZH_FRACTION = re.compile(rf"(?P<bottom>[{ZH_CHARS}]+|\d+)分之(?P<top>[{ZH_CHARS}]+|\d+)")
#: "It takes an hour": one of a unit of time. Not "once an hour" or "$30 a year", which are rates.
_EN_ONE = re.compile(
    r"(?:^|\b(?:takes?|taking|took|lasts?|for|within|in|about|around|approximately|roughly|under|over|than|is|of|least|most"
    r"|another)\s+)(?P<one>an?)(?=\s(?:second|minute|hour|day|week|fortnight|month|year)\b)"
)
_RANGE = re.compile(r"\s*(?:-|~|—|至|到|–|\bto\b|\bthrough\b|\buntil\b)\s*")
_BETWEEN = re.compile(r"\s*(?:and|和|与)\s*")
#: A sign may follow a Chinese character (增长率为-3%) but not a unit: in "3天-5天" it is a range.
_NEGATIVE = re.compile(r"(?:(?<![a-z0-9_.)\]%])-\s?|\b(?:minus|negative)\s+|零下|负)(?:[$¥€£]\s?)?\Z")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number at ``[start, end)``; ``percent`` True: written as a share of a base, already divided by it.

    ``high`` is the upper end of a range, else None. ``shape`` is digits, words or chinese.
    """

    value: float
    start: int
    end: int
    percent: bool = False
    high: float | None = None
    shape: str = "digits"


def _magnitude(text: str, end: int) -> tuple[float, int]:
    """A magnitude written after digits: 万, 千万, 亿, k, million; factor and where it ends."""
    match = re.compile(r"\s?((?:十|百|千)?[万萬]?[亿億]|(?:十|百|千)?[万萬]|[百千](?![克米瓦卡帕伏赫字位兆分]))").match(
        text, end
    )
    if match:
        factor = 1.0
        for char in match.group(1):
            factor *= ZH_SMALL.get(char) or ZH_BIG[char]
        return factor, match.end()
    match = re.compile(rf"[\s-]?({_SCALES})s?\b").match(text, end)
    if match and match.group(1) != "hundred":
        return float(EN_SCALE[match.group(1)]), match.end()
    if match:
        return 100.0, match.end()
    match = re.compile(r"(k|mn|bn|tn|b|m)(?![\w²³/°])").match(text, end)
    if match:
        return _SUFFIX[match.group(1)], match.end()
    return 1.0, end


def _arabic(text: str) -> list[Numeral]:
    found: list[Numeral] = []
    place = 0
    while True:
        match = _ARABIC.search(text, place)
        if match is None:
            return found
        start, end = match.start(), match.end()
        place = end
        if start and (text[start - 1].isalnum() or text[start - 1] == "_") and not is_cjk(text[start - 1]):
            continue
        if start >= 2 and text[start - 1] == "." and text[start - 2].isdigit():
            continue
        value = float(f"{match['num'].replace(',', '').replace(' ', '')}e{match['exp'] or 0}")
        if match["den"]:
            value /= float(match["den"])
        factor, end = _magnitude(text, end)
        value *= factor
        while factor >= 10_000:
            # 1亿2000万, 3万5千: a smaller part goes on right after.
            more = re.compile(rf"({_DIGITS})").match(text, end)
            if more is None:
                break
            part, stop = _magnitude(text, more.end())
            if not 1.0 < part < factor:
                break
            value += float(more.group(1).replace(",", "")) * part
            factor, end = part, stop
        if text[end : end + 1] == "半" and factor > 1.0:
            value, end = value + factor / 2, end + 1
        place = max(place, end)
        # "1e999" is text, not a quantity that anything could be held against.
        if math.isfinite(value):
            found.append(Numeral(_round(value), start, end))


def _round(value: float) -> float:
    """Undo binary noise from multiplying decimals (1.2 x 10000 = 12000.000000000002)."""
    return float(f"{value:.15g}")


def _percent(text: str, numeral: Numeral) -> Numeral:
    match = re.compile(
        r"\s?(%|‰|percent\b|per cent\b|pct\b|个?百分点|percentage points?\b|成(?![为立本功员果交品就年熟绩分人效长语]))"
    ).match(text, numeral.end)
    if match is None:
        return numeral
    mark = match.group(1)
    if "百分点" in mark or mark.startswith("percentage"):
        return numeral
    base = 1000.0 if mark == "‰" else 10.0 if mark == "成" else 100.0
    value, end = numeral.value, match.end()
    if mark == "成" and (half := re.compile(rf"(半|[{''.join(ZH_DIGIT)}])").match(text, end)):
        value += 0.5 if half.group() == "半" else ZH_DIGIT[half.group()] / 10
        end = half.end()
    return Numeral(_round(value / base), numeral.start, end, True, None, numeral.shape)


_HALF = re.compile(r"个半(?!月刊)|[\s-]and[\s-](?:a|one)[\s-]half\b")


def _and_a_half(text: str, numeral: Numeral) -> Numeral:
    """两个半, two and a half."""
    match = _HALF.match(text, numeral.end)
    if match is None:
        return numeral
    return Numeral(numeral.value + 0.5, numeral.start, match.end(), numeral.percent, None, numeral.shape)


_AFTER_NUMBER = re.compile(rf"[\d半{ZH_CHARS}]\s?[\u4e00-\u9fff°℃℉]{{0,3}}\Z")


def _signed(text: str, numeral: Numeral) -> Numeral:
    match = _NEGATIVE.search(text, max(0, numeral.start - 12), numeral.start)
    if match is None:
        return numeral
    after_cjk = match.group().startswith("-") and is_cjk(text[match.start() - 1 : match.start()] or " ")
    if after_cjk and _AFTER_NUMBER.search(text, max(0, match.start() - 6), match.start()):
        return numeral
    return Numeral(-numeral.value, match.start(), numeral.end, numeral.percent, numeral.high, numeral.shape)


def _plain(text: str) -> float | None:
    """The value of ASCII digits or of a Chinese numeral."""
    return float(text) if text[0].isdigit() and text[0].isascii() else chinese_value(text)


def numerals(text: str) -> list[Numeral]:
    """All numbers of a text in order; ranges as one numeral with ``high``. Positions are those of ``text``."""
    folded = fold_case(text)
    found: list[Numeral] = []
    taken = bytearray(len(folded))

    def add(numeral: Numeral) -> None:
        if not any(taken[numeral.start : numeral.end]):
            found.append(numeral)
            taken[numeral.start : numeral.end] = b"\x01" * (numeral.end - numeral.start)

    for match in _ZH_PERCENT.finditer(folded):
        value = _plain(match["value"])
        if value is not None:
            base = {"百": 100.0, "千": 1000.0, "万": 10_000.0}[match["base"][0]]
            add(Numeral(_round(value / base), match.start(), match.end(), True, None, "chinese"))
    for match in _ZH_FRACTION.finditer(folded):
        bottom_value, top_value = _plain(match["bottom"]), _plain(match["top"])
        if bottom_value and top_value is not None:
            add(Numeral(_round(top_value / bottom_value), match.start(), match.end(), False, None, "chinese"))
    for match in _EN_ONE.finditer(folded):
        halves = folded[match.end() :].split(None, 4)[1:4] == ["and", "a", "half"]
        add(Numeral(1.5 if halves else 1.0, match.start("one"), match.end("one"), False, None, "words"))
    for numeral in _arabic(folded):
        add(_percent(folded, _and_a_half(folded, numeral)))
    for match in _EN_FRACTION.finditer(folded):
        top = 1 if match["half"] or match["top"] in ("a", "an") else EN_UNITS[match["top"]]
        bottom = 2 if match["half"] else _FRACTION[match["bottom"].rstrip("s")]
        add(Numeral(top / bottom, match.start(), match.end(), False, None, "words"))
    for match in _EN_WORDS.finditer(folded):
        words = english_value(match.group())
        if words is not None:
            numeral = Numeral(words, match.start(), match.end(), False, None, "words")
            add(_percent(folded, _and_a_half(folded, numeral)))
    for match in _ZH_NUMBER.finditer(folded):
        value = chinese_value(match.group())
        if value is not None and not _idiom(folded, match.start(), match.end()):
            numeral = Numeral(value, match.start(), match.end(), False, None, "chinese")
            add(_percent(folded, _and_a_half(folded, numeral)))
    for match in re.finditer("(?<!另)一?半(?!年度|成品|导体|径|夜|天假|路|价|岛|球|场)", folded):
        if match.group() == "一半" or re.match("个?(?:小时|年|天|月|钟头|公里|斤)|[年天]", folded[match.end() :]):
            add(Numeral(0.5, match.start(), match.end(), False, None, "chinese"))
    found.sort(key=lambda n: n.start)
    return _ranges(folded, [_signed(folded, n) for n in found])


_IDIOMS = re.compile(
    "一(?:般|些|定|样|直|起|旦|致|律|切|并|边|面|方面|共|经|概|再|下|时|同|向|贯|度|体|线|站|流|番|种|个人|点|系列)|"
    "万(?:一|能|分|无|物|科|达)|千(?:万(?!元|人|美|台|件|次|吨|公|千|米|斤|个|年|户|条|字|块|级|以|多|左|人民)|方百计|篇一律)|百(?:科|货|姓|度|般|分)|十(?:分(?!钟|之)|足)|"
    "三(?:星|方|明|亚|者)|四(?:川|处|周|肢)|五(?:金|官|粮)|六合|七夕|八卦|九(?:州|寨)|两(?:者|边|侧|岸)|零(?:售|食|件|部件|配件|钱|下|散)"
)


def _idiom(text: str, start: int, end: int) -> bool:
    """True where a numeral character is part of a word that is not a number (一般, 万一, 十分)."""
    if end - start > 2:
        return False
    match = _IDIOMS.match(text, start)
    if match:
        return True
    before = text[max(0, start - 1) : start]
    return before in ("统", "唯", "第", "同", "单", "之", "某", "另", "周", "期") and end - start == 1


def _ranges(text: str, found: list[Numeral]) -> list[Numeral]:
    merged: list[Numeral] = []
    place = 0
    while place < len(found):
        low = found[place]
        if place + 1 < len(found):
            high = found[place + 1]
            if _is_range(text, low, high):
                value = low.value
                if high.percent and not low.percent:
                    value = _round(value / 100.0)
                elif low.value < high.value and _shares_magnitude(text, low, high):
                    value = _scaled_like(text, low, high)
                # In "-10 to -5" the second sign is one; in "3-5" it is the range's mark.
                gap = text[low.end : high.start]
                top = high.value if gap.strip() else abs(high.value)
                merged.append(Numeral(value, low.start, high.end, high.percent, top, low.shape))
                place += 2
                continue
        merged.append(low)
        place += 1
    return merged


_GAP_UNIT = r"\s*(?:[a-z°℃℉%$¥€£]{0,8}|[\u4e00-\u9fff]{0,3})\s*"


def _is_range(text: str, low: Numeral, high: Numeral) -> bool:
    gap = text[low.end : max(low.end, high.start)]
    bottom = low.value / 100.0 if high.percent and not low.percent else low.value
    if high.value < 0 and not gap.strip():
        return bottom < -high.value
    if bottom >= high.value:
        return False
    if _RANGE.fullmatch(gap):
        return True
    if re.search(
        r"\bbetween\s*[$¥€£]?\s*\Z|介于\Z|在\Z", text[max(0, low.start - 12) : low.start]
    ) and _BETWEEN.fullmatch(gap):
        return True
    return bool(re.fullmatch(rf"{_GAP_UNIT}(?:~|至|到|\bto\b|-){_GAP_UNIT}", gap)) and len(gap) <= 12


def _tail_factor(text: str, numeral: Numeral) -> float:
    body = text[numeral.start : numeral.end]
    match = re.match(rf"-?\s?(?:{_DIGITS})", body)
    if match is None or match.end() == len(body):
        return 1.0
    factor, stop = _magnitude(body, match.end())
    return factor if stop == len(body) else 1.0


def _shares_magnitude(text: str, low: Numeral, high: Numeral) -> bool:
    return _tail_factor(text, low) == 1.0 and _tail_factor(text, high) > 1.0


def _scaled_like(text: str, low: Numeral, high: Numeral) -> float:
    """3-5万: the magnitude written once belongs to both ends."""
    factor = _tail_factor(text, high)
    scaled = _round(low.value * factor)
    return scaled if scaled < high.value else low.value
