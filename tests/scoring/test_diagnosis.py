"""Each rule fires on its symptom, with the figures that fired it, and is silent without them."""

import pytest

from scoring.aggregate import aggregate_scores
from scoring.diagnosis import CODES, Thresholds, diagnose
from scoring.identity import MetricIdentity
from scoring.registry import identity
from scoring.types import Score

DEEP, SHALLOW = identity("retrieval.hit", k=50), identity("retrieval.hit", k=5)
RECALL = identity("retrieval.evidence_recall", k=5)
PROMPT = identity("retrieval.evidence_complete", stage="prompt")
CORRECT = identity("answers.correct")
FAITHFUL = MetricIdentity("ragas.faithfulness", judge="faith@1")


@pytest.mark.parametrize(
    ("figures", "layers"),
    [
        ({DEEP: 0.4, SHALLOW: 0.3}, ["index or recall path"]),
        ({DEEP: 0.95, SHALLOW: 0.4}, ["reranking"]),
        ({DEEP: 0.95, SHALLOW: 0.9, RECALL: 0.3}, ["chunk granularity, or K too small"]),
        ({SHALLOW: 0.9, CORRECT: 0.4}, ["evidence coverage, context assembly or generation"]),
        ({SHALLOW: 0.9, CORRECT: 0.4, PROMPT: 0.3}, ["evidence coverage or context assembly (truncation)"]),
        ({SHALLOW: 0.9, CORRECT: 0.4, PROMPT: 0.9}, ["generation"]),
        ({PROMPT: 0.9, FAITHFUL: 0.5}, ["generation"]),
        ({FAITHFUL: 0.95, CORRECT: 0.5}, ["the source is wrong or outdated: check freshness"]),
        ({DEEP: 0.95, SHALLOW: 0.9, CORRECT: 0.9, FAITHFUL: 0.95, PROMPT: 0.9}, []),
        ({DEEP: 0.8, SHALLOW: 0.75}, []),
        ({}, []),
        ({DEEP: None}, []),
    ],
)
def test_the_layer_follows_from_the_figures(figures, layers):
    findings = diagnose(figures)
    assert [f.layer for f in findings] == layers
    assert all(f.code in CODES for f in findings)
    for finding in findings:
        assert finding.symptom
        assert all(figures[MetricIdentity.parse(text)] == value for text, value in finding.figures.items())


def test_aggregates_of_too_few_items_are_not_judged():
    few = aggregate_scores(DEEP, [Score.of(0.0)] * 3, list("abc"), list("abc"))
    many = aggregate_scores(DEEP, [Score.of(0.0)] * 6, list("abcdef"), list("abcdef"))
    assert diagnose({DEEP: few}) == []
    assert len(diagnose({DEEP: many})) == 1
    assert len(diagnose({DEEP: few}, Thresholds(least_items=1))) == 1
    assert diagnose({DEEP: many}, Thresholds(hit_low=0.0)) == []


def test_each_pair_of_symptom_and_layer_has_its_own_code():
    shapes = [
        {DEEP: 0.4, SHALLOW: 0.3},
        {DEEP: 0.95, SHALLOW: 0.4},
        {DEEP: 0.95, SHALLOW: 0.9, RECALL: 0.3},
        {SHALLOW: 0.9, CORRECT: 0.4},
        {SHALLOW: 0.9, CORRECT: 0.4, PROMPT: 0.3},
        {SHALLOW: 0.9, CORRECT: 0.4, PROMPT: 0.9},
        {PROMPT: 0.9, FAITHFUL: 0.5},
        {FAITHFUL: 0.95, CORRECT: 0.5},
    ]
    found = [finding for shape in shapes for finding in diagnose(shape)]
    assert [f.code for f in found] == list(CODES)
    assert len({(f.symptom, f.layer) for f in found}) == len(CODES)
