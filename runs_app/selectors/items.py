"""Reading a run item by item: only where the items may be read (dev, or the level `read`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import F, FilteredRelation, Q, QuerySet
from django.utils.translation import gettext as _

from core_app.actors import Actor
from core_app.errors import NotFound
from datasets_app import selectors as dataset_selectors
from runs_app.models import MetricRecord, Output, Run, Score
from runs_app.policies import policy
from runs_app.selectors.diagnosing import findings_of, thresholds_of
from runs_app.selectors.item_scores import run_metrics
from scoring.gold import Span
from scoring.identity import MetricIdentity
from scoring.types import EvalItem

#: What a row of the list of items shows besides the metric that it is sorted by.
LIST_METRICS = ("answers.task_success", "answers.correct")


def outputs_readable(actor: Actor, run: Run) -> QuerySet[Output]:
    """Return the run's outputs that the actor may read; raises `Forbidden` without `read` on a frozen split.

    A dev item that was frozen later in a test split is left out for those who may not read it.
    """
    policy.require_items(actor, run)
    readable = dataset_selectors.readable_entries(actor, run.dataset_version)
    return Output.objects.filter(run=run, entry__in=readable.order_by().values("pk"))


def outputs_worst_first(
    actor: Actor,
    run: Run,
    metric: MetricRecord | None,
    *,
    outcome: str = "",
    kind: str = "",
    text: str = "",
) -> QuerySet[Output]:
    """Return outputs sorted by one metric, the worst first and those without a value last; with `sort_value`."""
    rows = outputs_readable(actor, run).select_related("entry__item", "entry__revision")
    if outcome:
        rows = rows.filter(outcome=outcome)
    if kind:
        rows = rows.filter(entry__facets__contains=f"|type:{kind}|")
    if text:
        rows = rows.filter(
            Q(entry__revision__question__icontains=text)
            | Q(answer__icontains=text)
            | Q(entry__item__external_id__icontains=text)
        )
    if metric is None:
        return rows.order_by("pk")
    rows = rows.annotate(
        chosen=FilteredRelation("scores", condition=Q(scores__metric_id=metric.pk)),
        sort_value=F("chosen__value"),
        sort_state=F("chosen__state"),
    )
    order = F("sort_value").asc(nulls_last=True) if metric.higher_is_better else F("sort_value").desc(nulls_last=True)
    return rows.order_by(order, "pk")


def scores_readable(actor: Actor, run: Run) -> QuerySet[Score]:
    """Return the scores of the outputs that the actor may read."""
    return Score.objects.filter(
        run=run, output__in=outputs_readable(actor, run).order_by().values("pk")
    ).select_related("metric", "output__entry__item")


def output_of(actor: Actor, run: Run, item: str, repeat: int) -> Output:
    """Return one output by the item's opaque id, as far as the actor may read it; raises `NotFound` otherwise."""
    rows = outputs_readable(actor, run).select_related("entry__item", "entry__revision")
    output = rows.filter(entry__item__public_id=item, repeat=repeat).first()
    if output is None:
        raise NotFound(_("This run has no such output."))
    return output


def sort_metric(run: Run, identity: str) -> MetricRecord | None:
    """Return the metric to sort items by: the one asked for, else the primary figure, else the first."""
    metrics = run_metrics(run)
    chosen = [metric for metric in metrics if metric.identity == identity]
    chosen += [metric for metric in metrics if metric.name in LIST_METRICS] + metrics
    return chosen[0] if chosen else None


def span_share(unit: Mapping[str, Any], spans: Iterable[Span]) -> float | None:
    """Return the largest share of one span that lies inside the unit's place in its document; None for nothing."""
    start, end = unit.get("start"), unit.get("end")
    if start is None or end is None:
        return None
    shares = [
        (min(end, span.end) - max(start, span.start)) / (span.end - span.start)
        for span in spans
        if span.doc_id == unit.get("doc_id") and span.version_id in {None, unit.get("version_id")}
    ]
    best = max(shares, default=0.0)
    return best if best > 0 else None


def ranked_lists(output: Output, native: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the output's ranked lists with the units marked that meet a labelled one or part of the evidence.

    `covers` is the largest share of one evidence span that the unit holds, None without such a span.
    """
    gold = EvalItem.from_native(native).gold
    spans = [a for group in gold.groups for requirement in group for a in requirement if isinstance(a, Span)]
    canonical = gold.canonical()
    labels = gold.labels()
    lists = []
    for stage, units in sorted(output.retrieved.items(), key=lambda pair: _STAGE_ORDER.get(pair[0], 9)):
        rows = []
        for rank, unit in enumerate(units, start=1):
            label = labels.get(canonical.get(unit["id"], unit["id"]))
            covers = span_share(unit, spans)
            is_hit = bool(label and label > 0) or covers is not None
            rows.append({**unit, "rank": rank, "label": label, "covers": covers, "is_hit": is_hit})
        lists.append({"stage": stage, "units": rows, "hits": sum(row["is_hit"] for row in rows)})
    return lists


_STAGE_ORDER = {"coarse": 0, "retrieved": 1, "reranked": 2, "prompt": 3}


def _judgement(record: Mapping[str, Any], output: Output, native: Mapping[str, Any]) -> dict[str, Any]:
    """Return one judge's findings for reading: claims with their citations, labels beside what they are of."""
    claims = [
        {
            **claim,
            "cited": [
                {"citation": output.citations[place], "place": place, "alone": alone, "without": without}
                for place, alone, without in zip(claim["citations"], claim["alone"], claim["without"], strict=True)
            ],
        }
        for claim in record.get("claims") or ()
    ]
    nuggets = zip(native.get("nuggets") or (), record.get("nuggets") or (), strict=False)
    subquestions = zip(native.get("subquestions") or (), record.get("subquestions") or (), strict=False)
    return {**record, "claims": claims, "nuggets": list(nuggets), "subquestions": list(subquestions)}


def item_detail(actor: Actor, run: Run, item: str, repeat: int) -> dict[str, Any]:
    """Return all that one item's page shows: question, gold, ranked lists, answer, judgements, scores by family, and
    where this answer loses."""
    output = output_of(actor, run, item, repeat)
    native = dataset_selectors.native_item(output.entry)
    scores = Score.objects.filter(output=output).select_related("metric").order_by("metric__family", "metric__identity")
    families: dict[str, list[Score]] = {}
    for score in scores:
        families.setdefault(score.metric.family, []).append(score)
    values = {MetricIdentity.parse(score.metric.identity): score.value for score in scores if score.value is not None}
    return {
        "native": native,
        "output": output,
        "lists": ranked_lists(output, native),
        "families": list(families.items()),
        "findings": findings_of(values, thresholds_of(run)),
        "judgements": [_judgement(record, output, native) for record in output.judgements],
        "repeats": list(range(1, run.repeats + 1)),
    }
