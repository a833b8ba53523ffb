"""Tokens and sentences of English and Chinese text."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

_HOW_ENGLISH_ASKS = """
a about after all am an and any are as at be been but by can could do does for from get give go had has have how i if in
into is it its me my of on or our please so than that the their them then there these they this to up us was we what
when where which who will with would you your much many long often soon far need want like too also only show tell name
"""
_HOW_CHINESE_ASKS = "的了吗呢吧啊是在有和与或我你他她它们这那哪个么什怎样就都也还要会能可以把被给让请为从到多少几"

# Words that say how a question is put, not what it is about.
STOP_WORDS = frozenset(_HOW_ENGLISH_ASKS.split())
# The same for Chinese: pairs of characters made of these alone are left out, and single ones are never indexed.
STOP_CHARACTERS = frozenset(_HOW_CHINESE_ASKS)

# Words around which Chinese is split first, so that fewer pairs straddle two words.
_FUNCTION_WORDS = re.compile(
    "多少|怎么|什么|哪[个里家款]|可以|能不能|可不可以|需要|我们|你们|我的|你的|他的|这个|那个|大概|一下|如果|要是|请问"
    "|[的了吗呢吧啊]"
)

_WISH_FOR_SOURCE = re.compile(r"\b(?:cite|quote|source|passage)\b|出处|来源|原文|依据", re.IGNORECASE)
_TOKEN = re.compile(r"[a-z0-9]+(?:[-.'][a-z0-9]+)*|[\u4e00-\u9fff]+")
_SENTENCE_END = re.compile(r"[。！？]+[”』」]?|[.!?]+(?=\s|$)|\n+")


def tokenize(text: str) -> list[str]:
    """Lower-cased English words and numbers without stop words; Chinese as overlapping pairs and single characters.

    A model number such as ``PB-560`` gives itself joined (``pb560``) and its parts, so that all its spellings meet.
    """
    tokens: list[str] = []
    for run in _TOKEN.findall(unicodedata.normalize("NFKC", text).lower()):
        if "\u4e00" <= run[0] <= "\u9fff":
            for piece in _FUNCTION_WORDS.split(run):
                tokens.extend(_chinese(piece))
        elif "-" in run:
            parts = run.split("-")
            tokens.append("".join(parts))
            tokens.extend(_stem(part) for part in parts if part not in STOP_WORDS)
        elif run not in STOP_WORDS:
            tokens.append(_stem(run))
    return tokens


def without_wish_for_source(text: str) -> str:
    """The question without the sentences that only ask for the source to be named."""
    kept = [text[start:end] for start, end in sentence_spans(text) if not _WISH_FOR_SOURCE.search(text[start:end])]
    return " ".join(kept) or text


def is_single_character(token: str) -> bool:
    """Whether a token is one Chinese character, which says less than a pair."""
    return len(token) == 1 and "\u4e00" <= token <= "\u9fff"


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Offsets of the sentences, end exclusive, white space around them left out."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in [*_SENTENCE_END.finditer(text), None]:
        end = match.end() if match else len(text)
        piece = text[start:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            spans.append((start + lead, start + len(piece.rstrip())))
        start = end
    return spans


class Spelling:
    """Finds the one known word of at least four letters that a mistyped English word stands for."""

    def __init__(self, vocabulary: Iterable[str]) -> None:
        self._by_gap: dict[str, set[str]] = defaultdict(set)
        for word in vocabulary:
            for key in _gaps(word):
                self._by_gap[key].add(word)

    def get(self, word: str) -> str | None:
        """The known word that differs by one letter, or by two that changed places; None if there is not just one."""
        found: set[str] = set()
        for key in _gaps(word):
            found |= self._by_gap.get(key, set())
        return found.pop() if len(found) == 1 else None


def _gaps(word: str) -> set[str]:
    """The word and what is left of it without each of its letters; similar words share one of these."""
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return set()
    return {word, *(word[:index] + word[index + 1 :] for index in range(len(word)))}


def _chinese(run: str) -> list[str]:
    singles = [character for character in run if character not in STOP_CHARACTERS]
    pairs = [
        run[index : index + 2]
        for index in range(len(run) - 1)
        if not (run[index] in STOP_CHARACTERS and run[index + 1] in STOP_CHARACTERS)
    ]
    return pairs + singles


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """Cut the commonest English endings, so that ``charging``, ``charged`` and ``charges`` meet."""
    word = word.removesuffix("'s")
    for ending in ("ings", "ing", "ied", "ies", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and word[-2:] != "ss":
            word = word[: -len(ending)] + ("y" if ending in ("ied", "ies") else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word
