"""The team's audit trail: filters, export, the state of its chain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from core_app.canonical import canonical_json
from core_app.csv import csv_response
from core_app.errors import Invalid
from core_app.models import AuditEvent
from core_app.pages import add_refusal
from core_app.queue import enqueue
from core_app.selectors import audit_chain_state, audit_events_filter, audit_seals_of
from core_app.tasks import audit_check
from teams_app.forms import AuditFilterForm
from teams_app.policies import TeamAction
from teams_app.views.base import TeamPageView

_PAGE = 50
_COLUMNS = (
    *("id", "time", "actor kind", "actor id", "actor", "action", "object type", "object id", "object"),
    *("before", "after", "request id", "address"),
)


def _rows(events: QuerySet[AuditEvent]) -> Iterator[list[Any]]:
    for event in events.iterator(chunk_size=1000):
        before, after = (None if value is None else canonical_json(value) for value in (event.before, event.after))
        actor = (event.actor_kind, event.actor_id, event.actor_label)
        thing = (event.object_type, event.object_id, event.object_label)
        yield [
            event.pk,
            event.at.isoformat(),
            *actor,
            event.action,
            *thing,
            before,
            after,
            event.request_id,
            event.address,
        ]


class AuditView(TeamPageView):
    """The newest first; `?cursor=` goes on below an event."""

    action = TeamAction.AUDIT_VIEW
    template_name = "teams_app/audit.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        form = AuditFilterForm(request.GET)
        events = AuditEvent.objects.filter(team_id=self.team.pk)
        status = 200
        if form.is_valid():
            try:
                events = audit_events_filter(events, form.cleaned_data)
            except Invalid as error:
                add_refusal(form, error)
                status = 422
        cursor = request.GET.get("cursor", "")
        if cursor.isdigit() and len(cursor) < 19:
            events = events.filter(pk__lt=int(cursor))
        rows = list(events[: _PAGE + 1])
        paging = {"next_cursor": rows[_PAGE - 1].pk if len(rows) > _PAGE else None, "previous_cursor": None}
        seals = audit_seals_of(rows[:_PAGE])
        shown = [(event, seals.get(event.pk)) for event in rows[:_PAGE]]
        return self.page(
            request, status, form=form, rows=shown, paging=paging, cursor=cursor, chain=audit_chain_state()
        )


class AuditExportView(TeamPageView):
    """Everything that the filters let through, as CSV."""

    action = TeamAction.AUDIT_EXPORT

    def get(self, request: HttpRequest, team: str) -> HttpResponseBase:
        events = audit_events_filter(AuditEvent.objects.filter(team_id=self.team.pk), request.GET)
        return csv_response(f"audit-{self.team.slug}.csv", _COLUMNS, _rows(events.order_by("pk")))


class AuditCheckView(TeamPageView):
    """Walk the chain now; the finding appears on the page."""

    action = TeamAction.AUDIT_VIEW

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        target = self.team
        enqueue(audit_check)
        messages.info(request, _("The chain is being checked. Load the page again in a moment."))
        return redirect("teams:audit", team=target.slug)
