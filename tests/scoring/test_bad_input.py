"""Bad input to every public function of the package: a defined answer or a typed error that names it, never NaN.

The functions are found by introspection: a new one without a case here fails. Those that only ever see what another
one has checked (``THROUGH``) are walked by that one, and the test watches that they are.
"""

import dataclasses
import importlib
import inspect
import math
import pkgutil
import re
import sys
from datetime import UTC, datetime
from enum import Enum

import numpy as np
import pytest

import scoring
from scoring.aggregate import aggregate_scores
from scoring.agreement.drawn import drawn_agreement
from scoring.batch import Batch
from scoring.errors import ScoringError
from scoring.identity import MetricIdentity
from scoring.judgements import Judgements, SupportTable
from scoring.refusal.risk_coverage import risk_coverage
from scoring.registry import METRICS, identity
from scoring.retrieval.columns import columns
from scoring.score import score_batch
from scoring.stats.clusters import by_cluster
from scoring.stats.seeds import generator
from scoring.trec.arrays import LabelArrays, RunArrays
from scoring.trec.files import TrecRun
from scoring.trec.measures import ALL
from scoring.types import Document, EvalItem, Score, State, SystemOutput
from tests.scoring.builders import item, listed, output

NAN, INF = float("nan"), float("inf")
ONE, ZERO, LOST = Score.of(1), Score.of(0), Score.none(State.TARGET_FAILED)
HIT = identity("retrieval.hit", k=5)
NO_LISTS = columns([], [])
LISTS = columns([{}, {"a": 1}, {"a": 0, "b": 2}, {"a": -1}], [["x"], [], ["b", "a"], ["a"]])
NO_BATCH = Batch([], [])
NOW = datetime(2026, 3, 1, tzinfo=UTC)
DOCUMENT = Document("d", "1")
ONE_CLUSTER = by_cluster([0.5, 0.5], ["c", "c"])
ALIKE = by_cluster([0.5] * 30, None)
TIED = by_cluster([0.0, 1.0] * 15, [str(n % 3) for n in range(30)])
SPREAD = by_cluster(list(np.linspace(0, 1, 60)), None)
EMPTY_LABELS = LabelArrays([], [], [])
EMPTY_RUN = RunArrays([], [], [])


def no(pattern, *args, **kwargs):
    """A call that has to be refused with these words."""
    return args, kwargs, pattern


def ok(*args, **kwargs):
    """A call that has to give a defined answer."""
    return args, kwargs, None


def rng():
    return generator("bad input")


CASES = {
    "aggregate.item_scores": [ok([], []), no("differ in length", [ONE], []), ok([ONE, LOST, LOST], ["a", "a", "b"])],
    "aggregate.aggregate_scores": [
        ok(HIT, [], [], []),
        no("differ in length", HIT, [ONE], [], ["a"]),
        ok(HIT, [LOST], ["c"], ["a"]),
        ok(HIT, [ONE], ["c"], ["a"]),
        ok(HIT, [ONE, ONE], ["c", "c"], ["a", "b"]),
        ok(HIT, [ONE, ONE], ["c", "d"], ["a", "a"]),
        ok(identity("retrieval.ndcg", k=5), [Score.of(0.5)] * 3, ["c", "d", "e"], ["a", "b", "c"]),
        ok(MetricIdentity("external.x"), [ONE] * 60, [str(n) for n in range(60)], [str(n) for n in range(60)]),
        no("confidence", HIT, [ONE, ZERO], ["c", "d"], ["a", "b"], confidence=1.0),
        no("confidence", identity("retrieval.ndcg", k=5), [ONE, ZERO], ["c", "d"], ["a", "b"], confidence=NAN),
    ],
    "aggregate.macro_mean": [ok([]), ok({}), ok([aggregate_scores(HIT, [], [], [])])],
    "agreement.alternative_annotator.alternative_annotator_test": [
        no("two annotators", [], []),
        no("differ in length", [1], []),
        no("two annotators", [1], [[1]]),
        no("shares only 0 items", [1, 1], [[1, None], [None, 1]]),
        ok([1, 1, 1], [[1, 1], [1, 1], [1, 1]]),
        ok([0, 1, 1], [[1, 0], [0, 1], [1, 1]]),
        no("epsilon", [1], [[1, 1]], epsilon=NAN),
        no("alpha", [1], [[1, 1]], alpha=0),
        no("metric", [1], [[1, 1]], metric="f"),
        no("humans: item 1", [1, 1], [[1, 1], [1]]),
        no("not a number", ["a", "b"], [["a", "b"], ["a", "a"]], metric="rmse"),
        no("infinity", [INF, 1.0], [[1.0, 1.0], [1.0, 1.0]], metric="rmse"),
    ],
    "agreement.drawn.drawn_agreement": [
        ok([], [], []),
        ok([None, 1], [1, NAN], [0.5, 0.5]),
        ok([1, 1], [1, 1], [0.5, 1]),
        ok([1, 0], [1, 0], [0.5, 1], ["a", "b"]),
        ok([1, 0, 1], [1, 0, 0], [0.5, 1, 1], ["a", "b", "b"]),
        *(ok([1, 0, 1, 0], [1, 0, 0, 0], [1, 0.5, 1, 1], coefficient=name) for name in ("ac", "mcc", "alpha")),
        no("differ in length", [1], [], []),
        no("probabilities .1. and labels .2.", [1, 0], [1, 0], [1]),
        no("strata .1. and labels .2.", [1, 0], [1, 0], [1, 1], ["a"]),
        no("outside", [1], [1], [0]),
        no("outside", [1], [1], [1.5]),
        no("probabilities", [1], [1], [NAN]),
        no("coefficient is 'rho'", [1], [1], [1], coefficient="rho"),
        no("coefficient is 'rho'", [], [], [], coefficient="rho"),
        no("weights: mcc has none", [1], [1], [1], coefficient="mcc", weights="linear"),
        no("weights is 'cubic'", [1, 0], [1, 0], [1, 1], weights="cubic"),
        no("not one of the categories", [1, 2], [1, 0], [1, 1], categories=[0, 1]),
    ],
    "agreement.drawn.drawn_confusion": [
        ok([1], [0], [0.5], positive=1),
        ok([1, None, 0], [1, 1, NAN], [0.5, 1, 1], ["a", "a", "b"], positive=1),
        no("no item is labelled by both", [], [], [], positive=1),
        no("no item is labelled by both", [None], [1], [1], positive=1),
        no("outside", [1], [1], [-1], positive=1),
        no("differ in length", [1], [1, 0], [1], positive=1),
    ],
    "agreement.confusion.confusion": [
        ok([], [], positive=1),
        no("differ in length", [1], [], positive=1),
        ok([None, 1], [1, None], positive=1),
        ok([NAN, 1.0], [1.0, NAN], positive=1.0),
        ok([0, 0], [0, 0], positive=1),
    ],
    "agreement.kappa.agreement_weights": [ok(1, "linear"), ok(0, "linear"), no("weights", 2, "cubic")],
    **{
        f"agreement.kappa.{name}": [
            ok([], []),
            no("differ in length", [1], []),
            ok([None], [1]),
            ok([NAN, 1.0], [1.0, NAN]),
            ok([1], [1]),
            ok([1, 1], [1, 1]),
            ok([1, 1], [0, 1]),
            no("mixes", [1, "a"], [1, 1]),
            no("infinity", [INF], [1.0]),
        ]
        for name in ("cohen_kappa", "gwet_ac", "matthews", "percent_agreement")
    },
    "agreement.labels.code": [
        ok([]),
        no("item 1 has 1", [[1, 2], [1]]),
        no("mixes", [["a", 1]]),
        no("categories", [[1, 3]], [1]),
        no("infinity", [[INF]]),
    ],
    "agreement.labels.is_given": [ok(None), ok(NAN), ok("")],
    "agreement.labels.pair": [ok([], []), no("differ in length", [1], [])],
    "agreement.many_raters.fleiss_kappa": [
        ok([]),
        ok([[]]),
        ok([["a"]]),
        ok([["a", "a"], ["a", "a"]]),
        no("different numbers", [["a", "a"], ["a", None]]),
        no("item 1", [["a", "a"], ["a"]]),
    ],
    "agreement.many_raters.krippendorff_alpha": [
        ok([]),
        ok([[None, None]]),
        ok([[1, None], [None, 2]]),
        ok([[1, 1], [1, 1]]),
        ok([[1.0, NAN], [1.0, 2.0]], level="interval"),
        no("needs numbers", [["a", "b"]], level="interval"),
        no("level", [[1, 1]], level="ratio"),
    ],
    **{
        f"agreement.rank.{name}": [
            ok([], []),
            ok([1], [1]),
            ok([1, 1, 1], [1, 2, 3]),
            ok([1, 2, 3], [1, 2, 3]),
            ok([None, 1], [1, None]),
            no("differ in length", [1], []),
            no("left: holds NaN", [NAN, 1.0], [1.0, 2.0]),
            no("confidence", [1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], confidence=0),
        ]
        for name in ("spearman", "kendall_tau_b")
    },
    "agreement.resampling.interval": [
        ok(np.array([1.0]), lambda drawn: drawn[:, 0], "s"),
        ok(np.array([2.0, 0.0]), lambda drawn: np.full(len(drawn), NAN), "s"),
        ok(np.zeros(2), lambda drawn: drawn[:, 0], "s"),
    ],
    "agreement.resampling.bounded": [
        ok(np.array([3.0]), 1.0, lambda drawn: np.ones(len(drawn)), "s", 0.0),
        ok(np.array([3.0]), 1.0, lambda drawn: np.ones(len(drawn)), "s", 0.5),
    ],
    "agreement.resampling.ratio": [],
    "answers.binding.bound": [
        ok("", ["a"], []),
        ok("a 3", ["a"], [(2, 3)]),
        ok("a 3", [], [(2, 3)]),
        ok("a", [""], []),
    ],
    "answers.dispatch.validate": [no("/type", {}), no("object", []), no("/type", {"type": 3})],
    "answers.dispatch.check": [
        no("/type", {}, "a"),
        ok({"type": "contains", "value": "a"}, ""),
        ok({"type": "number", "value": 3}, "9" * 400),
        no("/value", {"type": "number", "value": NAN}, "3"),
        no("/any_of", {"type": "contains"}, "a"),
    ],
    "answers.contains.find": [ok("", "a", False, True), ok("a", "", False, True)],
    "answers.date.dates": [ok(""), ok("2026-02-30"), ok("0000-00-00"), ok("99999")],
    "answers.json_path.parse": [no("/path", ""), no("/path", "a"), ok("$")],
    "answers.json_path.select": [ok(None, ["a"]), ok([], [0]), ok({}, [])],
    "answers.json_text.document": [no("JSON", ""), no("JSON", "{"), no("JSON", '{"a": NaN}')],
    "answers.negation.negated": [ok("", 0, 0), ok("not", 0, 3)],
    "answers.numeral_words.chinese_value": [ok(""), ok("点"), ok("万"), ok("半"), ok("abc")],
    "answers.numeral_words.english_value": [ok(""), ok("and"), ok("xyz"), ok("million million million")],
    "answers.numerals.numerals": [ok(""), ok("1e999"), ok("-"), ok("1/0"), ok("0分之一"), ok("百分之"), ok("万" * 300)],
    "answers.regex.compiled": [no("/pattern", "("), no("/flags", "a", "q")],
    "answers.spec.known": [ok({}), no("/x", {"x": 1})],
    "answers.spec.text_field": [no("/a", {}, "a"), no("/a", {"a": " "}, "a")],
    "answers.spec.texts_field": [no("/a", {}, "a"), no("/a", {"a": []}, "a"), no("/a/0", {"a": [""]}, "a")],
    "answers.spec.flag": [ok({}, "a"), no("/a", {"a": 1}, "a")],
    "answers.spec.number_field": [ok({}, "a"), no("/a", {"a": INF}, "a"), no("/a", {"a": -1}, "a", 0)],
    "answers.spec.as_number": [no("/a", NAN, "/a"), no("/a", True, "/a"), no("/a", "3", "/a")],
    "answers.spec.choice": [no("/a", {"a": "z"}, "a", ("x",), "x"), no("/a", {"a": []}, "a", ("x",), "x")],
    "answers.text.fold": [ok(""), ok("\x00İß")],
    "answers.text.fold_case": [ok(""), ok("\x00İß")],
    "answers.text.normalize": [ok(""), ok("...")],
    "answers.text.occurrences": [ok("", ""), ok("a", " "), ok("", "a")],
    "answers.text.sentence_bounds": [ok("", 0), ok("a", 5)],
    "answers.units.known_unit": [ok(""), ok("blorp"), ok("m" * 300)],
    "answers.units.comparable": [ok("day", "meter"), ok("day", "day")],
    "answers.units.convert": [ok(0.0, "day", "hour"), no("day.*meter", 1.0, "day", "meter")],
    "answers.units.calendar": [ok("x", "y")],
    "answers.units.unit_after": [ok("", 0), ok("3", 9)],
    "answers.units.unit_before": [ok("", 0)],
    "answers.units.speed_of": [ok("", 0, "kilometer")],
    "answers.verdict.is_must": [ok({})],
    "answers.verdict.expects_refusal": [ok(item())],
    "answers.verdict.verdict_of": [ok(item(), SystemOutput.missing("q")), ok(item(), output(answer="x"))],
    "chars.is_cjk": [ok(""), ok("中")],
    "citations.accessible.shows_internal_path": [ok({}), ok({"url": None}), ok({"uri": 3})],
    "citations.locatable.resolves": [ok({}, {}), ok({"doc_id": "d", "start": -1, "end": 3}, {("d", None): DOCUMENT})],
    "citations.support.recall": [ok([])],
    "citations.support.precision": [ok([])],
    "citations.support.irrelevant_rate": [ok([])],
    "composite.weights_checked": [
        no("empty", {}),
        no("a is nan", {"a": NAN}),
        no("a is -1", {"a": -1.0}),
        no("sum to 0.5", {"a": 0.5}),
        no("not the name", {"": 1.0}),
    ],
    "composite.composite": [ok({}, {"a": 1.0}), ok({"a": LOST}, {"a": 1.0}), no("empty", {}, {})],
    "diagnosis.diagnose": [ok({}), ok({HIT: None}), no("NaN", {HIT: NAN})],
    "freshness.metrics.moment_of": [ok(None), ok(""), ok("yesterday"), ok("2026-13-01")],
    "freshness.metrics.withdrawn": [ok(DOCUMENT, NOW)],
    "freshness.metrics.stale": [ok(DOCUMENT, NOW)],
    "freshness.metrics.valid": [ok(DOCUMENT, NOW)],
    "freshness.metrics.versions_of": [ok(SystemOutput.missing("q"), "cited")],
    "judgements.support_table": [ok((), lambda _: None), no("twice", (0, 0), lambda _: True)],
    "nuggets.metrics.nugget_score": [
        ok([], [], 0.5, True),
        ok([False], ["support"], 0.0, True),
        ok([True], [None], 0.5, False),
        no("differ in length", [True], [], 0.5, False),
    ],
    "reasons.code_of": [ok(""), ok("nothing known")],
    "refusal.detect.detect": [ok(""), ok("…"), ok("?" * 30_000)],
    "refusal.metrics.right": [],
    "refusal.risk_coverage.risk_coverage": [
        no("confidence: is empty", [], []),
        no("differ in length", [0.5], []),
        no("confidence: holds NaN", [NAN], [0]),
        no("wrong", [0.5], [0.5]),
        no("wrong", [0.5], [NAN]),
        no("n_total", [0.5], [0], n_total=0),
        ok([0.5] * 3, [0, 1, 0]),
        ok([0.5], [1]),
    ],
    "refusal.risk_coverage.choose_threshold": [
        no("dev split", risk_coverage([0.5], [0]), 0.1, split="frozen"),
        no("max_risk", risk_coverage([0.5], [0]), NAN, split="dev"),
        ok(risk_coverage([0.5], [1]), 0.1, split="dev"),
    ],
    "refusal.risk_coverage.at_threshold": [
        no("threshold", [0.5], [0], NAN),
        no("is empty", [], [], 0.5),
        ok([0.5], [0], 0.9),
    ],
    "registry.identity": [
        no("unknown metric", "retrieval.nothing"),
        no("k", "retrieval.hit", k=0),
        no("k", "retrieval.precision"),
        no("p", "retrieval.rbp", p=NAN),
        no("stage", "answers.correct", stage="prompt"),
        no("theta", "retrieval.evidence_recall", theta=INF),
    ],
    "registry.spec_of": [no("unknown metric", MetricIdentity("external.x"))],
    "retrieval.ann_recall.ann_recall": [
        ok([], [], 5),
        ok([], ["a"], 5),
        ok(["a", "a"], ["a"], 5),
        no("k is 0", [], [], 0),
    ],
    "retrieval.columns.columns": [ok([], []), no("differ in length", [{}], []), ok([{}], [[]])],
    **{
        f"retrieval.{module}.{name}": [ok(NO_LISTS), ok(LISTS), ok(LISTS, k=1)]
        for module, name in (
            ("ap", "ap"),
            ("hit", "hit"),
            ("judged", "judged"),
            ("mrr", "mrr"),
            ("ndcg", "ndcg"),
            ("precision_returned", "precision_returned"),
            ("precision_returned", "returned"),
            ("rbp", "rbp"),
            ("recall", "recall"),
        )
    },
    "retrieval.precision.precision": [ok(NO_LISTS, 5), ok(LISTS, 5)],
    **{f"retrieval.{name}.{name}": [ok(NO_LISTS), ok(LISTS)] for name in ("bpref", "r_precision", "set_f")},
    "retrieval.stage.covered": [ok([]), ok([(0, 0)]), ok([(0, 5), (0, 5)])],
    "retrieval.stage.canonical_units": [ok([], {})],
    "robustness.cited_sources": [ok(SystemOutput.missing("q")), ok(output(answer="x", citations=[{}]))],
    "robustness.refusal_score": [ok(None)],
    "robustness.robustness": [
        ok([], task_success={}, false_accept={}, outputs={}),
        no("twice", [item(), item()], task_success={}, false_accept={}, outputs={}),
        ok(
            [item(), item("p", perturbs={"external_id": "gone", "kind": "typo"})],
            task_success={"q": ONE},
            false_accept={},
            outputs={},
        ),
        ok(
            [item(), item("p", perturbs={"external_id": "q", "kind": "injection"})],
            task_success={"q": ONE, "p": ZERO},
            false_accept={},
            outputs={"q": output(answer="x")},
        ),
    ],
    "score.score_batch": [
        ok([], [], []),
        ok([HIT], [], []),
        no("differ in length", [HIT], [item()], []),
        no("stands beside", [HIT], [item()], [output("other", answer="x")]),
        no("unknown metric", [MetricIdentity("external.x")], [], []),
        ok([HIT], [item(), item()], [output(answer="x"), output(answer="x")]),
    ],
    "stats.alike.unseen_share": [no("n is 0", 0), no("confidence", 3, NAN), ok(1)],
    "stats.alike.alike_interval": [
        no("below 1", 0.5, 0, lowest=0.0, highest=1.0),
        no("not finite", NAN, 3, lowest=0.0, highest=1.0),
        ok(0.5, 1, lowest=0.0, highest=1.0),
    ],
    "stats.bootstrap.bootstrap_interval": [
        no("two clusters", ONE_CLUSTER, rng=rng()),
        no("resamples", TIED, rng=rng(), resamples=0),
        no("confidence", TIED, rng=rng(), confidence=NAN),
        no("method", TIED, rng=rng(), method="normal"),
        ok(ALIKE, rng=rng(), resamples=50),
        ok(TIED, rng=rng(), resamples=50),
        ok(SPREAD, rng=rng(), resamples=1),
    ],
    "stats.bootstrap.percentile_interval": [ok(np.array([0.5]))],
    "stats.cluster_t.cluster_variance": [no("two clusters", ONE_CLUSTER), ok(ALIKE)],
    "stats.cluster_t.t_quantile": [no("confidence", 1.0, 3), no("df is 0", 0.95, 0), no("df is nan", 0.95, NAN)],
    "stats.cluster_t.cluster_t": [no("two clusters", ONE_CLUSTER), ok(ALIKE), ok(TIED)],
    "stats.clusters.as_values": [
        ok([], "x"),
        no("x: holds NaN", [NAN], "x"),
        no("x: not", ["a"], "x"),
        no("one", [[1]], "x"),
    ],
    "stats.clusters.by_cluster": [
        no("is empty", [], None),
        no("NaN", [INF], None),
        no("differ", [1.0], []),
        ok([1], ["a"]),
    ],
    "stats.detectable.detectable_by_type": [
        ok([]),
        ok([item()]),
        no("wanted|difference", [], wanted=0),
        no("rate", [], rate=NAN),
    ],
    "stats.holm.holm": [ok([]), no("outside", [1.5]), no("NaN", [NAN]), ok([0.0, 0.0, 1.0])],
    "stats.noise.effective_eps": [no("eps", NAN, 0.0), no("noise", 0.1, -1.0)],
    "stats.noise.judge_noise": [
        no("judged twice", {}),
        no("judged twice", {"a": [1.0]}),
        no("NaN", {"a": [1.0, NAN]}),
        ok({"a": [1, 1]}),
    ],
    "stats.paired.compare_paired": [
        ok(baseline={}, candidate={}, clusters={}),
        ok(baseline={"a": ONE}, candidate={"b": ONE}, clusters={}),
        ok(baseline={"a": LOST}, candidate={"a": LOST}, clusters={}),
        ok(baseline={"a": ONE}, candidate={"a": ZERO}, clusters={}),
        ok(baseline={"a": ONE, "b": ONE}, candidate={"a": ZERO, "b": ONE}, clusters={"a": "c", "b": "c"}),
        ok(baseline={"a": ONE, "b": ONE}, candidate={"a": ONE, "b": ONE}, clusters={}),
        no("resamples", baseline={}, candidate={}, clusters={}, resamples=0),
        no("eps", baseline={}, candidate={}, clusters={}, eps=NAN),
        no("bounds", baseline={}, candidate={}, clusters={}, bounds=(1.0, 0.0)),
        no("confidence", baseline={"a": ONE, "b": ONE}, candidate={"a": ZERO, "b": ONE}, clusters={}, confidence=2.0),
    ],
    "stats.permutation.sign_flip": [
        ok(by_cluster([0.0], None), rng=rng()),
        ok(ONE_CLUSTER, rng=rng()),
        ok(SPREAD, rng=rng(), resamples=1),
        no("resamples", SPREAD, rng=rng(), resamples=0),
    ],
    "stats.power.design_effect": [
        no("cluster_size", 0.5, 0.1),
        no("icc", 2, NAN),
        no("cluster_size", NAN, 0.1),
        ok(1, 0),
    ],
    "stats.power.paired_sd_of_proportion": [no("rate", 0.0), no("rate", NAN), no("correlation", 0.5, 1.0)],
    "stats.power.items_needed": [
        no("difference", 0, 1),
        no("sd", 0.1, NAN),
        no("power", 0.1, 1, power=1),
        no("alpha", 0.1, 1, alpha=0),
        no("too small", 1e-300, 1.0),
    ],
    "stats.power.smallest_difference": [no("n is 1", 1, 1.0), no("sd", 5, 0.0)],
    "stats.power.intra_cluster_correlation": [
        no("two clusters", ONE_CLUSTER, 0.5),
        no("two clusters", ALIKE, 0.5),
        ok(by_cluster([1, 1, 1, 1], ["a", "a", "b", "b"]), 4.0),
        no("squares", TIED, NAN),
    ],
    "stats.power.estimated_design_effect": [ok(ONE_CLUSTER, 0.5), ok(ALIKE, 7.5), no("squares", TIED, NAN)],
    "stats.ppi.ppi_mean": [
        no("two labels", [], [], [1]),
        no("empty", [1, 0], [1, 0], []),
        no("NaN", [NAN, 0], [1, 0], [1]),
        no("differ", [1, 0], [1], [1]),
        ok([1, 1], [1, 1], [1]),
        ok([1, 0], [0, 0], [0]),
        no("power", [1, 0], [1, 0], [1], power=NAN),
        no("confidence", [1, 0], [1, 0], [1], confidence=1),
    ],
    "stats.seeds.seed_of": [ok([], "")],
    "stats.seeds.generator": [],
    "stats.verdicts.verdict": [
        ok(None, None, None),
        no("eps", 0.1, 0.0, 0.2, NAN),
        no("estimate", NAN, 0.0, 0.2),
        no("above high", 0.1, 0.3, 0.2),
        ok(0.0, 0.0, 0.0, 0.0),
    ],
    "stats.verdicts.non_inferiority": [
        ok(None, None, None, 0.1),
        no("margin", 0.1, 0.2, 0.1, -1.0),
        no("low", NAN, 0.2, 0.1, 0.1),
        ok(0.0, 0.0, 0.0, 0.0),
    ],
    "stats.weighted.weighted_mean": [
        no("is empty", [], []),
        no("differ", [1], []),
        no("outside", [1], [0]),
        no("NaN", [NAN], [0.5]),
        ok([1], [0.5]),
        ok([0.7, 0.7], [0.5, 0.5]),
        ok([1, 1], [0.5, 0.2]),
        no("differ", [1], [1], []),
        no("confidence", [1, 0], [0.5, 0.5], confidence=1),
    ],
    "stats.wilson.wilson": [no("n is 0", 0, 0), no("not finite", NAN, 5), no("between", 6, 5), ok(0, 0.5)],
    "stats.wilson.normal_quantile": [no("confidence", NAN), no("confidence", 0)],
    "trec.arrays.score_arrays": [ok(EMPTY_LABELS, EMPTY_RUN), no("level", EMPTY_LABELS, EMPTY_RUN, level=0)],
    "trec.arrays.columns_from_arrays": [ok(EMPTY_LABELS, EMPTY_RUN)],
    "trec.columns.columns_from_dicts": [ok({}, {}, []), ok({"1": {}}, {"1": {}}, ["1"])],
    "trec.evaluate.measures_named": [no("nothing", ["nothing"]), ok([])],
    "trec.evaluate.check_options": [no("level", 0, None), no("max_docs", 1, 0)],
    "trec.evaluate.score_trec": [
        ok({}, {}),
        ok({"1": {}}, {"1": {}}),
        ok({"1": {"a": 1}}, {"2": {"a": 1.0}}, complete=True),
        no("finite", {"1": {"a": 1}}, {"1": {"a": NAN}}),
        no("max_docs", {}, {}, max_docs=0),
    ],
    "trec.evaluate.score_columns": [ok(NO_LISTS, list(ALL.values())), ok(LISTS, list(ALL.values()))],
    "trec.evaluate.report": [ok({}, TrecRun("t", {}))],
    "trec.files.read_qrels": [ok([]), no("line 1", ["1 0"]), no("line 1", ["1 0 a nan"])],
    "trec.files.read_run": [ok([]), no("line 1", ["1 Q0 a 1 nan t"]), no("line 1", ["x"])],
    "trec.files.write_qrels": [ok({})],
    "trec.files.write_run": [ok({}, "t"), no("finite", {"1": {"a": NAN}}, "t")],
    "trec.files.ranking": [ok({}), no("finite", {"a": NAN})],
    "trec.measures.interpolated": [ok(NO_LISTS, 1, (0.5,)), ok(LISTS, 1, (0.0, 1.0))],
    "trec.measures.r_precision_multiple": [ok(NO_LISTS, 1, 2.0), ok(LISTS, 1, 2.0)],
}

#: Parts that see only what their caller has made or checked, by that caller's name here.
THROUGH = {
    "score.score_batch": re.compile(
        r"(answers\.(correct|task_success)|attack_success|citations\.\w+|freshness\.metrics|nuggets\.metrics"
        r"|refusal\.(metrics|question_coverage)|retrieval\.\w+)\.(compute|coverage|false_accept|false_refusal|risk"
        r"|truthfulness|date_stated|right)$|retrieval\.stage\.(pick_list|prepare|budget_cut|cuts)$"
        r"|retrieval\.columns\.(divide|position_in_row)$"
    ),
    "answers.dispatch.check": re.compile(r"answers\.\w+\.(check|validate)$"),
    "trec": re.compile(r"trec\.ranking\.\w+$|retrieval\.columns\.(by_row|order_gold)$"),
    "stats.bootstrap.bootstrap_interval": re.compile(
        r"stats\.(bootstrap\.(resample_means|jackknife_means|bca_interval)|clusters\.levels)$"
    ),
    "agreement.drawn.drawn_agreement": re.compile(r"agreement\.kappa\.\w+_(statistic|chance)$"),
}


def public_functions():
    """Every public function that a module of the package defines, by its name within the package."""
    found = {}
    for module in pkgutil.walk_packages(scoring.__path__, "scoring."):
        names = vars(importlib.import_module(module.name))
        for name, value in names.items():
            plain = inspect.unwrap(value) if callable(value) else value
            if not name.startswith("_") and inspect.isfunction(plain) and plain.__module__ == module.name:
                found[f"{module.name.removeprefix('scoring.')}.{name}"] = value
    return found


FUNCTIONS = public_functions()


def test_every_public_function_has_a_case_or_is_reached_through_one():
    covered = {name for name in FUNCTIONS if any(pattern.match(name) for pattern in THROUGH.values())}
    assert sorted(set(FUNCTIONS) - set(CASES) - covered) == []
    assert sorted(set(CASES) - set(FUNCTIONS)) == []


def finite(value, seen=()):
    """Whether nothing in the value is NaN or infinite, however deep."""
    if value is None or isinstance(value, (str, bytes, bool, int, Enum, frozenset, set, np.random.Generator, datetime)):
        return True
    if isinstance(value, (float, np.floating)):
        return math.isfinite(value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind not in "fc" or bool(np.isfinite(value).all())
    if isinstance(value, dict):
        return all(finite(one) for one in value.values())
    if dataclasses.is_dataclass(value):
        return all(finite(getattr(value, field.name)) for field in dataclasses.fields(value))
    if hasattr(value, "__iter__"):
        return all(finite(one) for one in value)
    return True


def answered(name, args, kwargs):
    """What the function gives, all of it."""
    found = FUNCTIONS[name](*args, **kwargs)
    return list(found) if inspect.isgenerator(found) else found


CALLS = [(name, *case) for name, cases in CASES.items() for case in cases]


@pytest.mark.parametrize(
    ("name", "args", "kwargs", "pattern"), CALLS, ids=[f"{name}-{place}" for place, (name, *_) in enumerate(CALLS)]
)
def test_bad_input_gives_a_defined_answer_or_a_typed_error(name, args, kwargs, pattern):
    with np.errstate(all="raise"):
        if pattern is None:
            assert finite(answered(name, args, kwargs))
            return
        with pytest.raises(ScoringError) as error:
            answered(name, args, kwargs)
    assert re.search(pattern, str(error.value)), str(error.value)


def hostile_pairs():
    """Items and outputs that lack, repeat, contradict or exceed what a metric may expect."""
    golds = [
        {},
        {"relevance": {"a": 0}},
        {"relevance": {"a": 1, "b": 1}},
        {"relevance": {"a": 3}, "copies": [["a", "b", "c"]]},
        {"evidence": [[["a"], ["b", "c"]], [["d"]]]},
        {"evidence": [[[{"doc_id": "d", "start": 0, "end": 10}]]], "query_time": "soon"},
        {"answerable": False, "types": ["false_premise"], "assertions": [{"type": "contains", "value": "x"}]},
        {"answerable": False, "perturbs": {"external_id": "o", "kind": "injection"}},
        {
            "assertions": [{"type": "date", "value": "2026"}],
            "tags": ["date_stated"],
            "nuggets": [{"text": "n"}, {"text": "o", "vital": False}],
            "subquestions": ["s", "t"],
            "query_time": "2026-03-01",
        },
    ]
    outputs = [
        {},
        {"answer": ""},
        {"answer": "I don't know."},
        {"answer": "x", "outcome": "partial", "retrieved": {"coarse": []}},
        {"answer": "x", "retrieved": ["a", "a", "b"], "citations": [{}, {"doc_id": "d", "version_id": "1"}]},
        {
            "answer": "x",
            "retrieved": {
                "prompt": [{"id": "a", "doc_id": "d", "version_id": "1", "start": 0, "end": 3, "tokens": 0}],
                "exact": [],
                "ann": ["a"],
            },
        },
        {"answer": "x", "error": "boom", "retrieved": {"exact": ["a"], "ann": ["a"], "coarse": ["z"] * 3}},
    ]
    for gold in golds:
        for given in outputs:
            yield (
                EvalItem.from_native({"external_id": "q", **gold}),
                SystemOutput.from_native({"external_id": "q", **given}),
            )


def wanted():
    """Every registered metric, at cutoffs and stages where it has them."""
    for name, spec in METRICS.items():
        required = {"k": 3} if any(p.name == "k" and p.required for p in spec.parameters) else {}
        if any(p.name == "budget" for p in spec.parameters):
            required["budget"] = 10
        yield identity(name, **required)
        if spec.staged:
            yield identity(name, stage="prompt", **required)


class Watch:
    """Which functions of the package run."""

    def __init__(self):
        self.called = set()

    def __call__(self, frame, event, arg):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith("scoring."):
            self.called.add(f"{module.removeprefix('scoring.')}.{frame.f_code.co_name}")

    def __enter__(self):
        self.before = sys.getprofile()
        sys.setprofile(self)
        return self

    def __exit__(self, *error):
        sys.setprofile(self.before)


def reached(caller):
    return {name for name in FUNCTIONS if THROUGH[caller].match(name)}


@pytest.mark.parametrize("documents", [None, [], [Document("d", "1", 5, frozenset({"staff"}), NOW)]])
@pytest.mark.parametrize("judged", ["nothing", "something", "too much"])
def test_every_metric_gives_every_pair_a_finite_value_or_a_state(documents, judged):
    pairs = list(hostile_pairs())
    table = SupportTable((0,), joint=None, alone=(None,), without=(False,))
    held = {
        "nothing": {},
        "something": {("q", 1): Judgements(nuggets=("support", None), claims=(), subquestions=(True, None))},
        "too much": {("q", 1): Judgements(nuggets=("support",) * 9, claims=(table,) * 2, subquestions=(True,) * 9)},
    }[judged]
    metrics = list(wanted())
    with np.errstate(all="raise"), Watch() as watch:
        found = score_batch(
            metrics, [one for one, _ in pairs], [out for _, out in pairs], documents=documents, judgements=held
        )
    for metric, scores in zip(metrics, found, strict=True):
        low, high = METRICS[metric.name].bounds
        assert len(scores) == len(pairs)
        for score in scores:
            assert (score.value is None) == (score.state is not State.SCORED)
            assert score.value is None or low <= score.value <= high
            assert score.value is not None or score.detail["code"], score
    assert reached("score.score_batch") <= watch.called


@pytest.mark.parametrize(
    "answer", ["", " ", "\x00", "不", "30", "not", "[" * 5000, "9" * 5000, "\ud83d\ude00" * 50, "a" * 9000]
)
def test_every_assertion_type_has_an_answer_to_any_text(answer):
    from scoring.answers import check
    from tests.scoring.test_assertion_specs import EXAMPLES

    with np.errstate(all="raise"), Watch() as watch:
        for assertion in EXAMPLES:
            assert finite(check(assertion, answer, None))
    assert {name for name in reached("answers.dispatch.check") if name.endswith("check")} <= watch.called


def test_lists_that_are_ranked_and_drawn_reach_the_parts():
    from scoring.stats.bootstrap import bootstrap_interval
    from scoring.trec import score_trec

    qrels = {str(t): {f"d{d}": d % 3 for d in range(30)} for t in range(3)}
    run = {str(t): {f"d{d}": float(d % 2) for d in range(30 + t)} for t in range(3)}
    with np.errstate(all="raise"), Watch() as watch:
        score_trec(qrels, run)
        bootstrap_interval(by_cluster([0.0, 0.5, 1.0] * 20, None), rng=rng(), resamples=50)
        bootstrap_interval(SPREAD, rng=rng(), resamples=50)
        columns([{"a": 1}] * 3, [["a"]] * 3)
        for name in ("kappa", "ac", "mcc"):
            drawn_agreement([1, 0, 1], [1, 0, 0], [1, 1, 1], coefficient=name)
    drawn = reached("agreement.drawn.drawn_agreement")
    assert reached("stats.bootstrap.bootstrap_interval") | reached("trec") | drawn <= watch.called
    assert NO_BATCH.index == []
    assert listed("a").answered
