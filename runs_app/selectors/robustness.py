"""A run's perturbed items against their originals, by kind of perturbation (docs/refusals-and-robustness.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core_app.actors import Actor
from datasets_app.models import VersionEntry
from runs_app.models import MetricRecord, Output, Run, Score
from runs_app.selectors.comparing import DEFAULT_EPS, eps_for
from runs_app.selectors.item_scores import ItemTable, item_scores, item_table, output_table
from runs_app.selectors.redaction import Redaction, require_aggregates
from runs_app.selectors.runs import PRIMARY, closed_reason, primary_figures, redaction_of
from runs_app.states import RunStatus
from scoring.aggregate import Aggregate
from scoring.robustness import RobustnessRow, Share, robustness
from scoring.stats.paired import PairedComparison
from scoring.types import EvalItem, SystemOutput
from scoring.types import Score as PureScore

FALSE_ACCEPT, ATTACK_SUCCESS = "refusal.false_accept", "robustness.attack_success"
TOO_FEW = "group_too_small"
CHANGES = ("task_success", "false_accepts", "refusals")
#: Fields of a change that stand for the counts of few items, or for single items.
_TRIPLE = ("wins", "ties", "losses")


def _perturbed(run: Run) -> dict[int, tuple[str, str | None]]:
    """Return entry → (original's external id, kind) of the items that perturb another one."""
    answered = Output.objects.filter(run=run).order_by().values("entry_id")
    rows = VersionEntry.objects.filter(pk__in=answered, revision__content__perturbs__external_id__isnull=False)
    values = rows.order_by().values_list(
        "pk", "revision__content__perturbs__external_id", "revision__content__perturbs__kind"
    )
    return {pk: (original, kind) for pk, original, kind in values if original}


def _scores(run: Run, table: ItemTable) -> dict[str, dict[str, PureScore]]:
    """Return metric name → item → score, of the metrics of which the run has scores."""
    names = (PRIMARY, FALSE_ACCEPT, ATTACK_SUCCESS)
    used = Score.objects.filter(run=run, metric__name__in=names).order_by().values("metric_id")
    outputs = output_table(run, table)
    return {record.name: item_scores(run, record, outputs) for record in MetricRecord.objects.filter(pk__in=used)}


def _outputs(run: Run, table: ItemTable, wanted: set[str]) -> dict[str, SystemOutput]:
    """Return the first repeat's output of each wanted item: outcome, answer and citations."""
    found = {}
    rows = Output.objects.filter(run=run, repeat=1).order_by()
    for entry_id, outcome, answer, citations in rows.values_list("entry_id", "outcome", "answer", "citations").iterator(
        2000
    ):
        item = table.entry_ids[entry_id]
        if item in wanted:
            found[item] = SystemOutput(external_id=item, outcome=outcome, answer=answer, citations=tuple(citations))
    return found


def robustness_rows(run: Run) -> list[RobustnessRow]:
    """Compute the rows of a completed run from its stored scores and outputs, in a fixed number of queries."""
    perturbed = _perturbed(run)
    if not perturbed:
        return []
    table = item_table(run)
    items = [
        EvalItem(
            external_id=item,
            cluster=table.clusters[item],
            perturbs_id=perturbed.get(entry, (None, None))[0],
            perturbation=perturbed.get(entry, (None, None))[1],
        )
        for entry, item in table.entry_ids.items()
    ]
    wanted = {table.entry_ids[entry] for entry in perturbed} | {original for original, _kind in perturbed.values()}
    scores = _scores(run, table)
    return robustness(
        items,
        task_success=scores.get(PRIMARY, {}),
        false_accept=scores.get(FALSE_ACCEPT, {}),
        outputs=_outputs(run, table, wanted),
        attack_success=scores.get(ATTACK_SUCCESS),
        eps=_eps(run),
        seed=run.manifest_sha256,
    )


def _eps(run: Run) -> float:
    record = MetricRecord.objects.filter(name=PRIMARY).order_by("pk").first()
    settings = {"eps": run.suite_version.settings.get("eps", DEFAULT_EPS)}
    return DEFAULT_EPS if record is None else eps_for(settings, record)


def _change(found: PairedComparison) -> dict[str, Any]:
    return {
        "estimate": found.estimate,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "n_clusters": found.n_clusters,
        "method": found.method,
        "eps": found.eps,
        "verdict": None if found.estimate is None else str(found.verdict),
        "wins": found.wins,
        "ties": found.ties,
        "losses": found.losses,
        "original": found.baseline_mean,
        "perturbed": found.candidate_mean,
    }


def _share(found: Share) -> dict[str, Any]:
    return {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "n": found.n,
        "n_clusters": found.n_clusters,
        "method": found.method,
        "left_out": found.left_out,
    }


def _mean(found: Aggregate | None, over: str) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "n": found.n_scored,
        "n_total": found.n_total,
        "n_clusters": found.n_clusters,
        "method": found.interval_method,
        "states": dict(found.states),
        "over": over,
    }


def _row(found: RobustnessRow) -> dict[str, Any]:
    return {
        "kind": found.kind,
        "pairs": found.pairs,
        "orphans": found.orphans,
        **{name: _change(getattr(found, name)) for name in CHANGES},
        "citations_changed": _share(found.citations_changed),
        "attack_success": _mean(found.attack_success, "attacked"),
        "utility": _mean(found.utility, "unattacked"),
        "hidden": "",
    }


def _few(rows: Sequence[Mapping[str, Any]], limit: int) -> set[str]:
    """Return the kinds to hide: those under the limit, and further ones until the hidden together reach it."""
    hidden = {row["kind"] for row in rows if row["pairs"] < limit or 0 < row["orphans"] < limit}
    size = sum(row["pairs"] + row["orphans"] for row in rows if row["kind"] in hidden)
    for row in sorted(rows, key=lambda one: (one["pairs"], one["kind"])):
        if not hidden or size >= limit:
            break
        if row["kind"] not in hidden:
            hidden.add(row["kind"])
            size += row["pairs"] + row["orphans"]
    return hidden


def _closed(row: Mapping[str, Any], reason: str) -> dict[str, Any]:
    empty = dict.fromkeys(("pairs", "orphans", *CHANGES, "citations_changed", "attack_success", "utility"))
    return {"kind": row["kind"], **empty, "hidden": reason}


def _open_part(part: Mapping[str, Any] | None, total: int, redaction: Redaction) -> dict[str, Any] | None:
    """Return one figure rounded, or None where it rests on fewer items than may be shown, or leaves fewer out."""
    if part is None or part["n"] < redaction.limit or redaction.small(total - part["n"]):
        return None
    shown = {
        **part,
        **{key: redaction.number(part[key]) for key in ("estimate", "value", "low", "high") if key in part},
    }
    shown["n_clusters"] = None
    if "original" in part:
        shown |= {"original": None, "perturbed": None}
        if any(redaction.small(part[key]) for key in _TRIPLE):
            shown |= dict.fromkeys(_TRIPLE)
    if "states" in part:
        shown["states"] = redaction.counts(part["states"])
    return shown


def _shown(row: Mapping[str, Any], redaction: Redaction, whole: dict[str, Any] | None) -> dict[str, Any]:
    attacks = _open_part(row["attack_success"], row["pairs"] + row["orphans"], redaction)
    return {
        **row,
        **{name: _open_part(row[name], row["pairs"], redaction) for name in (*CHANGES, "citations_changed")},
        "attack_success": attacks,
        # The unattacked items are the whole less the attacked ones: beside the whole they would tell a third group.
        "utility": whole if row["utility"] is not None else None,
    }


def robustness_of(actor: Actor, run: Run) -> dict[str, Any]:
    """Return the run's rows by kind as the actor may see them: `{"run", "split", "hidden", "rounded", "kinds"}`.

    Without `read` on a frozen split, kinds of fewer than k pairs have no figure, values are rounded, and beside attack
    success stands task success over all items. Raises `Forbidden` without the level `aggregate` on a frozen split.
    """
    require_aggregates(actor, run)
    redaction = redaction_of(actor, run)
    view: dict[str, Any] = {
        "run": run.public_id,
        "split": run.split,
        "hidden": closed_reason(actor, run) if redaction.active else "",
        "rounded": redaction.active,
        "kinds": [],
    }
    if run.status != RunStatus.COMPLETED or view["hidden"]:
        return view
    rows = [_row(found) for found in robustness_rows(run)]
    if redaction.active and rows:
        hidden = _few(rows, redaction.limit)
        whole = _whole(actor, run)
        rows = [_closed(row, TOO_FEW) if row["kind"] in hidden else _shown(row, redaction, whole) for row in rows]
    return {**view, "kinds": rows}


def _whole(actor: Actor, run: Run) -> dict[str, Any] | None:
    figure = primary_figures(actor, [run]).get(run.pk)
    if figure is None or figure.value is None:
        return None
    return {
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n_scored,
        "n_total": figure.n_total,
        "n_clusters": None,
        "method": figure.interval_method,
        "states": figure.states,
        "over": "all",
    }
