"""The sample-size planner's page."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from core_app.errors import Invalid
from core_app.pages import add_refusal
from datasets_app.forms import SampleSizeForm
from datasets_app.selectors import sample_size
from datasets_app.views.base import TeamView


class SampleSizeView(TeamView):
    """How many items a wanted difference needs; the question stands in the address, so that a plan can be passed on."""

    template_name = "datasets_app/sample_size.html"

    def get(self, request: HttpRequest, team: str) -> HttpResponse:
        asked = "wanted_difference" in request.GET
        form = SampleSizeForm(request.GET) if asked else SampleSizeForm(initial=self._start(request))
        plan: dict[str, Any] | None = None
        if asked and form.is_valid():
            try:
                plan = sample_size(**form.values())
            except Invalid as error:
                add_refusal(form, error)
        return self.page(request, status=422 if asked and plan is None else 200, form=form, plan=plan)

    @staticmethod
    def _start(request: HttpRequest) -> dict[str, Any]:
        """Return the form's first values: its own, with those that a version's page hands over."""
        fields = SampleSizeForm.base_fields
        start = {name: field.initial for name, field in fields.items()}
        return {**start, **{name: value for name, value in request.GET.items() if name in fields}}
