"""The ledger of a dataset's frozen splits, and the budget of the newest one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from core_app.errors import DomainError, NotFound
from core_app.pages import add_refusal
from datasets_app.forms import BudgetForm, ExtensionForm
from datasets_app.models import DatasetVersion, ExposureEntry
from datasets_app.policies import DatasetAction, policy
from datasets_app.selectors import exposure_usage, extensions_of
from datasets_app.services import exposure_budget_set, exposure_extend
from datasets_app.states import VersionStatus
from datasets_app.views.base import DatasetView

PAGE_SIZE = 50
_BUDGET = ("runs_per_period", "period_days", "runs_lifetime", "rotate_on")


class ExposureView(DatasetView):
    """Everybody in the team reads; stewards extend the budget and set it."""

    action = DatasetAction.EXPOSURE_VIEW
    post_action = DatasetAction.EXPOSURE_EXTEND
    template_name = "datasets_app/exposure.html"

    @cached_property
    def frozen_version(self) -> DatasetVersion | None:
        """The version that runs are started on: the newest frozen one."""
        frozen = DatasetVersion.objects.filter(dataset=self.dataset, status=VersionStatus.FROZEN)
        version = frozen.order_by("-number").first()
        if version is not None:
            version.dataset = self.dataset
        return version

    def get(self, request: HttpRequest, team: str, dataset: str) -> HttpResponse:
        return self._page(request)

    def post(self, request: HttpRequest, team: str, dataset: str) -> HttpResponse:
        version = self.frozen_version
        if version is None:
            raise NotFound(_("No version of this dataset is frozen."))
        extends = request.POST.get("step") != "budget"
        form = ExtensionForm(request.POST) if extends else BudgetForm(request.POST)
        if form.is_valid():
            try:
                service: Any = exposure_extend if extends else exposure_budget_set
                service(actor=self.actor, version=version, **form.cleaned_data)
            except DomainError as error:
                add_refusal(form, error)
            else:
                messages.success(request, _("The budget is extended.") if extends else _("Saved."))
                return redirect("datasets:exposure", team=team, dataset=dataset)
        shown = {"extension_form": form} if extends else {"budget_form": form}
        return self._page(request, status=422, **shown)

    def _page(self, request: HttpRequest, **more: Any) -> HttpResponse:
        entries = ExposureEntry.objects.filter(version__dataset=self.dataset).select_related("version").order_by("-id")
        page = Paginator(entries, PAGE_SIZE).get_page(request.GET.get("page"))
        budget: dict[str, Any] = {}
        if self.frozen_version is not None:
            usage = exposure_usage(self.frozen_version)
            budget = {"usage": usage, "extensions": list(extensions_of(self.frozen_version)[:PAGE_SIZE])}
            if policy.can(self.actor, DatasetAction.EXPOSURE_EXTEND, self.dataset):
                initial = {name: getattr(usage, name) for name in _BUDGET}
                budget |= {"extension_form": ExtensionForm(), "budget_form": BudgetForm(initial=initial)}
        return self.page(request, page_obj=page, frozen_version=self.frozen_version, **{**budget, **more})
