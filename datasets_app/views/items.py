"""Items of a version: the filtered list, one item, editing, importing."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.functional import cached_property
from django.utils.translation import gettext as _

from core_app.errors import DomainError, Forbidden, NotFound
from core_app.pages import add_refusal
from core_app.rest.parsers import decode
from datasets_app.forms import ImportForm, ItemForm
from datasets_app.imports.jsonl import read_rows
from datasets_app.models import VersionEntry
from datasets_app.policies import DatasetAction, policy
from datasets_app.selectors import (
    FACETS,
    evidence_quotes,
    filtered,
    hidden_counts,
    native_item,
    readable_entries,
)
from datasets_app.services import (
    ImportRefused,
    dataset_import,
    exposure_record,
    item_approve,
    item_edit,
    item_remove,
)
from datasets_app.states import ExposureUse, ItemSource, QuestionType, Split, Tier
from datasets_app.views.base import DatasetView, VersionView

PAGE_SIZE = 50


class ListView(VersionView):
    """The items that the person may see, by filters; the dev split unless another is asked for."""

    template_name = "datasets_app/items.html"

    def get(self, request: HttpRequest, team: str, dataset: str, number: int) -> HttpResponse:
        filters = {name: request.GET.get(name, "").strip() for name in ("split", *FACETS, "q")}
        filters["split"] = filters["split"] or Split.DEV.value
        entries = filtered(readable_entries(self.actor, self.version), filters)
        entries = entries.select_related("item", "revision").order_by("id")
        page = Paginator(entries, PAGE_SIZE).get_page(request.GET.get("page"))
        rows = list(page.object_list)
        _enter(self, [row for row in rows if _is_exposed(self, row)])
        return self.results(
            request,
            "datasets_app/_items_results.html",
            rows=rows,
            page_obj=page,
            filters=filters,
            hidden=hidden_counts(self.actor, self.version),
            splits=Split.choices,
            types=QuestionType.choices,
            tiers=Tier.choices,
            sources=ItemSource.choices,
        )


def _is_exposed(view: VersionView, entry: VersionEntry) -> bool:
    return entry.split == Split.FROZEN and (entry.item.is_protected or not view.version.is_open)


def _enter(view: VersionView, entries: list[VersionEntry]) -> None:
    """Enter test items that are shown in the ledger."""
    if entries:
        exposure_record(
            actor=view.actor,
            version=view.version,
            split=Split.FROZEN,
            use=ExposureUse.READ,
            items=len(entries),
            reason=_("looked at on a page"),
        )


class ItemView(VersionView):
    """One item with its gold. Without the right to read it, a refusal that shows nothing of it."""

    template_name = "datasets_app/item.html"

    @cached_property
    def entry(self) -> VersionEntry:
        rows = VersionEntry.objects.filter(version=self.version).select_related("item", "revision")
        entry = rows.filter(item__public_id=self.kwargs["item"]).first()
        if entry is None:
            raise NotFound(_("The version has no such item."))
        if not policy.may_read_item(self.actor, self.version, entry.item, entry.split):
            raise Forbidden(
                _("This item belongs to a frozen test split; it needs the level “read”."), code="level_required"
            )
        return entry

    def get(self, request: HttpRequest, team: str, dataset: str, number: int, item: str) -> HttpResponse:
        if _is_exposed(self, self.entry):
            _enter(self, [self.entry])
        return self.page(
            request,
            entry=self.entry,
            native=native_item(self.entry),
            groups=evidence_quotes(self.dataset, self.entry),
            may_edit=self._may_edit(),
        )

    def _may_edit(self) -> bool:
        is_test = self.entry.split == Split.FROZEN or self.entry.item.is_protected
        action = DatasetAction.EDIT_TEST_ITEMS if is_test else DatasetAction.EDIT
        return self.version.status == "draft" and policy.can(self.actor, action, self.version)


class ItemEditView(ItemView):
    action = DatasetAction.EDIT
    template_name = "datasets_app/item_edit.html"

    def get(self, request: HttpRequest, team: str, dataset: str, number: int, item: str) -> HttpResponse:
        if _is_exposed(self, self.entry):
            _enter(self, [self.entry])
        return self.page(request, entry=self.entry, form=ItemForm.of(native_item(self.entry)))

    def post(self, request: HttpRequest, team: str, dataset: str, number: int, item: str) -> HttpResponse:
        form = ItemForm(request.POST)
        entry = self.entry
        if form.is_valid():
            try:
                item_edit(actor=self.actor, version=self.version, item=entry.item, native=form.native())
            except DomainError as error:
                add_refusal(form, error)
            else:
                messages.success(request, _("Saved as a new revision."))
                return redirect("datasets:item", team=team, dataset=dataset, number=number, item=item)
        return self.page(request, entry=entry, form=form, status=422)


class ItemApproveView(ItemView):
    action = DatasetAction.EDIT
    http_method_names = ["post"]

    def post(self, request: HttpRequest, team: str, dataset: str, number: int, item: str) -> HttpResponse:
        item_approve(actor=self.actor, version=self.version, item=self.entry.item)
        messages.success(request, _("Approved."))
        return redirect("datasets:item", team=team, dataset=dataset, number=number, item=item)


class ItemRemoveView(ItemView):
    action = DatasetAction.EDIT
    http_method_names = ["post"]

    def post(self, request: HttpRequest, team: str, dataset: str, number: int, item: str) -> HttpResponse:
        item_remove(actor=self.actor, version=self.version, item=self.entry.item)
        messages.success(request, _("Removed from the draft."))
        return redirect("datasets:items", team=team, dataset=dataset, number=number)


class ImportView(DatasetView):
    """Upload or paste, see what would happen with every refused row, then confirm."""

    action = DatasetAction.EDIT
    template_name = "datasets_app/import.html"

    def get(self, request: HttpRequest, team: str, dataset: str) -> HttpResponse:
        return self.page(request, form=ImportForm())

    def post(self, request: HttpRequest, team: str, dataset: str) -> HttpResponse:
        form = ImportForm(request.POST, request.FILES)
        if not form.is_valid():
            return self.page(request, form=form, status=422)
        confirmed = request.POST.get("step") == "import"
        try:
            raw = form.cleaned_data["raw"]
            report = self._import(form.cleaned_data, dry_run=not confirmed)
        except ImportRefused as error:
            return self.page(request, form=form, report=error.report, status=422)
        except DomainError as error:
            add_refusal(form, error)
            return self.page(request, form=form, status=422)
        if confirmed:
            done = _("%(created)s items created, %(updated)s updated, %(unchanged)s unchanged, %(refused)s refused.")
            counts = {"created": report.created, "updated": report.updated, "unchanged": report.unchanged}
            messages.success(request, done % {**counts, "refused": report.refused_rows})
            return redirect("datasets:version", team=team, dataset=dataset, number=report.version.rpartition("@")[2])
        return self.page(request, form=form, report=report, text=decode(raw))

    def _import(self, data: dict[str, Any], *, dry_run: bool) -> Any:
        return dataset_import(
            actor=self.actor,
            dataset=self.dataset,
            rows=read_rows(data["raw"]),
            default_split=data["split"] or None,
            on_error=data["on_error"] or "abort",
            dry_run=dry_run,
        )
