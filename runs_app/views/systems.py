"""Pages of systems: the list, one system with its versions and their runs."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from core_app.errors import DomainError
from core_app.pages import add_refusal, form_data
from runs_app.forms.runs import SystemForm, SystemVersionForm
from runs_app.models import System
from runs_app.policies import RunAction
from runs_app.selectors.system_pages import system_versions, systems_with_counts, threshold_history
from runs_app.selectors.systems import system_by_ref
from runs_app.services.systems import system_get_or_create, system_version_get_or_create
from runs_app.views.decision_pages import DecisionPage


class SystemsPage(DecisionPage):
    """The team's systems; a form registers one."""

    action = RunAction.SYSTEM_VIEW
    post_action = RunAction.SYSTEM_EDIT
    template_name = "runs_app/system_list.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        page = Paginator(systems_with_counts(self.actor, self.team), 50).get_page(request.GET.get("page"))
        return self.page(request, page=page, form=SystemForm())

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        owner, form = self.team, SystemForm(form_data(request))
        if form.is_valid():
            try:
                system, created = system_get_or_create(actor=self.actor, team=owner, **form.cleaned_data)
                if not created:
                    messages.info(request, _("The team has this system already."))
                return redirect("runs:system", team=team, system=system.slug)
            except DomainError as error:
                add_refusal(form, error)
        page = Paginator(systems_with_counts(self.actor, owner), 50).get_page(1)
        return self.page(request, status=422, page=page, form=form)


class SystemPage(DecisionPage):
    """One system: its versions, newest first, with the primary figures of their runs."""

    action = RunAction.SYSTEM_VIEW
    post_action = RunAction.SYSTEM_EDIT
    template_name = "runs_app/system_detail.html"

    @cached_property
    def system(self) -> System:
        return system_by_ref(self.actor, f"{self.team.slug}/{self.kwargs['system']}")

    def _show(self, request: HttpRequest, form: SystemVersionForm, status: int = 200) -> HttpResponse:
        page = Paginator(self.system.versions.order_by("-id"), 25).get_page(request.GET.get("page"))
        rows = system_versions(self.actor, self.system, list(page))
        return self.page(
            request,
            status=status,
            system=self.system,
            page=page,
            rows=rows,
            form=form,
            thresholds=threshold_history(self.system),
        )

    def get(self, request: HttpRequest, team: str, system: str) -> HttpResponse:
        return self._show(request, SystemVersionForm())

    def post(self, request: HttpRequest, team: str, system: str) -> HttpResponse:
        found, form = self.system, SystemVersionForm(form_data(request))
        if form.is_valid():
            try:
                system_version_get_or_create(actor=self.actor, system=found, **form.cleaned_data)
                return redirect("runs:system", team=team, system=system)
            except DomainError as error:
                add_refusal(form, error)
        return self._show(request, form, status=422)
