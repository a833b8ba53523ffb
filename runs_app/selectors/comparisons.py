"""Reading comparisons: lists, one comparison as the reader may see it, the items that moved."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _

from core_app.actors import Actor
from datasets_app.models import VersionEntry
from datasets_app.selectors import readable_entries
from runs_app.models import Comparison, Output, Run
from runs_app.policies import policy
from runs_app.selectors.noise import noise_note
from runs_app.selectors.redaction import Redaction, is_twin, redaction_for, require_aggregates, shown_rows
from runs_app.states import RunStatus
from scoring.stats.paired import FEW_CLUSTERS
from teams_app.models import Team

RUN_RELATED = (
    "team",
    "dataset_version__dataset__team",
    "suite_version__suite__team",
    "system_version__system__team",
    "snapshot__corpus",
)
#: Large columns of a run and what hangs on it, which no list shows.
RUN_DEFERRED = (
    "manifest",
    "warnings",
    "dataset_version__manifest",
    "suite_version__metrics",
    "suite_version__settings",
)
_PAIR_RELATED = tuple(f"{side}__{path}" for side in ("baseline", "candidate") for path in RUN_RELATED)


def runs_for_reading() -> QuerySet[Run]:
    """Return runs with all that a decision about them shows."""
    return Run.objects.select_related(*RUN_RELATED)


def run_by_id(actor: Actor, public_id: str) -> Run:
    """Return a run that the actor may view; raises `NotFound` or `Forbidden`."""
    return policy.get_visible(actor, runs_for_reading(), public_id=public_id)


def completed_runs(actor: Actor, team: Team) -> QuerySet[Run]:
    """Return the team's completed runs, newest first: what may be compared."""
    return policy.visible_to(actor, runs_for_reading()).filter(team=team, status=RunStatus.COMPLETED).order_by("-pk")


def comparisons_visible(actor: Actor, team: Team | None = None) -> QuerySet[Comparison]:
    """Return the comparisons that the actor may view, newest first, without their rows of figures."""
    deferred = [f"{side}__{path}" for side in ("baseline", "candidate") for path in RUN_DEFERRED]
    rows = policy.visible_to(actor, Comparison.objects.select_related("team", *_PAIR_RELATED))
    rows = rows.defer("results", "differences", *deferred)
    return (rows if team is None else rows.filter(team=team)).order_by("-pk")


def comparison_by_id(actor: Actor, public_id: str) -> Comparison:
    """Return a comparison that the actor may view; raises `NotFound` or `Forbidden` (also without `aggregate`)."""
    rows = Comparison.objects.select_related("team", *_PAIR_RELATED)
    comparison = policy.get_visible(actor, rows, public_id=public_id)
    for run in (comparison.baseline, comparison.candidate):
        require_aggregates(actor, run)
    return comparison


def run_brief(run: Run) -> dict[str, Any]:
    """Return what names a run wherever a decision speaks of it."""
    return {
        "id": run.public_id,
        "system": run.system_version.system.ref,
        "version": run.system_version.label,
        "dataset": run.dataset_version.ref,
        "split": run.split,
        "tier": run.tier,
        "finished_at": run.finished_at,
        "manifest_sha256": run.manifest_sha256,
    }


def comparison_url(comparison: Comparison) -> str:
    """Return the path of the comparison's page."""
    return reverse("runs:comparison", kwargs={"team": comparison.team.slug, "comparison": comparison.public_id})


def comparison_brief(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison without figures, for lists."""
    return {
        "id": comparison.public_id,
        "baseline": run_brief(comparison.baseline),
        "candidate": run_brief(comparison.candidate),
        "comparable": comparison.comparable,
        "created_at": comparison.created_at,
        "created_by": comparison.created_by_label,
        "url": comparison_url(comparison),
    }


def comparison_redaction(actor: Actor, comparison: Comparison) -> Redaction:
    """Return what is hidden from the actor: the stricter of the two runs' rules."""
    sides = (redaction_for(actor, comparison.baseline), redaction_for(actor, comparison.candidate))
    return max(sides, key=lambda redaction: redaction.limit)


def hidden_reason(comparison: Comparison, redaction: Redaction) -> str:
    """Return why the whole comparison is closed to the reader, or an empty text."""
    if not redaction.active:
        return ""
    counts = (comparison.settings.get(name) for name in ("outputs_changed", "least_changed"))
    few = any(redaction.small(count) for count in counts)
    return "too_few_changes" if few or is_twin(comparison.baseline) or is_twin(comparison.candidate) else ""


def hidden_sentence(reason: str) -> str:
    """Return what a reader is told in place of figures."""
    return {
        "": "",
        "group_too_small": _("Too few items to be shown on a frozen split."),
        "too_few_changes": _(
            "Too few answers differ from another run on this frozen split: the figures would give single items away."
        ),
    }[reason]


def comparison_view(actor: Actor, comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as REST, pages and reports show it to this reader (docs/comparisons.md)."""
    redaction = comparison_redaction(actor, comparison)
    hidden = hidden_reason(comparison, redaction)
    changed = comparison.settings.get("outputs_changed")
    return {
        **comparison_brief(comparison),
        "hidden": hidden,
        "hidden_reason": hidden_sentence(hidden),
        "rounded": redaction.active,
        "disclosure_limit": redaction.limit or None,
        "differences": comparison.differences,
        "outputs_changed": redaction.count(changed),
        "settings": comparison.settings["fixed"],
        "results": _noted(comparison, shown_rows(comparison.results or [], redaction, hidden)),
    }


def _noted(comparison: Comparison, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows, each with the sentence about its noise, in the reader's language."""
    asked = max(comparison.baseline.judge_repeats, comparison.candidate.judge_repeats)
    for row in rows:
        note = noise_note(
            judged=row["origin"] != "ours", judge=row["judge_noise"], repeats=row["repeat_noise"], asked=asked
        )
        row["noise_note"] = "" if row["hidden"] else note
        clusters = row["n_clusters"]
        row["few_clusters"] = clusters is not None and 0 < clusters < FEW_CLUSTERS
    return rows


def _whole_row(comparison: Comparison, metric: str) -> dict[str, Any]:
    found = (row for row in comparison.results or [] if row["group"] == "all" and row["metric"] == metric)
    return next(found, {})


def _readable(actor: Actor, comparison: Comparison, items: list[str]) -> dict[str, VersionEntry]:
    """Return external id → entry of those items that the actor may read."""
    version = comparison.candidate.dataset_version
    entries = readable_entries(actor, version).filter(item__external_id__in=items)
    return {entry.item.external_id: entry for entry in entries.select_related("item", "revision")}


def movers_of(actor: Actor, comparison: Comparison, metric: str) -> list[dict[str, Any]]:
    """Return the items that moved most on a metric, with both answers; only those that the actor may read.

    The caller has asked for `read` where a run is on a frozen split. An item that became protected after a dev run is
    left out without that level.
    """
    movers = _whole_row(comparison, metric).get("movers", [])
    by_item = _readable(actor, comparison, [mover["item"] for mover in movers])
    outputs = Output.objects.filter(
        run__in=[comparison.baseline, comparison.candidate], entry__in=list(by_item.values()), repeat=1
    ).only("run_id", "entry_id", "answer", "outcome")
    answers = {(output.entry_id, output.run_id): output for output in outputs}
    found = []
    for mover in movers:
        entry = by_item.get(mover["item"])
        if entry is None:
            continue
        first = answers.get((entry.pk, comparison.baseline_id))
        second = answers.get((entry.pk, comparison.candidate_id))
        found.append(
            {
                **mover,
                "question": entry.revision.question,
                "baseline_answer": first.answer if first else "",
                "baseline_outcome": first.outcome if first else "",
                "candidate_answer": second.answer if second else "",
                "candidate_outcome": second.outcome if second else "",
            }
        )
    return found


def unpaired_of(actor: Actor, comparison: Comparison, metric: str) -> list[dict[str, str]]:
    """Return the items that one run alone has a score of: `item`, `scored_in`, `state` (of the other run's score).

    Up to 50 of each side, and only those that the actor may read; the caller has asked as for `movers_of`.
    """
    sides: dict[str, list[dict[str, str]]] = _whole_row(comparison, metric).get("unpaired", {})
    readable = _readable(actor, comparison, [row["item"] for rows in sides.values() for row in rows])
    return [
        {"item": row["item"], "scored_in": side.removeprefix("only_in_"), "state": row["state"]}
        for side, rows in sides.items()
        for row in rows
        if row["item"] in readable
    ]
