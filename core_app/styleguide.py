"""A page with every component and sample values: for developers, and for the browser tests of the kit itself."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from core_app.badges import BADGES
from core_app.errors import FieldError


class SampleForm(forms.Form):
    """One field of each kind, one of them in error."""

    name = forms.CharField(label=_("Name"), help_text=_("As members of the team see it."))
    slug = forms.SlugField(label=_("Short name"))
    purpose = forms.CharField(label=_("Purpose"), required=False, widget=forms.Textarea(attrs={"rows": 2}))
    role = forms.ChoiceField(label=_("Role"), choices=[("viewer", _("Viewer")), ("editor", _("Editor"))])
    splits = forms.MultipleChoiceField(
        label=_("Splits"),
        choices=[("dev", _("Dev")), ("frozen", _("Frozen"))],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("At least one."),
    )
    notify = forms.BooleanField(label=_("Tell the owners"), required=False, help_text=_("By a line in the trail."))


def _aggregates() -> list[dict[str, Any]]:
    return [
        {
            "name": "answers.task_success v1", "value": 0.6783, "low": 0.6121, "high": 0.7442, "n_scored": 212,
            "n_total": 212, "states": {"scored": 212},
        },
        {
            "name": "retrieval.ndcg@10 gain=linear stage=rerank v1", "value": 0.8125, "low": 0.7702, "high": 0.8519,
            "n_scored": 96, "n_total": 212, "states": {"scored": 96, "no_gold": 110, "target_failed": 6},
        },
        {
            "name": "refusal.f1 v1", "value": None, "low": None, "high": None, "n_scored": 0, "n_total": 212,
            "states": {"not_applicable": 212},
        },
    ]  # fmt: skip


def _differences() -> list[dict[str, Any]]:
    rows = [
        ("answers.task_success v1", 0.061, 0.034, 0.089, "improved", 212),
        ("retrieval.ndcg@10 stage=rerank v1", -0.072, -0.113, -0.035, "regressed", 96),
        ("retrieval.recall@10 stage=retrieve v1", 0.004, -0.011, 0.019, "equivalent", 96),
        ("citations.precision v1", 0.021, -0.042, 0.083, "inconclusive", 143),
        ("refusal.f1 v1", None, None, None, "error", 0),
    ]
    return [
        {"label": name.split()[0], "title": name, "estimate": d, "low": a, "high": b, "eps": 0.03, "verdict": v, "n": n}
        for name, d, a, b, v, n in rows
    ]


@require_safe
def styleguide(request: HttpRequest) -> HttpResponse:
    """Show the kit where somebody works on it: in debug mode, and to staff."""
    if not (settings.DEBUG or request.user.is_staff):
        raise Http404
    messages.success(request, _("The version was frozen: 212 items, 148 documents."))
    messages.error(request, _("The run failed: the worker was stopped in the middle of scoring."))
    now = timezone.now()
    context = {
        "states": list(BADGES),
        "aggregates": _aggregates(),
        "differences": _differences(),
        "form": SampleForm({"name": "Nightly", "slug": "not a slug!", "role": "editor"}),
        "page_obj": Paginator(range(1, 1042), 25).page(7),
        "cursor": {"previous_cursor": "a", "next_cursor": "b", "total": 10_000},
        "trend": [0.61, 0.63, None, 0.66, 0.65, 0.69, 0.71],
        "problems": [
            FieldError("/question", "missing", _("This field is required."), 3),
            FieldError("/evidence/0/unit", "unknown", _("No document has the id d99."), 17),
        ],
        "long_id": "run_01jd8p3v7m9w2k5x4q6t8z0abc",
        "earlier": now - timedelta(hours=3),
        "empty_list": [],
    }
    return render(request, "core_app/styleguide.html", context)
