"""Pages: comparisons of two runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from core_app.errors import DomainError, NotFound
from core_app.pages import add_refusal
from core_app.wording import short_metric
from runs_app.forms.decisions import CompareForm
from runs_app.models import Comparison
from runs_app.policies import RunAction, policy
from runs_app.selectors.comparisons import comparison_by_id, comparison_view, comparisons_visible, completed_runs
from runs_app.selectors.results import GROUP_NAMES, group_value_name
from runs_app.selectors.runs import PRIMARY
from runs_app.selectors.unscored import common_eps, split_unscored
from runs_app.services.comparisons import comparison_create, comparison_items_read
from runs_app.views.decision_pages import DecisionPage


class ComparisonsPage(DecisionPage):
    """The list of comparisons."""

    action = RunAction.VIEW
    template_name = "runs_app/comparison_list.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        rows = comparisons_visible(self.actor, self.team)
        page = Paginator(rows, 50).get_page(request.GET.get("page"))
        return self.page(request, comparisons=page)


class ComparePage(DecisionPage):
    """The form that compares two runs; on the way from a run page the runs are chosen already."""

    action = RunAction.COMPARE
    template_name = "runs_app/comparison_form.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        return self.page(request, form=self._form(initial=request.GET.dict()))

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        form = self._form(request.POST)
        if form.is_valid():
            try:
                comparison = comparison_create(actor=self.actor, **form.cleaned_data)
            except DomainError as error:
                add_refusal(form, error)
            else:
                return redirect("runs:comparison", team=team, comparison=comparison.public_id)
        return self.page(request, status=422, form=form)

    def _form(self, data: Any = None, initial: Mapping[str, Any] | None = None) -> CompareForm:
        runs = completed_runs(self.actor, self.team)
        return CompareForm(data, initial=initial, runs=runs)


def forest_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of a forest plot, figures as they are; the plot mirrors marks where lower is better."""
    plotted = []
    for row in rows:
        if row["estimate"] is None:
            continue
        label = short_metric(row["metric"]) if row["group"] == "all" else str(row["value_label"])
        plotted.append(
            {
                "label": label if row["higher_is_better"] else f"{label} ↓",
                "title": row["metric"],
                "lower_is_better": not row["higher_is_better"],
                **{key: row[key] for key in ("estimate", "low", "high", "eps", "verdict", "n")},
            }
        )
    return plotted


class ComparisonPage(DecisionPage):
    """One comparison: verdicts over all items, groups of the chosen metric, what differs, the items that moved."""

    action = RunAction.VIEW
    template_name = "runs_app/comparison_detail.html"

    def get(self, request: HttpRequest, team: str, comparison: str) -> HttpResponse:
        found = self._found(comparison)
        view = comparison_view(self.actor, found)
        overall, unscored = split_unscored(self.actor, found, view["results"])
        chosen = self._chosen(request, overall)
        groups = [
            {
                **row,
                "group_label": GROUP_NAMES.get(row["group"], row["group"]),
                "value_label": group_value_name(row["group"], row["group_value"]),
            }
            for row in view["results"]
            if row["group"] != "all" and row["metric"] == chosen
        ]
        may_read = all(policy.may_read_items(self.actor, run) for run in (found.baseline, found.candidate))
        return self.page(
            request,
            comparison=found,
            view=view,
            overall=overall,
            unscored=unscored,
            judged=[row for row in overall if row["noise_note"] and row["origin"] != "ours"],
            common_eps=common_eps(overall),
            groups=groups,
            chosen=chosen,
            forest=forest_rows(overall),
            group_forest=forest_rows(groups),
            may_read=may_read,
            items=self._items(request, found, chosen, may_read),
            is_frozen=found.candidate.is_frozen_split,
        )

    def _found(self, public_id: str) -> Comparison:
        team = self.team
        found = comparison_by_id(self.actor, public_id)
        if found.team_id != team.pk:
            raise NotFound(NotFound.title)
        return found

    @staticmethod
    def _chosen(request: HttpRequest, overall: list[dict[str, Any]]) -> str:
        known = [row["metric"] for row in overall]
        asked = request.GET.get("metric", "")
        primary = (row["metric"] for row in overall if row["name"] == PRIMARY)
        return asked if asked in known else next(primary, next(iter(known), ""))

    def _items(self, request: HttpRequest, found: Comparison, chosen: str, may_read: bool) -> Any:
        """On a frozen split items are read on request alone, because each reading enters the ledger."""
        asked = request.GET.get("items") == "1"
        if not may_read or not found.comparable or (found.candidate.is_frozen_split and not asked):
            return None
        return comparison_items_read(actor=self.actor, comparison=found, metric=chosen)
