"""Is a place in a text inside a negation? Rules for English and Chinese, reading the clause before the place.

A negator counts when it stands in the same clause before the hit, close enough to govern it, and is not part of a word or
phrase that does not deny ("not only", "no later than", 不仅, 不少于, 无论, 非常, 不同). Two negators cancel out.
The rules look backwards alone ("X is not supported" does not negate a hit on X), so a phrase that should be read with its
verb is best written with it ("X is supported").
"""

from __future__ import annotations

import re

from scoring.answers.text import fold_case

_REACH_WORDS = 6
_REACH_CHARS = 8

_BREAK_EN = re.compile(
    r"[.;:!?\n](?!\d)|,(?!\d)|\(|\)| - |\b(?:but|however|although|though|whereas|while|instead|rather|because|since|and (?:it|they|we|you|is|are|"
    r"has|have|does|do|can|will|includes?|costs?|takes?|requires?|supports?|covers?))\b"
)
_HARMLESS_EN = re.compile(
    r"\b(?:not|no|never|n't|cannot|can't)\s+(?:only|just|merely|simply|solely|later than|more than|less than|fewer than|longer than|"
    r"earlier than|sooner than|greater than|lower than|higher than|doubt|matter|problem|wonder|exceed(?:ing|s)?|to mention)\b"
    r"|\b(?:whether or|if|or) not\b|\bnot (?:un|in)\w{4,}|\bno\.\s*\d|\bnothing but\b|\bnone other than\b|\bwhy not\b"
    r"|\b(?:do|does|did|should|must|will|would|may|can|shall)(?: not|n't) exceed\b|\bnot until\b|\bcannot but\b|\bwithout (?:doubt|exception|fail)\b"
)
_NEGATOR_EN = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nothing|nobody|lacks?|lacking|excluding|excludes?|except(?:ing|s)?|fails? to|"
    r"failed to|refuses? to|unable to|instead of|rather than|denies|deny|false that|untrue that|incorrect that|wrong that)\b|n't\b"
)

_BREAK_ZH = re.compile(r"[。！？；：:;!?，,、\n（）()]|而是|但是|不过|然而|可是|但|反而|却")
_LIST_ZH = re.compile(r"[、]")
_HARMLESS_ZH = re.compile(
    "不仅|不但|不只|不光|不单|不止|不论|不管|不得不|不能不|不会不|不可不|不得少于|不得超过|不得低于|不得高于|不得多于|不得晚于|不得早于|"
    "不能超过|不可超过|不应超过|不少于|不超过|不低于|不高于|不多于|不大于|不小于|不足|不满|不到|不晚于|不迟于|不早于|不同|不断|不久|不错|"
    "不锈钢|不动产|不可抗力|不等|不限于|不限量|不妨|不愧|不由|不禁|不必说|不用说|不难|不外乎|不良|不下|不变|不已|不一|不时|"
    "无论|无锡|无线|无人机|无人|无限|无疑|无非|无意|无数|无形|无穷|无缝|无偿|无忧|无菌|无纸化|无障碍|无理由|"
    "未来|未婚|未成年|未必不|未尝不|没收|没准|没错|没问题|非常|非凡|非洲|非遗|非要|非得|除非|若非|莫非|无非|是非|别人|别的|别墅|别名|"
    "特别|分别|级别|类别|性别|区别|识别|差别|个别|辨别|告别|离别|鉴别|别克|是不是|能不能|会不会|可不可以|要不要|有没有|是否"
)
_NEGATOR_ZH = re.compile(
    "并没有|没有|并不|并非|并未|从未|从不|绝不|绝非|尚未|毫无|无法|无需|无须|不是|不|没|未|无|非|别|勿|莫|否认|禁止|拒绝|除了|除"
)


def _clause_before(text: str, start: int, breaks: re.Pattern[str]) -> str:
    head = text[max(0, start - 200) : start]
    last = 0
    for match in breaks.finditer(head):
        last = match.end()
    return head[last:]


def _english(text: str, start: int) -> tuple[int, int] | None:
    clause = _clause_before(text, start, _BREAK_EN)
    offset = start - len(clause)
    clause = _HARMLESS_EN.sub(lambda m: "\x00" * len(m.group()), clause)
    hits = [m for m in _NEGATOR_EN.finditer(clause) if len(clause[m.end() :].split()) <= _REACH_WORDS]
    if len(hits) % 2 == 0:
        return None
    return offset + hits[-1].start(), offset + hits[-1].end()


def _chinese(text: str, start: int) -> tuple[int, int] | None:
    clause = _clause_before(text, start, _BREAK_ZH)
    offset = start - len(clause)
    # The hit's own first characters are shown too, so that 不|同 split by the hit's start is seen as one word.
    shown = text[offset : start + 3]
    covered = [m.span() for m in _HARMLESS_ZH.finditer(shown)]
    hits = []
    for match in _NEGATOR_ZH.finditer(clause):
        if any(a <= match.start() < b for a, b in covered):
            continue
        if len(clause) - match.end() <= _REACH_CHARS:
            hits.append(match)
    if len(hits) % 2 == 0:
        return None
    return offset + hits[-1].start(), offset + hits[-1].end()


def negated(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The negator ``[start, end)`` that governs the place, or None. ``text`` is the raw answer; positions are its own.

    Worked examples: "does not include a charger" at "charger": negated; "not only a charger": not; "不支持退款" at
    "退款": negated; "不仅支持退款" at "退款": not.
    """
    folded = fold_case(text)
    return _english(folded, start) or _chinese(folded, start)
