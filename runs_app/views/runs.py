"""Pages of runs: the list, one run with progress and results, starting one, its items."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from core_app.csv import csv_response
from core_app.errors import DomainError
from core_app.pages import add_refusal, form_data
from datasets_app.selectors import datasets_of, evidence_quotes
from datasets_app.states import QuestionType, VersionStatus
from runs_app.forms.runs import RunFilterForm, RunForm
from runs_app.forms.thresholds import ThresholdForm
from runs_app.models import Run
from runs_app.policies import RunAction, policy
from runs_app.selectors.answering import answering_of
from runs_app.selectors.item_scores import run_metrics
from runs_app.selectors.items import item_detail, outputs_worst_first, sort_metric
from runs_app.selectors.results import results_of
from runs_app.selectors.risk_coverage import chart_of, points_shown, risk_coverage_of
from runs_app.selectors.robustness import robustness_of
from runs_app.selectors.run_list import RUN_COLUMNS, run_cells
from runs_app.selectors.runs import (
    closed_reason,
    primary_figures,
    progress_of,
    run_in,
    runs_visible,
    scores_hash_of,
    warnings_of,
)
from runs_app.selectors.starting import start_choices
from runs_app.selectors.systems import systems_visible
from runs_app.services.reading import items_read_record
from runs_app.services.runs import run_cancel, run_complete, run_create, run_retry_failed
from runs_app.services.suites import default_suite
from runs_app.services.thresholds import threshold_choose
from runs_app.states import TERMINAL, Outcome, RunStatus
from runs_app.views.decision_pages import DecisionPage


def json_text(value: Any) -> str:
    """Return JSON as a person reads it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


#: What the list may be sorted by; ids ascend with time.
ORDERS = {
    "created": ("pk",),
    "-created": ("-pk",),
    "status": ("status", "-pk"),
    "-status": ("-status", "-pk"),
    "system": ("system_version__system__slug", "-pk"),
    "-system": ("-system_version__system__slug", "-pk"),
}


class RunListPage(DecisionPage):
    """The team's runs, newest first, each with its primary figure; as CSV with `format=csv`."""

    action = RunAction.VIEW
    template_name = "runs_app/run_list.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        form = RunFilterForm(request.GET)
        filters = form.cleaned_data if form.is_valid() else {}
        for name in ("system", "dataset"):
            if filters.get(name) and "/" not in filters[name] and "_" not in filters[name]:
                filters[name] = f"{team}/{filters[name]}"
        order = ORDERS.get(request.GET.get("sort", ""), ORDERS["-created"])
        runs = runs_visible(self.actor, team=self.team, **filters).order_by(*order)
        if request.GET.get("format") == "csv":
            return csv_response(f"runs-{self.team.slug}.csv", RUN_COLUMNS, run_cells(self.actor, runs))
        page = Paginator(runs, 50).get_page(request.GET.get("page"))
        figures = primary_figures(self.actor, page)
        return self.page(
            request,
            form=form,
            page=page,
            rows=[(run, figures.get(run.pk)) for run in page],
            is_filtered=any(filters.values()),
            sort=request.GET.get("sort", ""),
            systems=systems_visible(self.actor, self.team.slug).order_by("slug")[:200],
            datasets=datasets_of(self.actor, self.team).order_by("slug")[:200],
        )


class RunNewPage(DecisionPage):
    """The form that starts a run."""

    action = RunAction.START
    template_name = "runs_app/run_new.html"

    def _form(self, data: Any = None, **more: Any) -> RunForm:
        versions, systems, suites = start_choices(self.actor, self.team)
        return RunForm(
            data, versions=versions.filter(status=VersionStatus.FROZEN), systems=systems, suites=suites, **more
        )

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        policy.require(self.actor, self.action, self.team)
        return self.page(request, form=self._form(initial=request.GET.dict()))

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        policy.require(self.actor, self.action, self.team)
        form = self._form(form_data(request))
        if form.is_valid():
            fields = form.cleaned_data
            suite = fields.pop("suite")
            newest = suite.versions.order_by("-number").first() if suite else None
            try:
                run = run_create(
                    actor=self.actor,
                    dataset_version=fields.pop("dataset"),
                    system_version=fields.pop("system"),
                    suite_version=newest or default_suite(self.team, actor=self.actor),
                    **fields,
                )
                return redirect("runs:detail", team=team, run=run.public_id)
            except DomainError as error:
                add_refusal(form, error)
        return self.page(request, status=422, form=form)


class RunPage(DecisionPage):
    """What every page of one run shares."""

    action = RunAction.VIEW

    @cached_property
    def run(self) -> Run:
        policy.require(self.actor, self.action, self.team)
        return run_in(self.actor, self.team, self.kwargs["run"])

    def page(self, request: HttpRequest, status: int = 200, **context: Any) -> HttpResponse:
        may_read = policy.may_read_items(self.actor, self.run)
        self.run.scores_sha256 = scores_hash_of(self.actor, self.run) or ""
        return super().page(request, status=status, run=self.run, may_read_items=may_read, **context)


class RunDetailPage(RunPage):
    """One run: progress while it goes on, then its results in layers."""

    template_name = "runs_app/run_detail.html"

    def get(self, request: HttpRequest, team: str, run: str) -> HttpResponse:
        found, progress = self.run, progress_of(self.run)
        if getattr(request, "htmx", False):
            partial = render(
                request, "runs_app/_run_progress.html", {"run": found, "team": self.team, "progress": progress}
            )
            if found.status in TERMINAL:
                partial["HX-Refresh"] = "true"
            return partial
        return self.page(
            request,
            progress=progress,
            results=results_of(self.actor, found, group_metric=request.GET.get("metric", "")),
            warnings=warnings_of(self.actor, found),
            events=found.events.order_by("id"),
            outcomes=Outcome,
            base_url=request.build_absolute_uri("/api/v1"),
            manifest_text=json_text(found.manifest),
            **self._answering(found),
        )

    def _answering(self, run: Run) -> dict[str, Any]:
        """Return what the sections on answering, risk and robustness show; nothing before the run is completed."""
        if run.status != RunStatus.COMPLETED or closed_reason(self.actor, run) == "level_required":
            return {}
        risk = risk_coverage_of(self.actor, run)
        return {
            "risk": risk,
            "chart": chart_of(risk),
            "risk_points": points_shown(risk["points"]),
            "robust": robustness_of(self.actor, run),
            "answering": answering_of(self.actor, run),
            "threshold_form": ThresholdForm(),
        }


class RunThresholdView(RunPage):
    """Chooses the system's answer threshold on this dev run."""

    def post(self, request: HttpRequest, team: str, run: str) -> HttpResponse:
        found, form = self.run, ThresholdForm(form_data(request))
        system = found.system_version.system
        policy.require(self.actor, RunAction.SYSTEM_EDIT, system)
        if form.is_valid():
            try:
                threshold_choose(actor=self.actor, system=system, run=found, **form.cleaned_data)
                messages.success(request, _("The threshold is locked; runs created from now on report it."))
            except DomainError as error:
                messages.error(request, str(error.detail))
        else:
            messages.error(request, _("Give a risk between 0 and 1."))
        return redirect("runs:detail", team=team, run=run)


class RunItemsPage(RunPage):
    """The run's items, the worst first."""

    template_name = "runs_app/run_items.html"

    def get(self, request: HttpRequest, team: str, run: str) -> HttpResponse:
        found, asked = self.run, request.GET
        metric = sort_metric(found, asked.get("metric", ""))
        filters = {name: asked.get(name, "")[:200] for name in ("outcome", "kind", "text")}
        rows = outputs_worst_first(self.actor, found, metric, **filters)
        items_read_record(actor=self.actor, run=found)
        page = Paginator(rows, 50).get_page(asked.get("page"))
        return self.page(
            request,
            page=page,
            metric=metric,
            metrics=run_metrics(found),
            outcomes=Outcome.choices,
            kinds=QuestionType.choices,
            **filters,
        )


class RunItemPage(RunPage):
    """One item of a run with everything about it."""

    template_name = "runs_app/run_item.html"

    def get(self, request: HttpRequest, team: str, run: str, item: str) -> HttpResponse:
        repeat = request.GET.get("repeat", "1")
        detail = item_detail(self.actor, self.run, item, int(repeat) if repeat.isdecimal() and len(repeat) < 4 else 1)
        items_read_record(actor=self.actor, run=self.run)
        groups = evidence_quotes(self.run.dataset_version.dataset, detail["output"].entry)
        return self.page(request, groups=groups, **detail)


class RunCompleteView(RunPage):
    """Ends the collection."""

    action = RunAction.PUSH

    def post(self, request: HttpRequest, team: str, run: str) -> HttpResponse:
        run_complete(actor=self.actor, run=self.run)
        messages.success(request, _("Collection has ended; the run is being scored."))
        return redirect("runs:detail", team=team, run=run)


class RunCancelView(RunPage):
    """Calls the run off."""

    action = RunAction.CANCEL

    def post(self, request: HttpRequest, team: str, run: str) -> HttpResponse:
        run_cancel(actor=self.actor, run=self.run, reason=request.POST.get("reason", ""))
        messages.success(request, _("The run is cancelled."))
        return redirect("runs:detail", team=team, run=run)


class RunRetryView(RunPage):
    """Takes a failed run up again."""

    action = RunAction.START

    def post(self, request: HttpRequest, team: str, run: str) -> HttpResponse:
        run_retry_failed(actor=self.actor, run=self.run)
        messages.success(request, _("The run is taken up again."))
        return redirect("runs:detail", team=team, run=run)
