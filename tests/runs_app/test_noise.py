"""Noise: repeats of a judge and of a system, their bands, and what they do to verdicts."""

from __future__ import annotations

import html
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core_app.errors import Invalid
from datasets_app.models import DatasetVersion
from runs_app.models import Aggregate, Comparison, Output, Run, Score
from runs_app.selectors.comparisons import comparison_view
from runs_app.selectors.noise import PairNoise, RunNoise, Spread, noise_note, noise_of, run_noise, run_noise_notes
from runs_app.selectors.reports import run_report
from runs_app.services.comparisons import comparison_create, comparison_items_read
from runs_app.services.gates import gate_check
from runs_app.states import RunStatus
from scoring.stats.noise import judge_noise
from scoring.stats.verdicts import Verdict, verdict
from tests.conftest import Cast
from tests.datasets_app.factories import make_frozen
from tests.runs_app.decisions import JUDGED, TASK, big_version, evens, make_gate, make_scored_run
from tests.runs_app.factories import answers, complete, make_run, push

NOTHING = Spread(None, 0, 1.0)


def values_of(*items: list[list[float]]) -> list[tuple[int, str, float]]:
    """Return a metric's values of items, each a list of outputs, each a list of judgements."""
    found, output = [], 0
    for item, outputs in enumerate(items):
        for judgements in outputs:
            output += 1
            found += [(output, f"q{item}", value) for value in judgements]
    return found


def test_judgements_of_one_output_give_the_judges_spread_and_outputs_of_one_item_the_systems() -> None:
    found = noise_of(values_of([[0.4, 0.6]], [[0.5, 0.5]]))
    assert found.judge.sd == pytest.approx(judge_noise({"a": [0.4, 0.6], "b": [0.5, 0.5]}).sd)
    assert (found.judge.n_items, found.judge.inverse, found.repeats.sd) == (2, 0.5, None)
    found = noise_of(values_of([[0.0], [1.0]], [[1.0], [1.0]]))
    assert found.judge.sd is None
    assert found.repeats.sd == pytest.approx(0.5)


def test_the_band_of_two_like_runs_is_that_of_the_scoring_page() -> None:
    one = noise_of(values_of(*[[[0.4, 0.6]]] * 50))
    expected = judge_noise({str(n): [0.4, 0.6] for n in range(50)}).band(50, 2)
    found = PairNoise(one, one, judged=True).bands(50)
    assert found["noise"] == found["judge_noise"] == pytest.approx(expected)
    assert (found["noise_source"], found["repeat_noise"]) == ("judge", None)


def test_a_run_that_was_judged_once_takes_the_others_spread_without_its_repeats() -> None:
    twice, once = noise_of(values_of(*[[[0.4, 0.6]]] * 50)), noise_of(values_of(*[[[0.5]]] * 50))
    both = PairNoise(twice, twice, judged=True).bands(50)["noise"]
    half = PairNoise(twice, once, judged=True).bands(50)["noise"]
    assert half == pytest.approx(both * 1.5**0.5)


def test_a_judge_asked_once_is_unknown_and_a_metric_without_a_judge_has_no_noise() -> None:
    once = noise_of(values_of([[0.5]], [[0.7]]))
    assert PairNoise(once, once, judged=True).bands(2)["noise_source"] == "unknown"
    assert PairNoise(once, once, judged=False).bands(2)["noise_source"] == "none"
    assert PairNoise(once, once, judged=True).bands(0)["noise"] == 0.0


def test_few_items_that_vary_give_no_noise_where_a_limit_holds() -> None:
    still = [[[1.0], [1.0]]] * 20
    assert noise_of(values_of(*still), least=5).repeats.sd is None
    assert noise_of(values_of(*still, [[0.0], [1.0]]), least=5).repeats.sd is None
    assert noise_of(values_of(*still, *[[[0.0], [1.0]]] * 5), least=5).repeats.sd > 0
    assert noise_of(values_of(*still), least=1).repeats.sd == 0.0


@given(st.floats(-1, 1), st.floats(0, 0.5), st.floats(0.001, 0.2), st.floats(0, 0.5), st.floats(0, 0.5))
def test_more_noise_never_lets_a_claim_through(
    estimate: float, half: float, eps: float, noise: float, more: float
) -> None:
    quiet = verdict(estimate, estimate - half, estimate + half, eps, noise)
    loud = verdict(estimate, estimate - half, estimate + half, eps, noise + more)
    assert loud in {quiet, Verdict.INCONCLUSIVE}


def test_the_sentence_says_the_noise_or_why_it_is_unknown() -> None:
    assert noise_note(judged=True, judge=0.0213, repeats=None, asked=3).endswith("noise is ±0.021.")
    assert "one judgement each" in noise_note(judged=True, judge=None, repeats=None, asked=1)
    assert "too few items" in noise_note(judged=True, judge=None, repeats=None, asked=3)
    assert noise_note(judged=False, judge=None, repeats=None, asked=1) == ""
    assert "±0.100" in noise_note(judged=False, judge=None, repeats=0.1, asked=1)


def test_bands_of_nothing_at_all_are_nothing() -> None:
    empty = RunNoise(NOTHING, NOTHING)
    assert noise_of(()) == empty
    assert PairNoise(empty, empty, judged=False).bands(10)["noise"] == 0.0


def scored(value: float, repeat: int, **more: Any) -> dict[str, Any]:
    return {"metric": "external.rl_f", "identity": {"tool": "raf"}, "value": value, "judge_repeat": repeat, **more}


def judged_run(cast: Cast, version: DatasetVersion, base: float, spread: float, **extra: Any) -> Run:
    """Return a completed run whose judge said base ± spread about each output, and base; a second output 0.01 more."""
    run = make_run(cast, version, judge_repeats=3, **extra)
    rows = answers(run)
    for index, row in enumerate(rows):
        middle = base + 0.01 * (index % 2 if base > 0.5 else 0)
        row["scores"] = [scored(middle, 1), scored(middle - spread, 2), scored(middle + spread, 3)]
    push(run, rows)
    return complete(run)


@pytest.mark.django_db
def test_repeated_judgements_are_stored_each_and_averaged_within_the_item(cast: Cast) -> None:
    run = judged_run(cast, make_frozen(cast), 0.5, 0.2)
    rows = Score.objects.filter(run=run, metric__identity=JUDGED).order_by("output_id", "judge_repeat")
    assert list(rows.values_list("judge_repeat", "value")[:3]) == [(1, 0.5), (2, 0.3), (3, 0.7)]
    figure = Aggregate.objects.get(run=run, metric__identity=JUDGED, group="all")
    assert (figure.n_scored, figure.n_total, figure.value) == (4, 4, pytest.approx(0.5))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("given", "pointer", "code"),
    [
        ([scored(0.5, 4)], "/0/scores/0/judge_repeat", "range"),
        ([scored(0.5, 0)], "/0/scores/0/judge_repeat", "range"),
        ([scored(0.5, 1), scored(0.6, 1)], "/0/scores/1/metric", "duplicate"),
        ([{**scored(0.5, 1), "judge_repeat": True}], "/0/scores/0/judge_repeat", "range"),
        ([{**scored(0.5, 1), "judge_repeat": "2"}], "/0/scores/0/judge_repeat", "range"),
    ],
)
def test_a_judge_repeat_that_the_run_has_not_is_refused(
    cast: Cast, given: list[dict[str, Any]], pointer: str, code: str
) -> None:
    run = make_run(cast, make_frozen(cast), judge_repeats=3)
    with pytest.raises(Invalid) as caught:
        push(run, answers(run, scores=given)[:1])
    assert [(error.pointer, error.code) for error in caught.value.errors] == [(pointer, code)]


@pytest.mark.django_db
def test_the_first_judgement_hashes_as_it_did_before_repeats_could_be_told(cast: Cast) -> None:
    run = make_run(cast, make_frozen(cast), judge_repeats=3)
    plain = {key: value for key, value in scored(0.5, 1).items() if key != "judge_repeat"}
    push(run, answers(run, scores=[plain]))
    assert push(run, answers(run, scores=[scored(0.5, 1)]))["unchanged"] == 4


def compared(cast: Cast, version: DatasetVersion, spread: float, split: str = "dev") -> Comparison:
    first = judged_run(cast, version, 0.50, spread, split=split)
    second = judged_run(cast, version, 0.56, spread, split=split)
    return comparison_create(actor=cast.actor("steward"), baseline=first, candidate=second)


def judged_row(comparison: Comparison) -> dict[str, Any]:
    return next(row for row in comparison.results or [] if row["metric"] == JUDGED and row["group"] == "all")


@pytest.mark.django_db
def test_a_noisier_judge_makes_the_same_difference_inconclusive(cast: Cast) -> None:
    version = big_version(cast, dev=24)
    quiet = judged_row(compared(cast, version, 0.05))
    assert (quiet["verdict"], quiet["noise_source"], quiet["detectable"]) == ("improved", "judge", None)
    sd = judge_noise({"one": [0.5, 0.45, 0.55]})
    assert quiet["noise"] == pytest.approx(sd.band(24, 3))
    loud = judged_row(compared(cast, version, 0.3))
    assert loud["noise"] == pytest.approx(6 * quiet["noise"])
    assert (loud["verdict"], loud["estimate"]) == ("inconclusive", pytest.approx(0.065))


@pytest.mark.django_db
def test_pages_and_downloads_print_the_noise_with_each_judged_number(cast: Cast) -> None:
    comparison = compared(cast, big_version(cast, dev=24), 0.3)
    noise = f"{judged_row(comparison)['noise']:.3f}"
    page = cast.client("viewer").get(f"/t/support/comparisons/{comparison.public_id}/").content.decode()
    assert f"judge noise ±{noise}" in page
    assert f"the judge&#x27;s noise is ±{noise}." in page
    api = cast.api("viewer")
    url = f"/api/v1/comparisons/{comparison.public_id}"
    assert f"the judge's noise is ±{noise}." in api.get(f"{url}?format=markdown").content.decode()
    csv = b"".join(api.get(f"{url}?format=csv")).decode().splitlines()
    assert "noise_source" in csv[0]
    assert any(JUDGED in line and ",judge," in line for line in csv)


@pytest.mark.django_db
def test_a_run_tells_its_judges_noise_or_that_it_is_unknown(cast: Cast) -> None:
    version = big_version(cast, dev=24, frozen=8)
    run = judged_run(cast, version, 0.5, 0.1)
    found = run_noise(cast.actor("viewer"), run)[JUDGED]
    assert found["sd"] == pytest.approx(0.1)
    assert found["band"] == pytest.approx(judge_noise({"one": [0.5, 0.4, 0.6]}).band(24, 3))
    report = run_report(cast.actor("viewer"), run)
    notes = {row["metric"]: row["noise_note"] for row in report["summary"]}
    assert "noise is ±" in notes[JUDGED]
    assert notes[TASK] == ""
    summary = cast.api("viewer").get(f"/api/v1/runs/{run.public_id}").json()["summary"]
    assert {row["metric"]: row["noise_note"] for row in summary["metrics"]} == notes
    page = cast.client("viewer").get(f"/t/support/runs/{run.public_id}/").content.decode()
    assert html.escape(notes[JUDGED]) in page
    once = make_scored_run(cast, version, {JUDGED: [0.5] * 24})
    assert "one judgement each" in run_noise_notes(cast.actor("viewer"), once, [JUDGED])[JUDGED]


@pytest.mark.django_db
def test_without_read_a_frozen_splits_noise_is_rounded(cast: Cast) -> None:
    comparison = compared(cast, big_version(cast, dev=4, frozen=24), 0.3, split="frozen")
    # Both runs answered alike, so the pair is closed; the run alone shows its noise.
    view = comparison_view(cast.actor("viewer"), comparison)
    row = next(row for row in view["results"] if row["metric"] == JUDGED and row["group"] == "all")
    exact = judged_row(comparison)["noise"]
    assert row["noise"] == row["judge_noise"] == round(exact, 2) != exact


def repeated_run(cast: Cast, version: DatasetVersion, second: list[float], label: str, split: str = "dev") -> Run:
    """Return a run with two repeats: task success 1 in the first, `second` in the other."""
    first = [1.0] * len(second)
    run = make_scored_run(cast, version, {TASK: first}, label=label, split=split, status=RunStatus.SCORING, repeats=2)
    record = run.scores.first().metric
    for output, value in zip(list(run.outputs.order_by("pk")), second, strict=True):
        output.pk, output.repeat = None, 2
        output.save()
        Score.objects.create(run=run, output=output, metric=record, state="scored", value=value)
    Run.objects.filter(pk=run.pk).update(status=RunStatus.COMPLETED)
    run.refresh_from_db()
    return run


@pytest.mark.django_db
def test_repeats_of_a_system_give_a_band_that_a_gate_holds_against_its_margin(cast: Cast) -> None:
    version = big_version(cast, dev=24)
    noisy = [float(index % 2) for index in range(24)]
    first, second = repeated_run(cast, version, noisy, "v1"), repeated_run(cast, version, noisy, "v2")
    gate = make_gate(cast, [{"kind": "non_inferiority", "metric": TASK, "margin": 0.02}])
    check = gate_check(actor=cast.actor("steward"), gate=gate, run=second, baseline=first)
    rule = check.rules[0]
    assert (rule["verdict"], rule["code"], rule["noise_source"]) == (
        "inconclusive",
        "repeats_wider_than_margin",
        "repeats",
    )
    assert rule["noise"] > 0.02
    page = cast.client("viewer").get(f"/t/support/gates/release/checks/{check.public_id}/").content.decode()
    assert "By repeats, two runs of one system differ by up to ±" in page


@pytest.mark.django_db
def test_on_a_frozen_split_one_item_that_alone_varies_gives_no_noise(cast: Cast) -> None:
    version = big_version(cast, dev=4, frozen=24)
    varying = {count: [0.0] * count + [1.0] * (24 - count) for count in (1, 6)}
    rows = {}
    for count, second in varying.items():
        first = repeated_run(cast, version, second, f"a{count}", "frozen")
        other = repeated_run(cast, version, second, f"b{count}", "frozen")
        made = comparison_create(actor=cast.actor("steward"), baseline=first, candidate=other)
        rows[count] = next(row for row in made.results or [] if row["metric"] == TASK and row["group"] == "all")
    assert (rows[1]["noise"], rows[1]["noise_source"]) == (0.0, "none")
    assert (rows[6]["noise"] > 0, rows[6]["noise_source"]) == (True, "repeats")


@pytest.mark.django_db
def test_an_inconclusive_verdict_says_what_the_set_can_detect(cast: Cast) -> None:
    version = big_version(cast, dev=24)
    first = make_scored_run(cast, version, {TASK: evens(24, 0.5)})
    second = make_scored_run(cast, version, {TASK: [*evens(24, 0.5)[12:][::-1], *evens(24, 0.5)[12:]]}, label="v2")
    made = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    row = next(row for row in made.results or [] if row["metric"] == TASK and row["group"] == "all")
    assert row["verdict"] == "inconclusive"
    # 24 clusters of one item: (z_0.975 + z_0.8) sd / sqrt(24), the sd that of the differences.
    diffs = [1.0, -1.0] * 6 + [0.0] * 12
    sd = (sum(value**2 for value in diffs) / 23) ** 0.5
    assert row["detectable"] == pytest.approx(2.8015852 * sd / 24**0.5)
    page = cast.client("viewer").get(f"/t/support/comparisons/{made.public_id}/").content.decode()
    assert "this set can detect differences from" in page
    assert "few clusters" in page
    view = comparison_view(cast.actor("viewer"), made)
    assert all(row["few_clusters"] for row in view["results"] if row["n"])


@pytest.mark.django_db
def test_items_scored_in_one_run_only_are_listed_with_their_state(
    cast: Cast, django_assert_max_num_queries: Any
) -> None:
    version = big_version(cast, dev=24)
    first = make_scored_run(cast, version, {TASK: [1.0] * 24})
    second = make_scored_run(cast, version, {TASK: ["judge_failed", *[1.0] * 23]}, label="v2")
    made = comparison_create(actor=cast.actor("viewer"), baseline=first, candidate=second)
    listed = cast.api("viewer").get(f"/api/v1/comparisons/{made.public_id}/items", {"metric": TASK}).json()
    assert listed["unpaired"] == [{"item": "q-0001", "scored_in": "baseline", "state": "judge_failed"}]
    with django_assert_max_num_queries(20):
        comparison_items_read(actor=cast.actor("viewer"), comparison=made, metric=TASK)
    assert "unpaired" not in str(comparison_view(cast.actor("viewer"), made)["results"])
    page = cast.client("viewer").get(f"/t/support/comparisons/{made.public_id}/").content.decode()
    assert "Scored in one run only" in page


@pytest.mark.django_db
def test_what_no_score_is_made_of_makes_no_output_differ_between_two_runs(cast: Cast) -> None:
    version = make_frozen(cast, dev=8)
    runs = []
    for label in ("v1", "v2"):
        run = make_run(cast, version)
        noise = {"latency_ms": len(runs), "trace_id": label, "cost": 0.1 * len(runs), "contexts": [label]}
        rows = answers(run, **noise)
        if runs:
            rows[0]["answer"] = "Another answer."
            rows[1]["retrieved"]["coarse"] = [{"id": "else"}]
            rows[2]["answer"] = "  " + rows[2]["answer"].upper() + "!!"
        push(run, rows)
        runs.append(complete(run))
    assert Output.objects.filter(run=runs[0]).values("content_sha256").distinct().count() == 8
    made = comparison_create(actor=cast.actor("viewer"), baseline=runs[0], candidate=runs[1])
    assert (made.settings["outputs_changed"], made.settings["least_changed"]) == (2, 1)
