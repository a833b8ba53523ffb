"""A small, real question-answering system: search, rerank, pack a prompt, answer with the best sentences or refuse.

Two versions exist. They share the search, the reranker and the way of answering; they differ in how documents are cut
and in whether the validity of a document's version is respected (see ``CONFIGS``).

The system never sees gold: ``Question.from_item`` copies the five fields that a user's request has, and everything
below works on that.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from examples.kb.bm25 import BM25
from examples.kb.documents import (
    Chunk,
    Version,
    fixed_windows,
    load_documents,
    load_items,
    parse_time,
    sentence_windows,
    versions_of,
)
from examples.kb.text import Spelling, is_single_character, sentence_spans, tokenize, without_wish_for_source
from examples.kb.thesaurus import ADDED_WEIGHT, related

__all__ = ["CONFIGS", "Config", "Question", "System", "build_system", "load_documents", "load_items"]

COARSE_SIZE = 20
RERANKED_SIZE = 10
PROMPT_CHARACTERS = 900
MAX_SENTENCES = 3
SINGLE_CHARACTER_WEIGHT = 0.25
HISTORY_WEIGHT = 0.5
UNKNOWN_WEIGHT = 0.5
UNKNOWN_DOUBT = 3.0
# A further sentence must say at least this share of the question that the sentences before it did not say.
MIN_NEW_COVERAGE = 0.12
NEAR_WEIGHT = 0.4
CHUNK_WEIGHT = 0.3
KIND_BONUS = 0.2

REFUSALS = {
    "en": "I could not find an answer to this in the documentation.",
    "zh": "资料中没有找到相关内容，无法回答这个问题。",
}

# What a question asks for, and how such an answer looks. Checked in this order; the first that fits counts.
_ANSWER_KINDS = tuple(
    (re.compile(asks, re.IGNORECASE), re.compile(looks, re.IGNORECASE))
    for asks, looks in (
        (r"heavy|weigh|多重|重量|公斤", r"\d ?kg|\d ?公斤"),
        (r"price|cost|fee\b|fees\b|pay\b|how much (?:is|are)|rent\b|deposit|deduct|charge\b", r"€ ?\d"),
        (r"多少钱|什么价|收费|怎么收|收多少|付多少|抵多少|运费|工时费|多少元|卖多少|加钱|金额", r"\d ?[千万]?元"),
        (
            r"how (?:many|much) (?:hours|time)|how (?:long|soon)|how many (?:days|months|years)|days|months",
            r"\d ?(?:minutes|hours|days|months|years|weeks)",
        ),
        (
            r"几天|几年|多少天|多久|多长时间|钟头|小时|几个月|什么时候|哪一天",
            r"[\d一二三四五六七八九十半] ?(?:分钟|小时|天|个月|年|月|日)",
        ),
        (r"how far|\bkm\b|radius|range|多远|续航|公里", r"\d ?(?:km|公里|mm|毫米)"),
        (r"temperature|温度", r"\d ?(?:°C|℃)"),
        (r"share|percent|how full|level|几折|比例|超过多少", r"\d ?%"),
        (r"how (?:many|much|loud)|\bsize\b|几|多少|多大", r"\d"),
    )
)


@dataclass(frozen=True)
class Config:
    """What makes one version of the system."""

    name: str
    cut: Callable[[Version], list[Chunk]]
    respects_validity: bool
    uses_thesaurus: bool
    refusal_thresholds: Mapping[str, float]


# Thresholds were chosen on the dev split alone: the lowest with the greatest number of right less wrong answers there.
CONFIGS = {
    "v1": Config(
        name="v1",
        cut=fixed_windows,
        respects_validity=False,
        uses_thesaurus=False,
        refusal_thresholds={"en": 0.49, "zh": 0.2},
    ),
    "v2": Config(
        name="v2",
        cut=sentence_windows,
        respects_validity=True,
        uses_thesaurus=True,
        refusal_thresholds={"en": 0.41, "zh": 0.17},
    ),
}


@dataclass(frozen=True)
class Question:
    """All that the system is told: what a user's request holds, and nothing that an evaluator knows."""

    text: str
    history: tuple[str, ...]
    language: str
    moment: datetime
    audience: frozenset[str]

    @classmethod
    def from_item(cls, item: Mapping[str, Any]) -> Question:
        """Copy question, history (the user's turns), language, query time and audience; no other field is read."""
        turns = item.get("history") or []
        return cls(
            text=item["question"],
            history=tuple(turn["content"] for turn in turns if turn["role"] == "user"),
            language=item["language"],
            moment=parse_time(item["query_time"]),
            audience=frozenset(item["audience"]),
        )


@dataclass(frozen=True)
class Scored:
    """A chunk with its score at one stage."""

    chunk: Chunk
    score: float


@dataclass(frozen=True)
class Sentence:
    """A sentence (or what a cut left of it) of a chunk: offsets into the version's text, and its tokens."""

    chunk: Chunk
    start: int
    end: int
    tokens: frozenset[str]

    @property
    def text(self) -> str:
        """The words."""
        return self.chunk.version.text[self.start : self.end]


class System:
    """One version of the system over one set of documents. Answers depend on nothing but the question."""

    def __init__(self, config: Config, documents: Sequence[Mapping[str, Any]]) -> None:
        self.config = config
        self._chunks = [chunk for version in versions_of(documents) for chunk in config.cut(version)]
        token_lists = [tokenize(chunk.indexed) for chunk in self._chunks]
        self._index = BM25(token_lists)
        self._spelling = Spelling(self._index.vocabulary)
        self._tokens = [frozenset(tokens) for tokens in token_lists]
        self._position = {chunk.id: position for position, chunk in enumerate(self._chunks)}

    def answer(self, item: Mapping[str, Any]) -> dict[str, Any]:
        """Answer one item; gives one output row of the platform's run format."""
        started = time.perf_counter()
        question = Question.from_item(item)
        output = self._answer(question)
        latency_ms = round((time.perf_counter() - started) * 1000, 3)
        return {"external_id": item["external_id"], "repeat": 1, **output, "latency_ms": latency_ms}

    def answer_all(
        self, items: Iterable[Mapping[str, Any]], progress: Callable[[int], None] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Answer items one after another; ``progress`` is called with the number answered so far."""
        for count, item in enumerate(items, start=1):
            yield self.answer(item)
            if progress is not None:
                progress(count)

    def _answer(self, question: Question) -> dict[str, Any]:
        query = self._query(question)
        coarse = self._search(query, question)
        reranked = self._rerank(query, coarse)
        prompt = _pack(reranked)
        sentences, confidence = self._pick_sentences(query, question, prompt)
        answered = bool(sentences) and confidence >= self.config.refusal_thresholds[question.language]
        joiner = "" if question.language == "zh" else " "
        answer = joiner.join(s.text for s in sentences) if answered else REFUSALS[question.language]
        return {
            "answer": answer,
            "outcome": "answered" if answered else "refused",
            "confidence": round(confidence, 4),
            "retrieved": {
                "coarse": [_unit(scored) for scored in coarse],
                "reranked": [_unit(scored) for scored in reranked],
                "prompt": [_unit(scored) for scored in prompt],
            },
            "citations": [_citation(sentence) for sentence in sentences] if answered else [],
            "tokens": {
                "input": sum(len(tokenize(s.chunk.text)) for s in prompt) + len(tokenize(question.text)),
                "output": len(tokenize(answer)),
            },
            "cost": 0.0,
        }

    def _query(self, question: Question) -> dict[str, float]:
        """Weighted query tokens; earlier turns count half, single characters a quarter, unknown words a half.

        An unknown English word is read as the one word of the index that differs by a slip of the keyboard, if any.
        """
        weights: dict[str, float] = {}
        for text, weight in [*((turn, HISTORY_WEIGHT) for turn in question.history), (question.text, 1.0)]:
            for token in tokenize(without_wish_for_source(text)):
                share = weight * (SINGLE_CHARACTER_WEIGHT if is_single_character(token) else 1.0)
                if not self._knows(token):
                    token = self._spelling.get(token) or token
                    share *= 1.0 if self._knows(token) else UNKNOWN_WEIGHT
                weights[token] = max(weights.get(token, 0.0), share)
        return weights

    def _related(self, token: str) -> frozenset[str]:
        return related(token) if self.config.uses_thesaurus else frozenset()

    def _knows(self, token: str) -> bool:
        return token in self._index or any(other in self._index for other in self._related(token))

    def _widen(self, query: Mapping[str, float]) -> dict[str, float]:
        """The query with the words of the thesaurus, at a lower weight, for the search."""
        wide = dict(query)
        for token, weight in query.items():
            for other in sorted(self._related(token)):
                wide[other] = max(wide.get(other, 0.0), weight * ADDED_WEIGHT)
        return wide

    def _held(self, asked: Iterable[str], tokens: frozenset[str]) -> set[str]:
        """Those of the asked tokens that are there, themselves or through the thesaurus."""
        return {token for token in asked if token in tokens or not tokens.isdisjoint(self._related(token))}

    def _may_use(self, version: Version, question: Question) -> bool:
        if not version.audience & question.audience:
            return False
        return version.is_valid_at(question.moment) if self.config.respects_validity else True

    def _search(self, query: Mapping[str, float], question: Question) -> list[Scored]:
        """The best chunks that the asker may see."""
        found = [
            Scored(self._chunks[position], score)
            for position, score in self._index.scores(self._widen(query)).items()
            if self._may_use(self._chunks[position].version, question)
        ]
        return _best_first(found)[:COARSE_SIZE]

    def _rerank(self, query: Mapping[str, float], coarse: Sequence[Scored]) -> list[Scored]:
        """Order by coverage of the question in the chunk and in its best sentence, and by the BM25 score."""
        if not coarse:
            return []
        top = coarse[0].score
        reranked = []
        for scored in coarse:
            in_chunk = self._coverage(query, self._held(query, self._tokens[self._position[scored.chunk.id]]))
            in_sentence = max(
                (self._coverage(query, self._held(query, s.tokens)) for s in _sentences(scored.chunk)), default=0.0
            )
            score = 0.4 * scored.score / top + 0.3 * in_chunk + 0.3 * in_sentence
            reranked.append(Scored(scored.chunk, score))
        return _best_first(reranked)[:RERANKED_SIZE]

    def _coverage(self, query: Mapping[str, float], held: Collection[str]) -> float:
        """Share of the question's weight (weight times idf) that the held query tokens have, from 0 to 1.

        Summed in the order of the query: the order of a set, and so the last bit of a sum, differs between processes.
        """
        weights = {token: weight * self._index.idf(token) for token, weight in query.items()}
        total = sum(weights.values())
        return sum(weight for token, weight in weights.items() if token in held) / total if total else 0.0

    def _pick_sentences(
        self, query: Mapping[str, float], question: Question, prompt: Sequence[Scored]
    ) -> tuple[list[Sentence], float]:
        """Choose sentences one by one, each for what it adds; gives them with the confidence, from 0 to 1.

        The confidence is the mean of two shares of the question: what the sentences cover, and what they cover
        together with the chunk of the first of them.
        """
        looks_right = next((looks for asks, looks in _ANSWER_KINDS if asks.search(question.text)), None)
        candidates = _candidates(prompt)
        chosen: list[Sentence] = []
        rest = set(query)
        while candidates and len(chosen) < MAX_SENTENCES:
            worths = {key: self._worth(query, rest, *candidates[key], looks_right) for key in candidates}
            best = min(worths, key=lambda key: (-worths[key], key))
            sentence, _ = candidates.pop(best)
            new = self._held(rest, sentence.tokens)
            if chosen and self._coverage(query, new) < MIN_NEW_COVERAGE:
                break
            chosen.append(sentence)
            rest -= new
        if not chosen:
            return [], 0.0
        said = frozenset[str]().union(*(sentence.tokens for sentence in chosen))
        context = self._tokens[self._position[chosen[0].chunk.id]]
        return chosen, self._confidence(query, said, said | context)

    def _confidence(self, query: Mapping[str, float], said: frozenset[str], near: frozenset[str]) -> float:
        """From 0 to 1; here a word that no document holds counts for more, as it warns of a gap."""
        strict = {t: w if self._knows(t) else w * UNKNOWN_DOUBT for t, w in query.items()}
        return 0.5 * self._coverage(strict, self._held(strict, said)) + 0.5 * self._coverage(
            strict, self._held(strict, near)
        )

    def _worth(
        self,
        query: Mapping[str, float],
        rest: set[str],
        sentence: Sentence,
        chunk_score: float,
        looks_right: re.Pattern[str] | None,
    ) -> float:
        """What a sentence would add: its own words, half for its chunk's, its chunk's rank, the kind of answer."""
        around = self._tokens[self._position[sentence.chunk.id]] - sentence.tokens
        own = self._coverage(query, self._held(rest, sentence.tokens))
        near = self._coverage(query, self._held(rest, around))
        kind = KIND_BONUS if looks_right and looks_right.search(sentence.text) else 0.0
        return own + NEAR_WEIGHT * near + CHUNK_WEIGHT * chunk_score + kind


def build_system(version: Literal["v1", "v2"], documents: Sequence[Mapping[str, Any]]) -> System:
    """The system in one of its two versions, with its index built. Raises KeyError for another name."""
    return System(CONFIGS[version], documents)


def _best_first(scored: Iterable[Scored]) -> list[Scored]:
    return sorted(scored, key=lambda entry: (-entry.score, entry.chunk.id))


def _sentences(chunk: Chunk) -> list[Sentence]:
    return [
        Sentence(chunk, chunk.start + start, chunk.start + end, frozenset(tokenize(chunk.text[start:end])))
        for start, end in sentence_spans(chunk.text)
    ]


def _candidates(prompt: Sequence[Scored]) -> dict[tuple[str, str, int], tuple[Sentence, float]]:
    """The sentences of the prompt by place, each once, with the score of the best chunk that holds it."""
    candidates: dict[tuple[str, str, int], tuple[Sentence, float]] = {}
    for scored in prompt:
        for sentence in _sentences(scored.chunk):
            key = (scored.chunk.version.doc_id, scored.chunk.version.version_id, sentence.start)
            candidates.setdefault(key, (sentence, scored.score))
    return candidates


def _pack(reranked: Sequence[Scored]) -> list[Scored]:
    """The longest run of chunks from the top that fits the prompt."""
    packed: list[Scored] = []
    used = 0
    for scored in reranked:
        used += scored.chunk.end - scored.chunk.start
        if used > PROMPT_CHARACTERS:
            break
        packed.append(scored)
    return packed


def _unit(scored: Scored) -> dict[str, Any]:
    chunk = scored.chunk
    return {
        "id": chunk.id,
        "score": round(scored.score, 4),
        "doc_id": chunk.version.doc_id,
        "version_id": chunk.version.version_id,
        "start": chunk.start,
        "end": chunk.end,
        "text": chunk.text,
    }


def _citation(sentence: Sentence) -> dict[str, Any]:
    version = sentence.chunk.version
    return {
        "claim": sentence.text,
        "doc_id": version.doc_id,
        "version_id": version.version_id,
        "start": sentence.start,
        "end": sentence.end,
    }
