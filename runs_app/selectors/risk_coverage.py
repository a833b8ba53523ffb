"""A run's risk against its coverage, and what a threshold locked before it gives: docs/refusals-and-robustness.md."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core_app.actors import Actor
from datasets_app.selectors import readable_entries
from runs_app.models import AnswerThreshold, MetricRecord, Output, Run, Score
from runs_app.policies import policy
from runs_app.selectors.item_scores import item_table
from runs_app.selectors.redaction import require_aggregates
from runs_app.states import Outcome, RunStatus, ScoreState
from scoring.aggregate import aggregate_scores
from scoring.refusal.risk_coverage import RiskCoverage, risk_coverage
from scoring.registry import identity
from scoring.types import Score as PureScore
from scoring.types import State

#: Why there is no curve.
CHOSEN_GROUPS, PROTECTED, NO_CONFIDENCE, NOT_COMPLETED, NO_CORRECTNESS = (
    "groups_chosen_by_confidence", "items_protected", "no_confidence", "run_not_completed",
    "no_correctness",
)  # fmt: skip
_RISK, _SUCCESS = "refusal.risk", "answers.task_success"
_ANSWERED = frozenset({Outcome.ANSWERED, Outcome.PARTIAL})
#: Points that a page and a markdown report show at most; JSON holds all.
POINTS_SHOWN = 25
_REFUSED = PureScore(State.REFUSED)
_ZERO, _ONE = PureScore.of(0.0), PureScore.of(1.0)


@dataclass(frozen=True, slots=True)
class Answers:
    """A run's first repeat, one place an item that enters the curve, and the items that do not, counted by name.

    `n_total`: what coverage is a share of: determined answers with a confidence, and everything not answered.
    """

    items: list[str] = field(default_factory=list)
    confidence: list[float] = field(default_factory=list)
    wrong: list[float] = field(default_factory=list)
    without_answer: list[str] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    @property
    def n_total(self) -> int:
        return len(self.items) + len(self.without_answer)


def closed_to(actor: Actor, run: Run) -> str:
    """Return why the actor sees neither curve nor risk at a threshold, or "".

    A confidence is chosen by whoever pushes: which answers lie above a threshold is a group of their choice, not one
    that was fixed at freezing. So without `read` nothing is computed over such groups, however large.
    """
    if not policy.may_read_items(actor, run):
        return CHOSEN_GROUPS
    return PROTECTED if not run.is_frozen_split and _holds_protected(actor, run) else ""


def _holds_protected(actor: Actor, run: Run) -> bool:
    readable = readable_entries(actor, run.dataset_version).order_by().values("pk")
    return Output.objects.filter(run=run).exclude(entry__in=readable).exists()


def _wrong_by_output(run: Run) -> dict[int, tuple[str, float | None]]:
    """Return output id → (state, 1 wrong or 0 right), from the scores of an answer's risk or of task success."""
    records = {
        record.name: record
        for record in MetricRecord.objects.filter(
            pk__in=Score.objects.filter(run=run, metric__name__in=(_RISK, _SUCCESS)).order_by().values("metric_id")
        )
    }
    metric = records.get(_RISK) or records.get(_SUCCESS)
    if metric is None:
        return {}
    rows = Score.objects.filter(run=run, metric=metric).order_by().values_list("output_id", "state", "value")
    # For an answer that was given, the risk is what task success lacks to 1.
    turned = metric.name == _SUCCESS
    return {
        pk: (state, 1.0 - value if turned and value is not None else value) for pk, state, value in rows.iterator(5000)
    }


def answers_of(run: Run) -> Answers:
    """Read the run's first repeat in two queries, in the order of the items' ids."""
    wrong_by_output = _wrong_by_output(run)
    found = Answers()
    left_out: Counter[str] = Counter()
    rows = Output.objects.filter(run=run, repeat=1).order_by("entry__item__external_id")
    for pk, item, outcome, confidence in rows.values_list(
        "pk", "entry__item__external_id", "outcome", "confidence"
    ).iterator(5000):
        state, wrong = wrong_by_output.get(pk, ("", None))
        if outcome not in _ANSWERED or state == ScoreState.TARGET_FAILED:
            found.without_answer.append(item)
        elif confidence is None:
            left_out["without_confidence"] += 1
        elif wrong is None:
            left_out["undetermined"] += 1
        else:
            found.items.append(item)
            found.confidence.append(confidence)
            found.wrong.append(wrong)
    found.left_out.update(sorted(left_out.items()))
    return found


def curve_of(answers: Answers) -> RiskCoverage | None:
    """Return the curve, or None where no answer enters it."""
    if not answers.items:
        return None
    return risk_coverage(answers.confidence, answers.wrong, n_total=answers.n_total)


def threshold_in_force(run: Run) -> AnswerThreshold | None:
    """Return the system's newest threshold that was chosen before the run was created."""
    rows = AnswerThreshold.objects.filter(
        system_id=run.system_version.system_id, created_at__lte=run.created_at
    ).select_related("run")
    return rows.order_by("-created_at", "-id").first()


def threshold_row(threshold: AnswerThreshold) -> dict[str, Any]:
    """Return a threshold as the API shows it; the figures are those of the dev run."""
    return {
        "id": threshold.public_id,
        "run": threshold.run.public_id,
        "max_risk": threshold.max_risk,
        "bound": threshold.bound,
        "threshold": threshold.threshold,
        "coverage": threshold.coverage,
        "risk": threshold.risk,
        "answered": threshold.answered,
        "wrong": threshold.wrong,
        "n_total": threshold.n_total,
        "note": threshold.note,
        "created_by": threshold.created_by_label,
        "created_at": threshold.created_at,
    }


def _aggregate(run: Run, name: str, scores: Sequence[PureScore], items: Sequence[str], clusters: Any) -> dict[str, Any]:
    figure = aggregate_scores(
        identity(name), list(scores), [clusters[item] for item in items], list(items), seed=run.manifest_sha256
    )
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "method": figure.interval_method,
        "n": figure.n_scored,
        "n_clusters": figure.n_clusters,
    }


def at_locked(run: Run, answers: Answers, threshold: float) -> dict[str, Any]:
    """Return coverage and risk at a locked threshold with Wilson intervals (on n over the design effect)."""
    clusters = item_table(run).clusters
    items = [*answers.items, *answers.without_answer]
    above = [confidence >= threshold for confidence in answers.confidence]
    below = [_ZERO] * len(answers.without_answer)
    covered = [*(_ONE if one else _ZERO for one in above), *below]
    risks = [
        (_ONE if wrong else _ZERO) if one else _REFUSED for one, wrong in zip(above, answers.wrong, strict=True)
    ] + [_REFUSED] * len(below)
    return {
        "threshold": threshold,
        "answered": sum(above),
        "wrong": sum(1 for one, wrong in zip(above, answers.wrong, strict=True) if one and wrong),
        "coverage": _aggregate(run, "refusal.coverage", covered, items, clusters),
        "risk": _aggregate(run, "refusal.risk", risks, items, clusters),
    }


def risk_coverage_of(actor: Actor, run: Run) -> dict[str, Any]:
    """Return the run's curve, AURC and what the locked threshold gives, as the actor may see them.

    `hidden` is the reason why there is none of them, `reason` why there is no curve though it would be open. Raises
    `Forbidden` without the level `aggregate` on a frozen split.
    """
    require_aggregates(actor, run)
    locked = threshold_in_force(run)
    view: dict[str, Any] = {
        "run": run.public_id,
        "split": run.split,
        "repeat": 1,
        "hidden": closed_to(actor, run),
        "reason": "",
        "aurc": None,
        "n": None,
        "n_total": None,
        "left_out": {},
        "points": [],
        "threshold": None if locked is None else threshold_row(locked),
        "at_threshold": None,
    }
    if run.status != RunStatus.COMPLETED:
        return {**view, "reason": NOT_COMPLETED}
    if view["hidden"]:
        return view
    answers = answers_of(run)
    curve = curve_of(answers)
    view |= {"n": len(answers.items), "n_total": answers.n_total, "left_out": answers.left_out}
    if curve is None:
        return {**view, "reason": NO_CORRECTNESS if answers.left_out.get("undetermined") else NO_CONFIDENCE}
    view["aurc"] = curve.aurc
    view["points"] = [
        {
            "threshold": point.threshold,
            "coverage": point.coverage,
            "risk": point.risk,
            "answered": point.answered,
            "wrong": point.wrong,
        }
        for point in curve.points
    ]
    if locked is not None:
        view["at_threshold"] = at_locked(run, answers, locked.threshold)
    return view


def points_shown(points: Sequence[dict[str, Any]], most: int = POINTS_SHOWN) -> list[dict[str, Any]]:
    """Return at most `most` points, evenly spaced over the curve, the first and the last among them."""
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    return [points[math.floor(place * step + 0.5)] for place in range(most)]


def chart_of(view: dict[str, Any], *, width: int = 380, height: int = 230) -> dict[str, Any] | None:
    """Return the geometry of the curve in a box of `width` by `height` with a margin for the axes; None without one.

    The box ends at the highest risk of the curve, in tenths, so that low risks can be told apart.
    """
    points = view["points"]
    if not points:
        return None
    left, top, right, bottom = 44, 10, width - 12, height - 34
    highest = max(0.1, math.ceil(max(point["risk"] for point in points) * 10 - 1e-9) / 10)

    def x(coverage: float) -> float:
        return round(left + coverage * (right - left), 2)

    def y(risk: float) -> float:
        return round(bottom - risk / highest * (bottom - top), 2)

    marks = [{"x": x(point["coverage"]), "y": y(point["risk"]), **point} for point in points_shown(points)]
    line = " ".join(f"{x(point['coverage'])},{y(point['risk'])}" for point in points_shown(points, 400))
    at = view["at_threshold"]
    locked = x(at["coverage"]["value"]) if at and at["coverage"]["value"] is not None else None
    return {
        "width": width,
        "height": height,
        "left": left,
        "right": right,
        "top": top,
        "bottom": bottom,
        "line": line,
        "marks": marks,
        "locked": locked,
        "x_ticks": [(x(share / 4), share / 4) for share in range(5)],
        "y_ticks": [(y(highest * share / 2), highest * share / 2) for share in range(3)],
    }
