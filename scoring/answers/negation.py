"""Is a place in a text inside a negation? Rules for English and Chinese, reading the clause before the place.

A negator counts when it stands in the same clause before the hit, close enough to govern it, and is not part of a word
or phrase that does not deny ("not only", "no later than", 不仅, 不少于, 无论, 非常, 不同). Two negators cancel out.
The rules look backwards alone ("X is not supported" does not negate a hit on X), so a phrase that should be read with
its verb is best written with it ("X is supported").
"""

from __future__ import annotations

import re

from scoring.answers.text import fold_case

_REACH_WORDS = 6
_REACH_CHARS = 8

_BREAK_EN = re.compile(
    r"[.;:!?\n](?!\d)|,(?!\d)|[()]| - "
    r"|\b(?:then|but|however|although|though|whereas|while|instead(?! of)|because|since)\b"
    r"|\band (?:it|they|we|you|is|are|has|have|does|do|can|will|includes?|costs?|takes?|requires?|supports?|covers?)\b"
)
_OPENS_CLAUSE = re.compile(r"(?:because|but|since|while|although|however)\b|因为|但是|由于|而是")
_HARMLESS_EN = re.compile(
    r"\b(?:not|no|never|cannot|can't) (?:only|just|merely|simply|solely|doubt|matter|problem|wonder|exceed(?:ing|s)?"
    r"|to mention|(?:later|more|less|fewer|longer|earlier|sooner|greater|lower|higher) than)\b"
    r"|(?:n't|\b(?:do|does|did|should|must|will|would|may|can|shall) not) exceed\b"
    r"|\b(?:whether or|if|or) not\b|\bno\. ?\d|\bnothing but\b|\bnone other than\b|\bwhy not\b|\bnot until\b"
    r"|\bcannot but\b|\bwithout (?:doubt|exception|fail)\b"
)
_NEGATOR_EN = re.compile(
    r"\b(?:not|no|never|none|neither|nor|without|cannot|nothing|nobody|lack(?:s|ing)?|exclud(?:es?|ing)"
    r"|except(?:ing|s)?|fail(?:s|ed)? to|refuses? to|unable to|instead of|rather than|den(?:y|ies)"
    r"|(?:false|untrue|incorrect|wrong) that)\b|n't\b"
)

_BREAK_ZH = re.compile(r"[。！？；：:;!?，,、\n（）()]|而是|但是|不过|然而|可是|但|反而|却")
_HARMLESS_ZH = re.compile(
    "不仅|不但|不只|不光|不单|不止|不论|不管|不得不|不能不|不会不|不可不"
    "|不(?:得|能|可|应|会)?(?:少于|超过|低于|高于|多于|晚于|早于|大于|小于|迟于)"
    "|不足|不满|不到|不同|不断|不久|不错|不锈钢|不动产|不可抗力|不等|不限|不妨|不愧|不由|不禁|不必说|不用说|不难"
    "|不外乎|不良|不下|不变|不已|不一|不时|无论|无锡|无线|无人|无限|无疑|无非|无意|无数|无形|无穷|无缝|无偿|无忧"
    "|无菌|无纸化|无障碍|无理由|未来|未婚|未成年|未必不|未尝不|没收|没准|没错|没问题|非常|非凡|非洲|非遗|非要|非得"
    "|除非|若非|莫非|是非|别人|别的|别墅|别名|特别|分别|级别|类别|性别|区别|识别|差别|个别|辨别|告别|离别|鉴别|别克"
    "|是不是|能不能|会不会|可不可以|要不要|有没有|是否"
)
_NEGATOR_ZH = re.compile(
    "并没有|没有|并不|并非|并未|从未|从不|绝不|绝非|尚未|毫无|无法|无需|无须|不是|不|没|未|无|非|别|勿|莫"
    "|否认|禁止|拒绝|除了|除"
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
    # The first characters of the hit are shown too, so that a word split by the hit's start is still seen whole.
    shown = text[offset : start + 3]
    harmless = [m.span() for m in _HARMLESS_ZH.finditer(shown)]
    hits = []
    for match in _NEGATOR_ZH.finditer(clause):
        if any(a <= match.start() < b for a, b in harmless):
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
    if _OPENS_CLAUSE.match(folded, start):
        return None
    return _english(folded, start) or _chinese(folded, start)
