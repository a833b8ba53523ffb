"""Numerals written in words: Chinese characters (financial forms too) and English number words."""

from __future__ import annotations

import re

ZH_DIGIT = {
    c: v
    for v, cs in enumerate(["零〇", "一壹", "二贰两", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖"])
    for c in cs
}
ZH_SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
ZH_BIG = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
ZH_CHARS = "".join(ZH_DIGIT) + "".join(ZH_SMALL) + "".join(ZH_BIG)

EN_UNITS = {
    w: v
    for v, w in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
EN_TENS = {
    w: 10 * (i + 2)
    for i, w in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
}
EN_TENS["fourty"] = 40
EN_SCALE = {
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "trillion": 10**12,
    "dozen": 12,
}


def chinese_value(text: str) -> float | None:
    """The value of a Chinese numeral (三万五 = 35000, 一百零五, 二〇二六, 三点五), or None where it is not one."""
    half = text.endswith("半")
    body = text[:-1] if half else text
    whole, point, decimals = body.partition("点")
    tail = 1.0
    if point and decimals and decimals[-1] in ZH_BIG:
        tail, decimals = float(ZH_BIG[decimals[-1]]), decimals[:-1]
    value = _chinese_integer(whole)
    if value is None or (point and (not decimals or not all(c in ZH_DIGIT for c in decimals))):
        return None
    if point:
        value = float(f"{int(value)}.{''.join(str(ZH_DIGIT[c]) for c in decimals)}")
    unit = float(ZH_BIG.get(body[-1], 1)) if body else 1.0
    return value * tail + (0.5 * unit if half else 0.0)


def _chinese_integer(text: str) -> float | None:
    if not text or not all(c in ZH_CHARS for c in text):
        return None
    if all(c in ZH_DIGIT for c in text):
        return float("".join(str(ZH_DIGIT[c]) for c in text))
    total, section, digit, last = 0, 0, 0, 1
    zero = False
    for char in text:
        if char in ZH_DIGIT:
            digit = ZH_DIGIT[char]
            zero = zero or digit == 0
        elif char in ZH_SMALL:
            last = ZH_SMALL[char]
            section += (digit or 1) * last
            digit, zero = 0, False
        else:
            last = ZH_BIG[char]
            base = section + digit
            if last == 100_000_000:
                total = (total + base or 1) * last
            else:
                total += (base or 1) * last
            section, digit, zero = 0, 0, False
    if digit and not zero and last >= 100 and text[-1] in ZH_DIGIT and len(text) >= 2 and text[-2] not in ZH_DIGIT:
        digit *= last // 10
    return float(total + section + digit)


def english_value(text: str) -> float | None:
    """The value of English number words ("two hundred and fifty", "a million"), or None."""
    total, current, seen = 0.0, 0.0, False
    for word in re.split(r"[\s-]+", text.strip()):
        if word in ("and", ""):
            continue
        if word in ("a", "an"):
            current = 1.0
            continue
        if word in EN_UNITS:
            current += EN_UNITS[word]
        elif word in EN_TENS:
            current += EN_TENS[word]
        elif word in EN_SCALE:
            scale = EN_SCALE[word]
            if scale in (100, 12):
                current = (current or 1.0) * scale
            else:
                total += (current or 1.0) * scale
                current = 0.0
        else:
            return None
        seen = True
    return total + current if seen else None
