"""Pages: gates, their policies and verdicts."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from core_app.errors import DomainError
from core_app.pages import add_refusal
from runs_app.forms.decisions import CheckForm, GateForm, PolicyForm, rules_text
from runs_app.gating.defaults import default_rules
from runs_app.models import Gate
from runs_app.policies import RunAction, policy
from runs_app.selectors.comparisons import completed_runs
from runs_app.selectors.gates import (
    check_by_id,
    check_view,
    checks_of,
    gate_by_ref,
    gates_visible,
    policy_view,
    rule_kinds,
    suite_metrics,
)
from runs_app.selectors.systems import systems_visible
from runs_app.services.gates import gate_check, gate_create, gate_policy_activate, gate_policy_draft
from runs_app.views.decision_pages import DecisionPage


class GatesPage(DecisionPage):
    """The list of gates with their newest verdicts."""

    action = RunAction.GATE_VIEW
    template_name = "runs_app/gate_list.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        page = Paginator(gates_visible(self.actor, self.team), 50).get_page(request.GET.get("page"))
        return self.page(request, gates=page)


class GateCreatePage(DecisionPage):
    """A new gate, which begins with the template as its draft."""

    action = RunAction.GATE_DRAFT
    template_name = "runs_app/gate_form.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        return self.page(request, form=self._form())

    def post(self, request: HttpRequest, team: str) -> HttpResponse:
        form = self._form(request.POST)
        if form.is_valid():
            rules = default_rules(suite_metrics(self.team))
            try:
                gate = gate_create(actor=self.actor, team=self.team, rules=rules, **form.cleaned_data)
            except DomainError as error:
                add_refusal(form, error)
            else:
                messages.success(request, _("The gate is there, with a first draft of rules to look through."))
                return redirect("runs:gate", team=team, gate=gate.slug)
        return self.page(request, status=422, form=form)

    def _form(self, data: Any = None) -> GateForm:
        return GateForm(data, systems=systems_visible(self.actor, self.team.slug))


class GatePageBase(DecisionPage):
    """A page of one gate."""

    def found(self, slug: str) -> Gate:
        return gate_by_ref(self.actor, f"{self.team.slug}/{slug}")


class GatePage(GatePageBase):
    """The gate: its policies as sentences, the history of verdicts, the form that checks a run."""

    action = RunAction.GATE_VIEW
    template_name = "runs_app/gate_detail.html"

    def get(self, request: HttpRequest, team: str, gate: str) -> HttpResponse:
        found = self.found(gate)
        policies = [policy_view(row) for row in found.policies.all()]
        checks = Paginator(checks_of(found), 25).get_page(request.GET.get("page"))
        may_check = policy.can(self.actor, RunAction.GATE_CHECK, found)
        return self.page(
            request,
            gate=found,
            active=next((row for row in policies if row["status"] == "active"), None),
            drafts=[row for row in policies if row["status"] == "draft"],
            earlier=[row for row in policies if row["status"] == "superseded"],
            checks=checks,
            check_form=CheckForm(runs=completed_runs(self.actor, self.team)) if may_check else None,
        )


class PolicyDraftPage(GatePageBase):
    """A new draft of the gate's rules; begins from the active policy, else from the template."""

    action = RunAction.GATE_DRAFT
    template_name = "runs_app/gate_policy_form.html"

    def get(self, request: HttpRequest, team: str, gate: str) -> HttpResponse:
        found = self.found(gate)
        newest = None if request.GET.get("from") == "template" else found.policies.first()
        rules = newest.rules if newest else default_rules(suite_metrics(self.team))
        return self._page(request, found, PolicyForm(initial={"rules": rules_text(rules)}))

    def post(self, request: HttpRequest, team: str, gate: str) -> HttpResponse:
        found = self.found(gate)
        form = PolicyForm(request.POST)
        errors: tuple[Any, ...] = ()
        if form.is_valid():
            try:
                draft = gate_policy_draft(actor=self.actor, gate=found, rules=form.cleaned_data["rules"])
            except DomainError as error:
                add_refusal(form, type(error)(error.detail))
                errors = error.errors
            else:
                messages.success(
                    request, _("Draft %(version)s is there. A steward makes it active.") % {"version": draft.version}
                )
                return redirect("runs:gate", team=team, gate=gate)
        return self._page(request, found, form, errors=errors, status=422)

    def _page(self, request: HttpRequest, gate: Gate, form: PolicyForm, status: int = 200, **more: Any) -> HttpResponse:
        return self.page(request, status=status, gate=gate, form=form, kinds=rule_kinds(), **more)


class PolicyActivateView(GatePageBase):
    """Make a draft active."""

    action = RunAction.GATE_ACTIVATE

    def post(self, request: HttpRequest, team: str, gate: str, version: int) -> HttpResponse:
        gate_policy_activate(actor=self.actor, gate=self.found(gate), version=version)
        messages.success(request, _("Policy %(version)s is active.") % {"version": version})
        return redirect("runs:gate", team=team, gate=gate)


class GateCheckCreateView(GatePageBase):
    """Check a run."""

    action = RunAction.GATE_CHECK

    def post(self, request: HttpRequest, team: str, gate: str) -> HttpResponse:
        found = self.found(gate)
        form = CheckForm(request.POST, runs=completed_runs(self.actor, self.team))
        if not form.is_valid():
            messages.error(request, _("Choose a completed run of this team."))
            return redirect("runs:gate", team=team, gate=gate)
        try:
            check = gate_check(actor=self.actor, gate=found, **form.cleaned_data)
        except DomainError as error:
            messages.error(request, str(error.detail))
            return redirect("runs:gate", team=team, gate=gate)
        return redirect("runs:gate-check", team=team, gate=gate, check=check.public_id)


class GateCheckPage(GatePageBase):
    """One verdict with each rule's figures."""

    action = RunAction.GATE_VIEW
    template_name = "runs_app/gate_check.html"

    def get(self, request: HttpRequest, team: str, gate: str, check: str) -> HttpResponse:
        found = self.found(gate)
        row = check_by_id(self.actor, found, check)
        return self.page(request, gate=found, check=row, view=check_view(self.actor, row))
