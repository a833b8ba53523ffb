"""Pages of suites: the list, one suite with its versions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from core_app.errors import DomainError, FieldError
from core_app.pages import add_refusal, form_data
from runs_app.forms.suites import AddMetricForm, NewSuiteForm, SuiteForm
from runs_app.models import Suite, SuiteVersion
from runs_app.policies import RunAction
from runs_app.selectors.suite_pages import registered_by_family, suite_version_rows, threshold_defaults
from runs_app.selectors.system_pages import suites_with_counts
from runs_app.selectors.systems import suite_by_ref
from runs_app.services.suites import default_metrics, suite_create, suite_version_create
from runs_app.views.decision_pages import DecisionPage


def _refuse(form: forms.Form, error: DomainError) -> None:
    """Show a refusal at its field, with the line of the metric or the path of the setting that it is about."""
    placed = []
    for fault in error.errors:
        name, _slash, rest = fault.pointer.strip("/").partition("/")
        detail = str(fault.detail)
        if name == "metrics" and rest.isdecimal():
            detail = _("Line %(n)s: %(fault)s") % {"n": int(rest) + 1, "fault": detail}
        elif name == "settings" and rest:
            detail = f"{rest}: {detail}"
        placed.append(FieldError(f"/{name}", fault.code, detail))
    error.errors = tuple(placed)
    add_refusal(form, error)


class SuitesPage(DecisionPage):
    """The team's suites; a form makes one, begun from the default's metrics."""

    action = RunAction.SUITE_VIEW
    post_action = RunAction.SUITE_EDIT
    template_name = "runs_app/suite_list.html"

    def _show(self, request: HttpRequest, form: NewSuiteForm, status: int = 200) -> HttpResponse:
        page = Paginator(suites_with_counts(self.actor, self.team), 50).get_page(request.GET.get("page"))
        return self.page(request, status=status, page=page, form=form, registered=registered_by_family())

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        return self._show(request, NewSuiteForm(initial={"metrics": "\n".join(default_metrics())}))

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        owner, form = self.team, NewSuiteForm(form_data(request))
        if form.is_valid():
            try:
                version = suite_create(actor=self.actor, team=owner, **form.cleaned_data)
                return redirect("runs:suite", team=team, suite=version.suite.slug)
            except DomainError as error:
                _refuse(form, error)
        return self._show(request, form, status=422)


class SuitePage(DecisionPage):
    """One suite: its versions; a form makes the next, another adds one metric to the newest."""

    action = RunAction.SUITE_VIEW
    post_action = RunAction.SUITE_EDIT
    template_name = "runs_app/suite_detail.html"

    @cached_property
    def suite(self) -> Suite:
        return suite_by_ref(self.actor, f"{self.team.slug}/{self.kwargs['suite']}")

    @cached_property
    def newest(self) -> SuiteVersion | None:
        return self.suite.versions.order_by("-number").first()

    def _show(self, request: HttpRequest, *, status: int = 200, **forms_shown: Any) -> HttpResponse:
        page = Paginator(self.suite.versions.order_by("-number"), 25).get_page(request.GET.get("page"))
        newest = self.newest
        initial = {
            "metrics": "\n".join(newest.metrics if newest else []),
            "settings": (newest.settings if newest else {}) or None,
        }
        shown = {"form": SuiteForm(initial=initial), "add_form": AddMetricForm(prefix="add"), **forms_shown}
        return self.page(
            request,
            status=status,
            suite=self.suite,
            page=page,
            rows=suite_version_rows(page),
            thresholds=threshold_defaults(),
            registered=registered_by_family(),
            **shown,
        )

    def get(self, request: HttpRequest, team: str, suite: str) -> HttpResponse:
        return self._show(request)

    def post(self, request: HttpRequest, team: str, suite: str) -> HttpResponse:
        is_addition = "add-name" in request.POST
        form = AddMetricForm(request.POST, prefix="add") if is_addition else SuiteForm(request.POST)
        found, newest = self.suite, self.newest
        if form.is_valid():
            given = form.cleaned_data
            if isinstance(form, AddMetricForm):
                given = {"metrics": [*(newest.metrics if newest else []), form.metric]}
            try:
                suite_version_create(actor=self.actor, suite=found, **given)
                return redirect("runs:suite", team=team, suite=suite)
            except DomainError as error:
                _refuse_addition(form, error) if is_addition else _refuse(form, error)
        return self._show(request, status=422, **{"add_form" if is_addition else "form": form})


def _refuse_addition(form: forms.Form, error: DomainError) -> None:
    """Show why a metric can't be added above the form: it has no field of the suite's list."""
    error.errors = tuple(FieldError("", fault.code, str(fault.detail)) for fault in error.errors)
    add_refusal(form, error)
