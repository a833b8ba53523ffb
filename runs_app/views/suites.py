"""Pages of suites: the list, one suite with its versions."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import cached_property

from core_app.errors import DomainError
from core_app.pages import add_refusal, form_data
from runs_app.forms.runs import NewSuiteForm, SuiteForm
from runs_app.models import Suite
from runs_app.policies import RunAction
from runs_app.selectors.system_pages import registered_metrics, suites_with_counts
from runs_app.selectors.systems import suite_by_ref
from runs_app.services.suites import default_metrics, suite_create, suite_version_create
from runs_app.views.decision_pages import DecisionPage


class SuitesPage(DecisionPage):
    """The team's suites; a form makes one, begun from the default's metrics."""

    action = RunAction.SUITE_VIEW
    post_action = RunAction.SUITE_EDIT
    template_name = "runs_app/suite_list.html"

    def _show(self, request: HttpRequest, form: NewSuiteForm, status: int = 200) -> HttpResponse:
        page = Paginator(suites_with_counts(self.actor, self.team), 50).get_page(request.GET.get("page"))
        return self.page(request, status=status, page=page, form=form, registered=registered_metrics())

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        return self._show(request, NewSuiteForm(initial={"metrics": "\n".join(default_metrics())}))

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        owner, form = self.team, NewSuiteForm(form_data(request))
        if form.is_valid():
            try:
                version = suite_create(actor=self.actor, team=owner, **form.cleaned_data)
                return redirect("runs:suite", team=team, suite=version.suite.slug)
            except DomainError as error:
                add_refusal(form, error)
        return self._show(request, form, status=422)


class SuitePage(DecisionPage):
    """One suite: its versions; a form makes the next."""

    action = RunAction.SUITE_VIEW
    post_action = RunAction.SUITE_EDIT
    template_name = "runs_app/suite_detail.html"

    @cached_property
    def suite(self) -> Suite:
        return suite_by_ref(self.actor, f"{self.team.slug}/{self.kwargs['suite']}")

    def _show(self, request: HttpRequest, form: SuiteForm | None = None, status: int = 200) -> HttpResponse:
        page = Paginator(self.suite.versions.order_by("-number"), 25).get_page(request.GET.get("page"))
        newest = self.suite.versions.order_by("-number").first()
        form = form or SuiteForm(initial={"metrics": "\n".join(newest.metrics if newest else [])})
        return self.page(
            request, status=status, suite=self.suite, page=page, form=form, registered=registered_metrics()
        )

    def get(self, request: HttpRequest, team: str, suite: str) -> HttpResponse:
        return self._show(request)

    def post(self, request: HttpRequest, team: str, suite: str) -> HttpResponse:
        found, form = self.suite, SuiteForm(form_data(request))
        if form.is_valid():
            try:
                suite_version_create(actor=self.actor, suite=found, **form.cleaned_data)
                return redirect("runs:suite", team=team, suite=suite)
            except DomainError as error:
                add_refusal(form, error)
        return self._show(request, form, status=422)
