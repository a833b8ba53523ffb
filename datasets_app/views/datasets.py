"""The list of datasets, one dataset, its settings, its access and its ledger."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from core_app.errors import DomainError
from core_app.pages import add_refusal, form_data
from datasets_app.forms import DatasetForm, GrantForm
from datasets_app.models import DatasetVersion, ExposureEntry, Grant
from datasets_app.policies import DatasetAction, policy
from datasets_app.selectors import (
    coverage_grid,
    dataset_rows,
    datasets_of,
    exposure_state,
    grant_holder,
    grants_of,
    version_counts,
)
from datasets_app.services import (
    dataset_create,
    dataset_update,
    draft_get_or_create,
    grant_create,
    grant_revoke,
)
from datasets_app.states import Split
from datasets_app.views.base import DatasetView, TeamView

PAGE_SIZE = 50


class ListView(TeamView):
    template_name = "datasets_app/list.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        datasets = datasets_of(self.actor, self.team).order_by("name", "id")
        query = request.GET.get("q", "").strip()
        if query:
            datasets = datasets.filter(name__icontains=query)
        page = Paginator(datasets, PAGE_SIZE).get_page(request.GET.get("page"))
        rows = dataset_rows(page.object_list)
        return self.results(request, "datasets_app/_list_results.html", rows=rows, page_obj=page, q=query)


class CreateView(TeamView):
    action = DatasetAction.CREATE
    template_name = "datasets_app/create.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        return self.page(request, form=DatasetForm(team=self.team))

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        form = DatasetForm(request.POST, team=self.team)
        if form.is_valid():
            try:
                dataset = dataset_create(actor=self.actor, team=self.team, **form.cleaned_data)
            except DomainError as error:
                add_refusal(form, error)
            else:
                return redirect("datasets:detail", team=team, dataset=dataset.slug)
        return self.page(request, form=form, status=422)


class DetailView(DatasetView):
    template_name = "datasets_app/detail.html"

    def get(self, request: HttpRequest, team: str, dataset: str) -> HttpResponse:
        versions = list(DatasetVersion.objects.filter(dataset=self.dataset).order_by("-number")[:50])
        for version in versions:
            version.dataset = self.dataset
        newest = versions[0] if versions else None
        counts = version_counts(newest) if newest else {}
        may_see_grants = policy.can(self.actor, DatasetAction.GRANTS_VIEW, self.dataset)
        return self.page(
            request,
            versions=versions,
            newest=newest,
            counts=counts,
            grid=coverage_grid(counts),
            grants=list(grants_of(self.dataset).live()[:10]) if may_see_grants else None,
            level=policy.level(self.actor, self.dataset),
            exposure=exposure_state(newest, Split.FROZEN) if newest else None,
            uses=ExposureEntry.objects.filter(version__dataset=self.dataset).count(),
        )


class SettingsView(DatasetView):
    action = DatasetAction.EDIT
    template_name = "datasets_app/settings.html"

    def get(self, request: HttpRequest, team: str, dataset: str) -> HttpResponse:
        return self.page(request, form=DatasetForm(team=self.team, dataset=self.dataset))

    def post(self, request: HttpRequest, team: str, dataset: str) -> HttpResponse:
        form = DatasetForm(request.POST, team=self.team, dataset=self.dataset)
        if form.is_valid():
            dataset_update(actor=self.actor, dataset=self.dataset, **form.cleaned_data)
            messages.success(request, _("Saved."))
            return redirect("datasets:detail", team=team, dataset=dataset)
        return self.page(request, form=form, status=422)


class BeginDraftView(DatasetView):
    action = DatasetAction.EDIT

    def post(self, request: HttpRequest, team: str, dataset: str) -> HttpResponse:
        draft = draft_get_or_create(actor=self.actor, dataset=self.dataset)
        return redirect("datasets:version", team=team, dataset=dataset, number=draft.number)


class AccessView(DatasetView):
    """Who holds what on the frozen splits; stewards give and revoke."""

    action = DatasetAction.GRANTS_VIEW
    post_action = DatasetAction.GRANT
    template_name = "datasets_app/access.html"

    def get(self, request: HttpRequest, team: str, dataset: str) -> HttpResponse:
        return self._page(request, GrantForm(form_data(request), dataset=self.dataset))

    def post(self, request: HttpRequest, team: str, dataset: str) -> HttpResponse:
        form = GrantForm(request.POST, dataset=self.dataset)
        if form.is_valid():
            try:
                grant_create(
                    actor=self.actor,
                    dataset=self.dataset,
                    holder=grant_holder(self.dataset, *form.holder_key()),
                    level=form.cleaned_data["level"],
                    reason=form.cleaned_data["reason"],
                    expires_at=form.expires_at(),
                )
            except DomainError as error:
                add_refusal(form, error)
            else:
                messages.success(request, _("Access granted."))
                return redirect("datasets:access", team=team, dataset=dataset)
        return self._page(request, form, status=422)

    def _page(self, request: HttpRequest, form: GrantForm, **more: Any) -> HttpResponse:
        page = Paginator(grants_of(self.dataset), PAGE_SIZE).get_page(request.GET.get("page"))
        return self.page(request, form=form, page_obj=page, **more)


class GrantRevokeView(DatasetView):
    action = DatasetAction.GRANT

    def post(self, request: HttpRequest, team: str, dataset: str, grant: str) -> HttpResponse:
        row = policy.get_visible(self.actor, Grant.objects.filter(dataset=self.dataset), public_id=grant)
        grant_revoke(actor=self.actor, grant=row)
        messages.success(request, _("The grant has ended."))
        return redirect("datasets:access", team=team, dataset=dataset)
