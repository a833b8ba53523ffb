"""The eval set of the example knowledge base: spans, coverage of types and splits, consistency of gold."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import pytest

from examples.kb import build
from examples.kb.documents import load_documents, load_items, parse_time, versions_of
from scoring.answers import validate
from scoring.answers.verdict import verdict_of
from scoring.types import EvalItem, SystemOutput

ITEMS = load_items()
DOCUMENTS = load_documents()
BY_ID = {item["external_id"]: item for item in ITEMS}
TEXTS = {(d["doc_id"], v["version_id"]): v["text"] for d in DOCUMENTS for v in d["versions"]}
VERSIONS = {(version.doc_id, version.version_id): version for version in versions_of(DOCUMENTS)}
LANGUAGES = {document["doc_id"]: document["language"] for document in DOCUMENTS}
TYPES = {
    "fact",
    "paraphrase",
    "terms",
    "multi_hop",
    "multi_passage",
    "time_sensitive",
    "cited",
    "robustness",
    "unanswerable",
    "false_premise",
}


def spans_of(item: dict[str, Any]) -> list[dict[str, Any]]:
    return [span for group in item["evidence"] for requirement in group for span in requirement]


def text_of(span: dict[str, Any]) -> str:
    return TEXTS[span["doc_id"], span["version_id"]][span["start"] : span["end"]]


def test_the_committed_files_are_what_the_sources_build() -> None:
    documents = build.build_documents()
    assert build.DOCUMENTS_FILE.read_text(encoding="utf-8") == build.to_jsonl(documents)
    assert build.ITEMS_FILE.read_text(encoding="utf-8") == build.to_jsonl(build.build_items(documents))


def test_every_span_is_exactly_the_sentence_that_was_quoted() -> None:
    quoted = 0
    for source in build.load_sources():
        quotes = [quote for group in source.get("evidence", []) for requirement in group for quote in requirement]
        spans = spans_of(BY_ID[source["external_id"]])
        assert len(quotes) == len(spans)
        for quote, span in zip(quotes, spans, strict=True):
            assert quote == f"{span['doc_id']}@{span['version_id']}|{text_of(span)}"
            assert TEXTS[span["doc_id"], span["version_id"]].count(text_of(span)) == 1
            quoted += 1
    assert quoted > 100


@pytest.mark.parametrize("quote", ["d01@1|words that are not there", "d99@1|The", "d01@1|the", "d01@1|"])
def test_a_quote_that_is_absent_or_not_unique_stops_the_build(quote: str) -> None:
    with pytest.raises(build.BuildError):
        build.resolve_quote(quote, TEXTS)


def test_ids_and_questions_are_unique() -> None:
    assert len(BY_ID) == len(ITEMS)
    assert len({(item["question"], json.dumps(item["history"])) for item in ITEMS}) == len(ITEMS)


def test_both_splits_hold_every_question_type_in_reasonable_number() -> None:
    for split in ("dev", "frozen"):
        counts = Counter(kind for item in ITEMS if item["split"] == split for kind in item["types"])
        assert set(counts) == TYPES
        assert min(counts.values()) >= 2
    splits = Counter(item["split"] for item in ITEMS)
    assert 0.4 <= splits["dev"] / len(ITEMS) <= 0.5
    assert splits["frozen"] >= 36


def test_the_set_has_enough_clusters_unanswerables_and_false_premises() -> None:
    assert len({item["cluster"] for item in ITEMS if item["split"] == "frozen"}) >= 20
    assert sum("unanswerable" in item["types"] for item in ITEMS) >= 8
    assert sum("false_premise" in item["types"] for item in ITEMS) >= 6
    for item in ITEMS:
        assert item["answerable"] == (not {"unanswerable", "false_premise"} & set(item["types"]))


def test_both_languages_have_about_the_same_share() -> None:
    languages = Counter(item["language"] for item in ITEMS)
    assert set(languages) == {"en", "zh"}
    assert min(languages.values()) / len(ITEMS) > 0.4
    for item in ITEMS:
        assert bool(re.search(r"[\u4e00-\u9fff]", item["question"])) == (item["language"] == "zh")


def test_tiers_are_nested_and_the_smoke_tier_is_small() -> None:
    assert all("full" in item["tiers"] for item in ITEMS)
    assert all("regression" in item["tiers"] for item in ITEMS if "smoke" in item["tiers"])
    assert 12 <= sum("smoke" in item["tiers"] for item in ITEMS) <= 20


def test_a_perturbed_item_stands_with_its_original_in_split_cluster_and_gold() -> None:
    perturbed = [item for item in ITEMS if "perturbs" in item]
    assert {item["perturbs"]["kind"] for item in perturbed} == {"paraphrase", "typo"}
    for item in perturbed:
        original = BY_ID[item["perturbs"]["external_id"]]
        assert "robustness" in item["types"]
        assert item["question"] != original["question"]
        for key in ("split", "cluster", "evidence", "assertions", "reference", "query_time"):
            assert item[key] == original[key]


def test_evidence_is_valid_and_visible_when_and_to_whom_the_question_is_put() -> None:
    for item in ITEMS:
        moment = parse_time(item["query_time"])
        for span in spans_of(item):
            version = VERSIONS[span["doc_id"], span["version_id"]]
            assert version.is_valid_at(moment), item["external_id"]
            assert version.audience & set(item["audience"]), item["external_id"]
        assert bool(item["evidence"]) == ("unanswerable" not in item["types"])


def test_no_question_repeats_a_long_run_of_its_evidence() -> None:
    for item in ITEMS:
        evidence = " ".join(text_of(span) for span in spans_of(item)).lower()
        if item["language"] == "zh":
            runs = [item["question"][i : i + 9] for i in range(len(item["question"]) - 8)]
        else:
            words = re.findall(r"[\w'€%.-]+", item["question"].lower())
            runs = [" ".join(words[i : i + 6]) for i in range(len(words) - 5)]
        assert not [run for run in runs if run in evidence], item["external_id"]


def test_texts_read_as_people_write_them() -> None:
    filler = re.compile(
        r"\bas an ai\b|delve|certainly!|i'd be happy|in conclusion|it is important to note|lorem|todo"
        r"|作为.{0,4}(?:AI|人工智能)|综上所述"
        r"|值得注意的是|总而言之",
        re.IGNORECASE,
    )
    for text in [*TEXTS.values(), *(f"{item['question']} {item['reference']}" for item in ITEMS)]:
        assert not filler.search(text)
    for document in DOCUMENTS:
        if document["language"] == "zh":
            for version in document["versions"]:
                assert not re.search(r"[\u4e00-\u9fff][,;:?!](?=[\u4e00-\u9fff])", version["text"])


def test_every_item_and_assertion_is_accepted_by_the_scoring_package() -> None:
    for item in ITEMS:
        EvalItem.from_native(item)
        for assertion in item["assertions"]:
            validate(assertion)


def test_quoting_all_of_the_evidence_is_always_a_right_answer() -> None:
    checked, wrong = 0, []
    for item in ITEMS:
        for group in item["evidence"]:
            chosen = [
                next(span for span in requirement if LANGUAGES[span["doc_id"]] == item["language"])
                for requirement in group
            ]
            output = SystemOutput(
                external_id=item["external_id"],
                answer=" ".join(text_of(span) for span in chosen),
                outcome="answered",
                citations=tuple(chosen),
            )
            verdict = verdict_of(EvalItem.from_native(item), output)
            checked += 1
            if not verdict.correct:
                wrong.append((item["external_id"], verdict.detail))
    assert not wrong
    assert checked > 90


def test_documents_have_old_new_and_withdrawn_versions_in_both_languages() -> None:
    assert Counter(document["language"] for document in DOCUMENTS) == {"en": 14, "zh": 14}
    for language in ("en", "zh"):
        versions = [v for d in DOCUMENTS if d["language"] == language for v in d["versions"]]
        assert sum(v["valid_to"] is not None for v in versions) >= 3
        assert sum(v["withdrawn_at"] is not None for v in versions) == 1
    assert all(len(version["text"].split("\n\n")) >= 2 for d in DOCUMENTS for version in d["versions"][-1:])
