"""Formats of one JSON object a row: which fields tell them apart, and what becomes of each field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from datasets_app.imports.formats.base import derived_id, without_blanks
from datasets_app.imports.jsonl import Unreadable

Record = Mapping[str, Any]


def text_of(value: Any, *names: str) -> Any:
    """Return the text inside a value: itself, the first named field of an object, or its only text."""
    if not isinstance(value, Mapping):
        return value
    for name in names:
        if isinstance(value.get(name), str):
            return value[name]
    texts = [inner for inner in value.values() if isinstance(inner, str)]
    return texts[0] if len(texts) == 1 else None


_ASKED = ("question", "query", "input", "user_input", "text", "prompt")
_ANSWERED = ("answer", "reference", "expected_output", "output", "expected_response", "text")


def _given(record: Record, *names: str) -> Any:
    return next((record[name] for name in names if record.get(name) not in (None, "", [])), None)


def _id(record: Record, *names: str, question: Any) -> str:
    value = _given(record, *names)
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else derived_id(question)


def _messages(value: Any) -> tuple[Any, list[dict[str, Any]]]:
    """Return (last user message, the turns before it) of a conversation; a text is its own last message."""
    if not isinstance(value, list):
        return value, []
    roles = {"human": "user", "ai": "assistant"}
    turns = []
    for turn in value:
        if isinstance(turn, Mapping):
            role = turn.get("role") or turn.get("type")
            turns.append({"role": roles.get(str(role), role), "content": turn.get("content")})
    users = [place for place, turn in enumerate(turns) if turn["role"] == "user"]
    if not users:
        return None, []
    return turns[users[-1]]["content"], turns[: users[-1]]


def ragas(record: Record) -> dict[str, Any]:
    """Both namings: question/ground_truth (0.1) and user_input/reference (0.4). Answers and hits are no gold."""
    question, history = _messages(_given(record, "user_input", "question"))
    reference = _given(record, "reference", "ground_truth", "ground_truths")
    if isinstance(reference, list):
        reference = "\n".join(str(part) for part in reference)
    return {
        "external_id": _id(record, "id", "external_id", question=question),
        "question": question,
        "history": history,
        "reference": reference,
        "metadata": without_blanks(
            {name: record.get(name) for name in ("reference_contexts", "rubrics", "synthesizer_name", "evolution_type")}
        ),
        "source": "llm_generated" if record.get("synthesizer_name") or record.get("evolution_type") else None,
    }


def deepeval(record: Record) -> dict[str, Any]:
    question = record.get("input")
    metadata = _given(record, "additional_metadata", "additionalMetadata") or {}
    extra = {"context": record.get("context"), "source_file": _given(record, "source_file", "sourceFile")}
    return {
        "external_id": _id(record, "id", "name", question=question),
        "question": question,
        "reference": _given(record, "expected_output", "expectedOutput"),
        "metadata": {**metadata, **without_blanks(extra)} if isinstance(metadata, Mapping) else metadata,
    }


def _traced(question: Any, answer: Any, record: Record) -> dict[str, Any]:
    asked = text_of(question, *_ASKED)
    return {
        "external_id": _id(record, "id", "example_id", "dataset_item_id", question=asked),
        "question": asked,
        "reference": text_of(answer, *_ANSWERED),
        "metadata": record.get("metadata"),
    }


def langfuse(record: Record) -> dict[str, Any]:
    return _traced(record.get("input"), _given(record, "expectedOutput", "expected_output"), record)


def langsmith(record: Record) -> dict[str, Any]:
    return _traced(record.get("inputs"), record.get("outputs"), record)


def phoenix(record: Record) -> dict[str, Any]:
    return _traced(record.get("input"), record.get("output"), record)


def mlflow(record: Record) -> dict[str, Any]:
    expected = record.get("expectations")
    facts = expected.get("expected_facts") if isinstance(expected, Mapping) else None
    item = _traced(record.get("inputs"), expected, record)
    return {
        **item,
        "reference": text_of(expected, "expected_response"),
        "nuggets": [{"text": fact, "vital": True} for fact in facts] if isinstance(facts, list) else None,
        "tags": [f"{key}:{value}" for key, value in (record.get("tags") or {}).items()]
        if isinstance(record.get("tags"), Mapping)
        else None,
    }


def autorag(record: Record) -> dict[str, Any]:
    """`retrieval_gt` is a list of requirements, each a list of alternatives; without any, the item is unanswerable."""
    gold = record.get("retrieval_gt") or []
    requirements = [part if isinstance(part, list) else [part] for part in gold] if isinstance(gold, list) else gold
    if isinstance(requirements, list):
        requirements = [part for part in requirements if part not in ([], [None], [""])]
    answers = record.get("generation_gt")
    return {
        "external_id": _id(record, "qid", question=record.get("query")),
        "question": record.get("query"),
        "reference": answers[0] if isinstance(answers, list) and answers else answers,
        "evidence": [requirements] if requirements else None,
        "answerable": bool(requirements),
        "metadata": {"generation_gt": answers[1:]} if isinstance(answers, list) and len(answers) > 1 else None,
    }


_HOPS = {
    "inference_query": ["multi_hop"],
    "comparison_query": ["multi_hop"],
    "temporal_query": ["multi_hop", "time_sensitive"],
    "null_query": ["unanswerable"],
}


def multihop_rag(record: Record) -> dict[str, Any] | Unreadable:
    """All evidence is needed together; an article is known by its address. Null queries stay, as unanswerable."""
    kind = str(record.get("question_type"))
    pieces = record.get("evidence_list") or []
    if not isinstance(pieces, list):
        return Unreadable("type", _("Give a list."), "/evidence_list")
    articles: dict[str, None] = {}
    for place, piece in enumerate(pieces):
        article = (piece.get("url") or piece.get("title")) if isinstance(piece, Mapping) else None
        if not isinstance(article, str):
            detail = _("Each piece of evidence needs the url or the title of its article, as a text.")
            return Unreadable("type", detail, f"/evidence_list/{place}")
        articles[article] = None
    return {
        "external_id": _id(record, "id", question=record.get("query")),
        "question": record.get("query"),
        "reference": record.get("answer") if kind != "null_query" else None,
        "types": _HOPS.get(kind, []),
        "answerable": kind != "null_query",
        "evidence": [[[article] for article in articles]] if articles else None,
        "metadata": {"question_type": kind, "facts": [piece.get("fact") for piece in pieces]},
        "source": "benchmark",
    }


def _alternatives(answer: Any) -> str:
    """RGB answers: a text, a list of alternatives, or a list of parts with alternatives each."""
    if not isinstance(answer, list):
        return str(answer)
    if any(isinstance(part, list) for part in answer):
        return "; ".join(str(part[0]) if isinstance(part, list) and part else str(part) for part in answer)
    return str(answer[0]) if answer else ""


def rgb(record: Record) -> dict[str, Any]:
    kept = ("positive", "negative", "positive_wrong", "fakeanswer")
    return {
        "external_id": _id(record, "id", question=record.get("query")),
        "question": record.get("query"),
        "reference": _alternatives(record.get("answer")),
        "metadata": without_blanks({"answers": record.get("answer"), **{name: record.get(name) for name in kept}}),
        "source": "benchmark",
    }


def squad_row(record: Record) -> dict[str, Any] | Unreadable:
    """One question with its paragraph; impossible ones stay, as unanswerable. Spans must hold their text."""
    context, answers = record.get("context"), record.get("answers") or []
    texts = []
    for place, answer in enumerate(answers if isinstance(answers, list) else []):
        text = answer.get("text") if isinstance(answer, Mapping) else answer
        start = answer.get("answer_start") if isinstance(answer, Mapping) else None
        if isinstance(start, int) and isinstance(text, str) and isinstance(context, str):
            fault = misplaced(context, text, start, f"/answers/{place}/answer_start")
            if fault is not None:
                return fault
        texts.append(text)
    impossible = bool(record.get("is_impossible"))
    return {
        "external_id": _id(record, "id", question=record.get("question")),
        "question": record.get("question"),
        "context": [context] if context else None,
        "reference": texts[0] if texts and not impossible else None,
        "answerable": not impossible,
        "types": ["unanswerable"] if impossible else None,
        "metadata": {"answers": list(dict.fromkeys(map(str, texts)))} if len(set(map(str, texts))) > 1 else None,
        "cluster": record.get("paragraph"),
        "source": "benchmark",
    }


def misplaced(context: str, text: str, start: int, pointer: str) -> Unreadable | None:
    """Return the fault of a span that holds another text, with the nearest place where the text stands."""
    if context[start : start + len(text)] == text and start >= 0:
        return None
    places: list[int] = []
    place = context.find(text)
    while place >= 0 and len(places) < 1000:
        places.append(place)
        place = context.find(text, place + 1)
    if not places:
        return Unreadable(
            "span_not_found", _("“%(text)s” stands nowhere in the context.") % {"text": text[:80]}, pointer
        )
    nearest = min(places, key=lambda found: abs(found - start))
    detail = _("“%(text)s” does not stand at %(start)s but at %(found)s.")
    return Unreadable("span_moved", detail % {"text": text[:80], "start": start, "found": nearest}, pointer)


def _has(*names: str) -> Callable[[Record], bool]:
    return lambda record: all(name in record for name in names)


#: name → (does the record look like it, what it becomes); the first that fits wins, so the most telling come first.
RECORDS: dict[str, tuple[Callable[[Record], bool], Callable[[Record], dict[str, Any] | Unreadable]]] = {
    "multihop_rag": (_has("query", "evidence_list"), multihop_rag),
    "rgb": (_has("query", "positive", "negative"), rgb),
    "autorag": (_has("query", "retrieval_gt"), autorag),
    "mlflow": (_has("inputs", "expectations"), mlflow),
    "langsmith": (_has("inputs", "outputs"), langsmith),
    "langfuse": (lambda r: "input" in r and "expectedOutput" in r and ("datasetId" in r or "id" in r), langfuse),
    "phoenix": (lambda r: isinstance(r.get("input"), Mapping) and "output" in r, phoenix),
    "deepeval": (lambda r: "input" in r and bool({"expected_output", "expectedOutput", "context"} & set(r)), deepeval),
    "squad": (lambda r: "question" in r and "context" in r and "answers" in r, squad_row),
    "ragas": (
        lambda r: (
            "user_input" in r or ("question" in r and bool({"ground_truth", "ground_truths", "contexts"} & set(r)))
        ),
        ragas,
    ),
}
