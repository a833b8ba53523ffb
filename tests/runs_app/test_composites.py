"""The composite of a suite: checked when the suite is made, computed for each output, external where a part is."""

from __future__ import annotations

from typing import Any

import pytest

from core_app.errors import Invalid
from datasets_app.models import DatasetVersion
from datasets_app.services import version_freeze
from runs_app.models import MetricRecord, Run, Score, Suite, SuiteVersion
from runs_app.services.composites import NAME
from runs_app.services.suites import suite_create, suite_version_create
from tests.conftest import Cast
from tests.datasets_app.factories import fill, make_draft, native, natives
from tests.runs_app.factories import answers, complete, make_run, push

pytestmark = pytest.mark.django_db

HIT, RECALL = "retrieval.hit@5 stage=prompt v1", "retrieval.recall@5 stage=prompt v1"
#: A version that reads as a number is a text in quotes.
FAITHFUL, RELEVANT = 'external.faithfulness tool=rl version="1" v1', 'external.relevancy tool=rl version="1" v1'
METRICS = [HIT, RECALL, "citations.recall v1", "citations.irrelevant_rate v1", "answers.task_success v1"]
OURS = {"parts": {"hit": HIT, "recall": RECALL}, "weights": {"hit": 0.25, "recall": 0.75}}
USUAL = {"parts": {"faithfulness": FAITHFUL, "answer_relevancy": RELEVANT, "context_precision": HIT}}


@pytest.fixture
def version(cast: Cast) -> DatasetVersion:
    draft = make_draft(cast)
    rows = [native(n, relevance={"x": 1, "y": 1}, types=["fact" if n % 2 else "multi_hop"]) for n in range(1, 7)]
    fill(cast, draft, rows + natives(4, start=11) + natives(12, split="frozen", start=1001))
    return version_freeze(actor=cast.actor("steward"), version=draft, note="first")


def suite_of(cast: Cast, composite: Any, metrics: list[str] = METRICS) -> SuiteVersion:
    return suite_create(
        actor=cast.actor("editor"), team=cast.team, slug="trend", metrics=metrics, settings={"composite": composite}
    )


def row(run: Run, item: int, *, scores: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    named = [
        {"metric": f"external.{name}", "identity": {"tool": "rl", "version": "1"}, **given}
        for name, given in (scores or {}).items()
    ]
    own = {**answers(run)[0], "external_id": f"q-{item:04d}", "retrieved": {"prompt": ["x", "z"]}}
    return {**own, **fields, "scores": named}


def composed(run: Run) -> dict[str, Score]:
    rows = Score.objects.filter(run=run, metric__name=NAME).select_related("metric", "output__entry__item")
    return {one.output.entry.item.external_id: one for one in rows}


def test_parts_of_ours_are_weighed_by_question_type(cast: Cast, version: DatasetVersion) -> None:
    suite = suite_of(cast, {**OURS, "by_type": {"multi_hop": {"hit": 0.0, "recall": 1.0}}})
    run = make_run(cast, version, suite_version=suite)
    push(run, [row(run, 1), row(run, 2)])
    complete(run)
    found = composed(run)
    assert found["q-0001"].value == pytest.approx(0.25 * 1 + 0.75 * 0.5)
    assert found["q-0002"].value == pytest.approx(0.5)
    record = found["q-0001"].metric
    assert (record.origin, record.family, record.identity.startswith("generation.composite parts=sha256:")) == (
        "ours", "generation", True,
    )  # fmt: skip
    assert found["q-0003"].state == "target_failed"


def test_external_parts_make_it_external_and_the_usual_weights_apply(cast: Cast, version: DatasetVersion) -> None:
    run = make_run(cast, version, suite_version=suite_of(cast, USUAL))
    push(
        run,
        [
            row(run, 1, scores={"faithfulness": {"value": 0.8}, "relevancy": {"value": 0.6}}),
            row(run, 2, scores={"faithfulness": {"value": 0.8}}),
            row(run, 3, scores={"faithfulness": {"value": 0.8}, "relevancy": {"state": "judge_failed"}}),
            row(run, 4, outcome="failed", scores={"faithfulness": {"value": 0.8}, "relevancy": {"value": 1.0}}),
        ],
    )
    complete(run)
    found = composed(run)
    assert found["q-0001"].value == pytest.approx(0.35 * 0.8 + 0.35 * 0.6 + 0.30 * 1.0)
    assert (found["q-0002"].state, found["q-0002"].detail["missing"]) == (
        "not_applicable", {"answer_relevancy": "absent"},
    )  # fmt: skip
    assert found["q-0003"].detail["missing"] == {"answer_relevancy": "judge_failed"}
    assert found["q-0004"].state == "target_failed"
    assert found["q-0001"].metric.origin == "external"
    assert run.warnings[-1] == {
        "code": "judgements_absent", "metrics": ["citations.recall", "citations.irrelevant_rate"],
    }  # fmt: skip


def test_a_judged_part_takes_the_scores_of_its_judge(cast: Cast, version: DatasetVersion) -> None:
    judged = "citations.recall judge=acme-nli@2 v1"
    suite = suite_of(cast, {"parts": {"cited": judged, "hit": HIT}, "weights": {"cited": 0.5, "hit": 0.5}})
    run = make_run(cast, version, suite_version=suite)
    claims = [{"citations": [0], "joint": True}, {"citations": []}]
    by = {"tool": "acme-nli", "version": "2"}
    other = {**by, "version": "3"}
    push(
        run,
        [
            row(run, 1, citations=[{"doc_id": "d"}], judgements=[{"by": by, "claims": claims}]),
            row(run, 2, citations=[{"doc_id": "d"}], judgements=[{"by": other, "claims": claims}]),
        ],
    )
    complete(run)
    found = composed(run)
    assert found["q-0001"].value == pytest.approx(0.5 * 0.5 + 0.5 * 1.0)
    assert found["q-0002"].state == "not_applicable"
    assert found["q-0001"].metric.origin == "external"


def test_other_parts_or_weights_are_another_metric(cast: Cast) -> None:
    from runs_app.services.composites import Composite
    from scoring.composite import CompositeWeights

    weights = CompositeWeights({"a": 0.5, "b": 0.5})
    first = Composite({"a": HIT, "b": RECALL}, weights).identity
    assert first.name == NAME
    assert first != Composite({"a": RECALL, "b": HIT}, weights).identity
    assert first != Composite({"a": HIT, "b": RECALL}, CompositeWeights({"a": 0.4, "b": 0.6})).identity


def test_no_composite_is_computed_on_a_frozen_split(cast: Cast, version: DatasetVersion) -> None:
    run = make_run(cast, version, suite_version=suite_of(cast, OURS), split="frozen")
    push(run, answers(run))
    complete(run)
    assert not composed(run)
    assert {"code": "composite_left_out"} in run.warnings
    assert not MetricRecord.objects.filter(name=NAME).exists()
    page = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/").content.decode()
    assert "composite is not computed on a frozen split" in page


@pytest.mark.parametrize(
    ("composite", "pointer"),
    [
        ("mean", ""),
        ({}, "/parts"),
        ({**OURS, "scale": 10}, "/scale"),
        ({"parts": {}}, "/parts"),
        ({"parts": {f"p{n}": HIT for n in range(21)}}, "/parts"),
        ({**OURS, "parts": {**OURS["parts"], "more": 3}}, "/parts/more"),
        ({**OURS, "parts": {**OURS["parts"], "more": "no identity"}}, "/parts/more"),
        ({**OURS, "parts": {**OURS["parts"], "more": "retrieval.hit@9 stage=prompt v1"}}, "/parts/more"),
        ({**OURS, "parts": {**OURS["parts"], "more": "citations.recall v1"}}, "/parts/more"),
        ({**OURS, "parts": {**OURS["parts"], "more": "retrieval.hit@5 stage=prompt judge=a@1 v1"}}, "/parts/more"),
        (
            {**OURS, "parts": {**OURS["parts"], "more": "citations.irrelevant_rate judge=a@1 v1"}},
            "/parts/more",
        ),
        ({**OURS, "weights": {"hit": 0.5}}, "/weights"),
        ({**OURS, "weights": {"hit": 1.5, "recall": -0.5}}, "/weights"),
        ({**OURS, "weights": {"hit": 0.5, "other": 0.5}}, "/weights"),
        ({**OURS, "weights": [1]}, "/weights"),
        ({"parts": OURS["parts"]}, "/weights"),
        ({**OURS, "by_type": {"fact": {"hit": 2}}}, "/by_type/fact"),
        ({**OURS, "by_type": ["fact"]}, "/by_type"),
    ],
)
def test_a_composite_that_could_not_be_computed_is_refused_by_its_place(
    cast: Cast, composite: Any, pointer: str
) -> None:
    with pytest.raises(Invalid) as caught:
        suite_of(cast, composite)
    assert [error.pointer for error in caught.value.errors] == [f"/settings/composite{pointer}"]
    assert not Suite.objects.exists()


def test_a_version_without_a_part_is_refused_as_long_as_the_composite_asks_for_it(cast: Cast) -> None:
    suite = suite_of(cast, OURS).suite
    with pytest.raises(Invalid) as caught:
        suite_version_create(actor=cast.actor("editor"), suite=suite, metrics=[HIT])
    assert [error.pointer for error in caught.value.errors] == ["/settings/composite/parts/recall"]
    version = suite_version_create(actor=cast.actor("editor"), suite=suite, metrics=[HIT], settings={"composite": None})
    assert version.settings == {}
