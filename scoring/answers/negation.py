"""Is a place in a text inside a negation? Rules for English and Chinese, reading the clause before and after the place.

Before: a negator counts when it stands in the same clause, close enough to govern the hit, and is not part of a word or
phrase that does not deny ("not only", "no later than", 不仅, 不少于, 无论, 非常, 不同).
After: what the clause says of the hit must deny that it is there ("the charger is not included", 退款不支持) or that it
is right ("30 days is not the limit", 30天并非期限, "30 days? No"). Of a quantity or a date only the latter counts:
"returns after 30 days are not accepted" and 超过30天不予退款 state the 30 days. Another denied predicate leaves the hit
stated ("the warranty does not cover water" states the warranty).
Two negators cancel out.
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
    r"|\bcannot but\b|\bnot (?:before|after|until)\b|\bwithout (?:doubt|exception|fail)\b"
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

#: Between the hit and what is said of it: the rest of its phrase, in one clause and without another verb.
_REST_EN = r"(?:\s+(?!(?:that|which|who|and|or|but|is|are|was|were|has|have|if|when|unless|than)\b)[\w'-]+){0,3}"
_NOT_EN = r"\s+(?:(?:is|are|was|were|has been|have been|will be|can be|would be)\s+(?:\w+ly\s+)?(?:not|never|no longer)"
_NOT_EN += r"|(?:is|are|was|were)n't|(?:can|could|will|would|may)(?:\s?not|n't) be|can't be|won't be)\s+"
_NOT_EN += r"(?:(?:actually|currently|yet|really|generally|at all|even|in fact)\s+)?"
_WRONG_EN = re.compile(
    rf"{_REST_EN}(?:{_NOT_EN}(?:the|correct|right|true|accurate|what|how|our|your|its|their|it\b|quite right)\b"
    r"|\s+(?:is|are|was|were|would be)\s+(?:\w+ly\s+)?(?:wrong|incorrect|false|untrue|a mistake|an error|mistaken"
    r"|outdated)\b"
    r"|\s?\?\s*(?:no|nope|not so|not quite|wrong|incorrect)\b)"
)
_ABSENT_EN = re.compile(
    rf"{_REST_EN}(?:{_NOT_EN}(?:an? option|possible|available|included|supported|offered|provided|covered|allowed"
    r"|permitted|accepted|granted|given|issued|sold|required|needed|necessary|charged|part of|among|valid|applicable"
    r"|enabled|there|here|present|in the|on the|of the)\b"
    r"|\s+(?:do|does|did|will|can|could|would)(?:\s?not|n't|\s+no longer)\s+(?:exist|apply|count|come with|work)\b"
    r"|\s+(?:is|are|was|were|has been|have been)\s+(?:\w+ly\s+)?(?:excluded|unavailable|unsupported|prohibited"
    r"|forbidden|banned|impossible|unnecessary|out of the question|absent|missing|discontinued|withdrawn|removed"
    r"|disabled)\b)"
)
#: "not the only", "not the same": said of something that is there.
_STILL_THERE_EN = re.compile(
    r"(?:not|n't|never|no longer)\s+(?:the|our|your|its|their)\s+(?:only|same|first|last|sole|whole)\b"
)
_REST_ZH = "[^。！？；：:;!?，,、\n（）()不没未非无是]{0,6}?"
_WRONG_ZH = re.compile(
    f"{_REST_ZH}(?:的?(?:这个|这一|该)?(?:说法|答案|数字|信息)?)(?:(?:其实|实际上|显然|也|都|并|均|根本)*"
    "(?:不是(?!唯一|仅|只|不)|并非|并不是|不正确|不准确|不属实|不对(?!外|称|应)|有误|错误|是错的|是错误|是不对|是不正确|是假的|是误))"
    "|\\s?[？?]\\s*(?:不是|不对|不，|不,|错|并非|并不)"
)
_ABSENT_ZH = re.compile(
    f"{_REST_ZH}(?:目前|现在|暂时|暂|均|都|也|还|尚|一律|概|并|根本|已经?)*(?:"
    "不(?:再)?(?:支持|提供|包含|包括|含|可用|可以?(?=[。！？；，,!?;\n]|$|办|使用|开)|能(?!不|否)|行(?=[。！？；，,]|$)|予|适用|存在|允许"
    "|准(?!确|时|备)|开放|开通|受理|接受|办理|收取|需要(?=[。！？；，,!?;]|$)|必要|必(?=[。！？；，,]|$)|在(?:范围|其中|此列|内|列))"
    "|无法(?:使用|办理|提供|开|申请|享受)|没有(?:提供|开通|包含|包括|支持|开放|必要|这项|此项|这个)|没(?:开通|提供)"
    "|未(?:提供|开通|包含|包括|支持|开放|列入|纳入)|(?:已|已经|被)(?:取消|停止|停用|禁止|下线|下架|废止)|是?禁止的|除外)"
)
_QUANTITY = re.compile(
    r"\d|[零一二两三四五六七八九十百千万亿半]+\s?(?:[个]?[天日月年周元块米斤度人次成倍点件]|小时|分钟|工作日|公里|公斤|岁)"
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


def _denied_after(text: str, start: int, end: int) -> tuple[int, int] | None:
    """What the clause says of the hit after it, where that denies the hit."""
    wrong = _WRONG_EN.match(text, end) or _WRONG_ZH.match(text, end)
    if wrong is None and not _QUANTITY.search(text, start, end):
        wrong = _ABSENT_EN.match(text, end) or _ABSENT_ZH.match(text, end)
    if wrong is None or _STILL_THERE_EN.search(text, end, wrong.end() + 8):
        return None
    if _HARMLESS_ZH.match(text, end):
        return None
    return wrong.span()


def negated(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The negator ``[start, end)`` that governs the place, or None. ``text`` is the raw answer; positions are its own.

    Worked examples: "does not include a charger" at "charger": negated; "not only a charger": not; "不支持退款" at
    "退款": negated; "不仅支持退款" at "退款": not; "30 days is not the limit" at "30 days": negated.
    """
    folded = fold_case(text)
    after = _denied_after(folded, start, end)
    if _OPENS_CLAUSE.match(folded, start):
        return after
    before = _english(folded, start) or _chinese(folded, start)
    if before is not None and after is not None:
        return None
    return before or after
