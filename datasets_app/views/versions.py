"""One version: its state and checks, freezing, differences, export."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from core_app.errors import DomainError, NotFound
from core_app.pages import add_refusal
from core_app.rest.streaming import ndjson_stream
from datasets_app import services
from datasets_app.forms import NoteForm
from datasets_app.models import DatasetVersion
from datasets_app.policies import DatasetAction
from datasets_app.selectors import (
    coverage_grid,
    detectable_of,
    exposure_state,
    native_item,
    readable_split,
    version_by_ref,
    version_checks,
    version_counts,
    version_diff,
)
from datasets_app.states import Split
from datasets_app.views.base import VersionView


class DetailView(VersionView):
    template_name = "datasets_app/version.html"

    def get(self, request: HttpRequest, team: str, dataset: str, number: int) -> HttpResponse:
        counts = version_counts(self.version)
        return self.page(
            request,
            counts=counts,
            grid=coverage_grid(counts),
            checks=version_checks(self.actor, self.version),
            exposure=exposure_state(self.version, Split.FROZEN),
            detectable=detectable_of(self.actor, self.version),
        )


class FreezeView(VersionView):
    """The checklist with the form that freezes (or, where four eyes are asked for, hands over to a second steward)."""

    action = DatasetAction.FREEZE
    template_name = "datasets_app/freeze.html"

    def get(self, request: HttpRequest, team: str, dataset: str, number: int) -> HttpResponse:
        return self._page(request, NoteForm(initial={"note": self.version.note}))

    def post(self, request: HttpRequest, team: str, dataset: str, number: int) -> HttpResponse:
        form = NoteForm(request.POST)
        if form.is_valid():
            try:
                version = services.version_freeze(actor=self.actor, version=self.version, **form.cleaned_data)
            except DomainError as error:
                add_refusal(form, error)
            else:
                frozen = _("The version is frozen.")
                waits = _("The version waits for the approval of a second steward.")
                messages.success(request, waits if version.is_open else frozen)
                return redirect("datasets:version", team=team, dataset=dataset, number=number)
        return self._page(request, form, status=422)

    def _page(self, request: HttpRequest, form: NoteForm, **more: Any) -> HttpResponse:
        counts = version_counts(self.version)
        checks = version_checks(self.actor, self.version)
        return self.page(request, form=form, counts=counts, checks=checks, **more)


class MoveView(VersionView):
    """A button that moves the version's status; subclasses name the service and what to say."""

    done: Any = ""

    def move(self) -> DatasetVersion:
        """Call the service."""
        raise TypeError("each button names its service")

    def post(self, request: HttpRequest, team: str, dataset: str, number: int) -> HttpResponse:
        try:
            self.move()
        except DomainError as error:
            for text in (error.detail, *(fault.detail for fault in error.errors)):
                messages.error(request, str(text))
        else:
            messages.success(request, self.done)
        return redirect("datasets:version", team=team, dataset=dataset, number=number)


class SubmitView(MoveView):
    action = DatasetAction.EDIT
    done = _lazy("Handed in for review.")

    def move(self) -> DatasetVersion:
        return services.version_submit(actor=self.actor, version=self.version)


class ReopenView(MoveView):
    action = DatasetAction.EDIT
    done = _lazy("The version can be edited again.")

    def move(self) -> DatasetVersion:
        return services.version_reopen(actor=self.actor, version=self.version)


class ApproveView(MoveView):
    action = DatasetAction.FREEZE
    done = _lazy("Approved: the version is frozen.")

    def move(self) -> DatasetVersion:
        return services.version_approve(actor=self.actor, version=self.version)


class RetireView(MoveView):
    action = DatasetAction.RETIRE
    done = _lazy("The version is retired.")

    def move(self) -> DatasetVersion:
        return services.version_retire(actor=self.actor, version=self.version)


class DiffView(VersionView):
    """What differs from an earlier version (`?from=`, else the one that this version was begun from)."""

    template_name = "datasets_app/diff.html"

    def get(self, request: HttpRequest, team: str, dataset: str, number: int) -> HttpResponse:
        wanted = request.GET.get("from", "")
        if wanted.isdecimal() and len(wanted) < 9:
            old = version_by_ref(self.actor, f"{self.dataset.ref}@{int(wanted)}")
        elif self.version.parent is not None:
            old = version_by_ref(self.actor, self.version.parent.public_id)
        else:
            raise NotFound(_("There is no earlier version to compare with."))
        rows = version_diff(self.actor, old, self.version)
        counts = {name: sum(row.change == name for row in rows) for name in ("added", "removed", "changed")}
        return self.page(request, old=old, rows=rows[:500], total=len(rows), counts=counts)


class ExportView(VersionView):
    def get(self, request: HttpRequest, team: str, dataset: str, number: int) -> HttpResponseBase:
        split = request.GET.get("split", Split.DEV.value)
        entries = readable_split(self.actor, self.version, split, {})
        services.export_record(actor=self.actor, version=self.version, split=split, items=entries.count())
        rows = ({**native_item(row), "nonce": row.revision.nonce} for row in entries.iterator(chunk_size=500))
        response = ndjson_stream(rows)
        response["Content-Disposition"] = f'attachment; filename="{team}-{dataset}-{number}-{split}.jsonl"'
        return response
