"""A rule that tells whether an answer declines, for systems that do not say so themselves. English and Chinese."""

from __future__ import annotations

import re
from dataclasses import dataclass

from scoring.chars import is_cjk

IDENTITY = "refusal.rules@1"
_READ_AT_MOST = 20_000

_SOURCE_EN = (
    r"(?:(?:provided|given|available|supplied|retrieved|above) ?)?"
    r"(?:contexts?|documents?|documentation|passages?|sources?|texts?|articles?|information|materials?"
    r"|knowledge base|excerpts?|search results?|records?|data|snippets?)"
)
_CANNOT_EN = r"(?:can(?:no|')t|cannot|can not|could not|couldn't|unable|not able|won't be able)"
_REFUSALS_EN = (
    rf"\b(?:i|we)(?: am|'m| are|'re)? (?:really |very |so )?sorry\b[^.!?]*\b(?:{_CANNOT_EN}|don't|do not)\b",
    r"\b(?:i|we) (?:really |simply |just |currently |unfortunately )*(?:do not|don't|didn't|did not) (?:actually )?"
    r"(?:know|see (?:any|that|this)|find (?:any|an|the|that)|have (?:any |enough |sufficient |specific |the |that "
    r"|access |relevant |further )*(?:information|details?|data|knowledge|answers?|context|access|documents?))",
    rf"\b(?:i|we)(?: am| are| was| were|'m|'re)? (?:\w+ly )?{_CANNOT_EN}(?: to)? "
    r"(?:answer|find|determine|provide|locate|confirm|tell|say|give|verify|help|assist|access|respond|comply)",
    r"\b(?:i'm|i am|we're|we are) (?:unable|not able|not allowed|not permitted|not sure|not certain|not aware)\b",
    rf"\b{_SOURCE_EN} (?:that (?:was|were|is|are) (?:provided|given) |(?:you )?(?:provided|given|gave) )?"
    r"(?:do(?:es)? not|don't|doesn't|did not|didn't) (?:\w+ly )?(?:contain|mention|provide|include|specify|state|say"
    r"|give|cover|discuss|address|have|indicate|answer|offer|list|describe|explain)",
    r"(?:\b(?:not|never)|n't) (?:\w+ )?(?:mentioned|provided|specified|stated|found|covered|given|available|included"
    r"|addressed|discussed|contained|described|listed) (?:anywhere )?(?:in|by|within|from) "
    rf"(?:the|any|these|this|our|my|your) {_SOURCE_EN}",
    r"\b(?:there is|there's|there are|found|have|has|contains?) (?:no|not any|insufficient|not enough) (?:\w+ ){0,2}"
    r"(?:information|details?|mention|data|answer|evidence|context)\b",
    r"^\W*(?:no (?:relevant |such |specific )?(?:information|answer|data|details?)"
    r"|(?:insufficient|not enough) (?:information|context|data|evidence)"
    r"|unanswerable|unknown|n/a|not (?:available|provided|mentioned|specified))\b[^,;]{0,60}$",
    r"\b(?:cannot|can't|can not|could not|couldn't) be (?:answered|determined|found|verified|confirmed|established)\b",
    r"\bno answer (?:is|was|can be|could be)\b",
    r"\b(?:outside|beyond) (?:of )?(?:the |my )?(?:scope|knowledge)\b",
)
_SOURCE_ZH = (
    "(?:资料|文档|文中|文章|原文|上下文|知识库|材料|内容|信息|文件|文本|段落|检索结果|背景|记录|数据|提供的\\S{0,6})"
)
_REFUSALS_ZH = (
    "(?:无法|不能|没法|难以|没有办法|不足以)(?:直接|准确|确切|完全|为您|为你|给您|给你|据此|从中|对此|就此|进行)*"
    "(?:回答|解答|作答|确定|判断|得知|得出|提供|给出|确认|查询|查到|找到|获取|获知|答复|回复|知道|推断|说明|告知|帮助)",
    "(?:我|我们|本人|本系统)?(?:并|也|暂时|目前|还)?(?:不知道|不清楚|不了解|不太清楚|不确定|不得而知|无从得知)",
    "(?:没有|未能|未|没|并未|并没有|尚未|暂未)(?:能|能够)?(?:找到|查到|检索到|查询到|搜索到|发现)",
    f"{_SOURCE_ZH}(?:中|里|内|上)?(?:均|都|并|也|目前|暂)*(?:没有|未|没|不|无)(?:有|明确|直接|具体|曾|包含|涉及)*"
    "(?:提及|提到|提供|说明|包含|涉及|给出|记载|介绍|描述|相关|关于|对应|指出|列出|写明|覆盖|答案|该|这)",
    "(?:没有|未|无|并无|暂无|缺少|缺乏|尚无)(?:任何|足够的?|充分的?|与此|与之|与该\\S{0,8}|明确的?|具体的?|关于\\S{0,20}的?)*"
    "(?:相关|有关|对应)?的?(?:信息|资料|内容|记录|说明|记载|答案|数据|依据|文档)",
    "(?:信息|资料|证据|内容|上下文)(?:不足|不够|不充分|有限|缺失)",
    "(?:超出|不在)了?(?:我|我的|本|知识库|资料|文档)?\\S{0,6}(?:范围|能力)",
    "^\\W*(?:未知|无答案|无法回答|不详|无相关信息|暂无)\\W*$",
)
_FILLER = (
    r"^\W*(?:unfortunately|sorry|i apologi[sz]e|apologies|i'm sorry|i am sorry|hello|hi|thank you|thanks)\W*$",
    r"\b(?:please|feel free|let me know|i(?:'d| would)? (?:recommend|suggest)|try"
    r"|(?:you|i) (?:may|might|can|could|should))\b.*"
    r"\b(?:contact|consult|check|refer|visit|ask|reach out|rephrase|clarify|more (?:details?|context|information))\b",
    rf"\b{_SOURCE_EN} (?:(?:only|mainly|primarily|mostly)|focus(?:es)?|(?:is|are) (?:only |mainly )?about)\b",
    r"\bif you (?:have|need|can|could|would|provide|share)\b",
    r"\b(?:is there anything else|can i help|how can i help)\b",
    "^\\W*(?:抱歉|对不起|很抱歉|非常抱歉|不好意思|您好|你好|谢谢|很遗憾|遗憾)\\W*$",
    "(?:请|建议|可以|欢迎|您可|你可)\\S{0,12}(?:联系|咨询|查阅|参考|提供|补充|查看|查询|拨打|访问|告诉|随时|核实|确认|换个|重新)",
    "(?:如果|如|若|如需|倘若)(?:您|你|有|需)\\S*",
    "(?:还有|其他|别的)\\S{0,6}(?:问题|需要|可以帮)",
    "^\\W*(?:根据|基于|依据|从|就)(?:现有|已有|目前|当前|所给|您|你|以上|上述|给定|检索|我|所)?\\S{0,14}(?:来看|看|而言)?\\W*$",
)
_CONTRAST = re.compile(
    r"\b(?:however|but|nevertheless|nonetheless|that said|on the other hand|still|although)\b"
    "|不过|但是|但|然而|可是|尽管如此|只能",
    re.IGNORECASE,
)
_REFUSAL = [re.compile(p, re.IGNORECASE) for p in (*_REFUSALS_EN, *_REFUSALS_ZH)]
_FILL = [re.compile(p, re.IGNORECASE) for p in _FILLER]
_SENTENCE = re.compile(r"[^.!?。！？；\n]*(?:\.(?=\d)[^.!?。！？；\n]*)*[.!?。！？；\n]*")
_BREAK = re.compile(r"，|,\s*(?=however\b|but\b|although\b|though\b)|\s(?=but\b)", re.IGNORECASE)
_CONCESSION = re.compile(r"\W*(?:although|though|while|even though)\b[^,]*,", re.IGNORECASE)
_LONG = 12


@dataclass(frozen=True, slots=True)
class Detection:
    """``outcome``: answered, partial or refused; ``span``: the words that showed a refusal, ``identity``: the rule."""

    outcome: str
    span: tuple[int, int] | None = None
    identity: str = IDENTITY


def _parts(text: str) -> list[tuple[int, str]]:
    """Sentences, cut further at a Chinese comma and before "but": each part that says something, with its place."""
    found: list[tuple[int, str]] = []
    for match in _SENTENCE.finditer(text):
        sentence, last = match.group(), 0
        cuts = {m.end() for m in _BREAK.finditer(sentence)}
        concession = _CONCESSION.match(sentence)
        if concession is not None:
            cuts.add(concession.end())
        for cut in [*sorted(cuts), len(sentence)]:
            piece = sentence[last:cut]
            if any(c.isalnum() for c in piece):
                found.append((match.start() + last, piece))
            last = cut
    return found


def detect(answer: str) -> Detection:
    """Read an answer and say whether it is a refusal.

    Each part declines, is filler (an apology, an offer of help) or says something. Refused: all that is not filler
    declines, or the first such part does and nothing after it brings an answer (a contrast such as "however" or "不过",
    a number, a part of 12 words or 24 Chinese characters and more).
    Partial: something is answered and something declined. Answered: nothing is declined. An empty answer is
    ``refused``: nothing was said. The rule reads the text alone, so a fluent non-answer without a declining phrase
    counts as answered.

    Worked example: "I don't know." is refused; "资料中没有提到B套餐，A套餐是30元。" is partial.
    """
    text = re.sub(r"[ \t]", " ", answer.replace("’", "'").replace("‘", "'")[:_READ_AT_MOST])
    span: tuple[int, int] | None = None
    kinds: list[str] = []
    turned = conceded = False
    for start, part in _parts(text):
        hit = next((m for m in (p.search(part) for p in _REFUSAL) if m), None)
        if hit is not None:
            kinds.append("refusal")
            conceded = bool(_CONCESSION.match(part))
            span = span or (start + hit.start(), start + hit.end())
        elif any(p.search(part) for p in _FILL):
            kinds.append("filler")
        else:
            kinds.append("content")
            length = len(part.split()) + sum(is_cjk(c) for c in part) // 2
            brings = bool(_CONTRAST.search(part)) or any(c.isdigit() for c in part) or length >= _LONG or conceded
            turned = turned or ("refusal" in kinds and brings)
    said = [kind for kind in kinds if kind != "filler"]
    if "refusal" not in said:
        return Detection("answered" if kinds or text.strip() else "refused")
    if "content" not in said or (said[0] == "refusal" and not turned):
        return Detection("refused", span)
    return Detection("partial", span)
