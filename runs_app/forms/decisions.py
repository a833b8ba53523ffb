"""Forms of comparisons and gates."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from core_app.errors import DomainError
from core_app.rest.parsers import loads
from runs_app.models import Run, System
from teams_app.models import slug_validator


class RunChoiceField(forms.ModelChoiceField):
    """A completed run, named by system, version, dataset and time."""

    def label_from_instance(self, run: Any) -> str:
        place = f"{run.dataset_version.ref} {run.split}" + (f" {run.tier}" if run.tier else "")
        return f"{run.system_version.ref} · {place} · {run.finished_at:%Y-%m-%d %H:%M} · {run.public_id}"


class CompareForm(forms.Form):
    """Two completed runs of a team."""

    baseline = RunChoiceField(Run.objects.none(), label=_("Baseline"), to_field_name="public_id")
    candidate = RunChoiceField(Run.objects.none(), label=_("Candidate"), to_field_name="public_id")

    def __init__(self, *args: Any, runs: QuerySet[Run], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("baseline", "candidate"):
            self.fields[name].queryset = runs  # type: ignore[attr-defined]


class GateForm(forms.Form):
    """A new gate."""

    slug = forms.CharField(label=_("Short name"), max_length=50, validators=[slug_validator])
    name = forms.CharField(label=_("Name"), max_length=200)
    system = forms.ModelChoiceField(
        System.objects.none(),
        label=_("System"),
        required=False,
        help_text=_("Empty: runs of any system of the team can be checked."),
    )

    def __init__(self, *args: Any, systems: QuerySet[System], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["system"].queryset = systems  # type: ignore[attr-defined]


class PolicyForm(forms.Form):
    """A draft of rules as JSON; what is wrong with them the service says."""

    rules = forms.CharField(
        label=_("Rules"),
        widget=forms.Textarea(attrs={"rows": 18, "class": "mono", "spellcheck": "false"}),
        max_length=100_000,
        help_text=_("A JSON list of rules; see the kinds below."),
    )

    def clean_rules(self) -> Any:
        """Return the JSON value; a fault names line and column."""
        try:
            return loads(self.cleaned_data["rules"])
        except DomainError as error:
            faults = [f"{fault.detail}" for fault in error.errors] or [str(error.detail)]
            raise forms.ValidationError(faults) from None


class CheckForm(forms.Form):
    """A run to check, and a baseline where it is not to be chosen."""

    run = RunChoiceField(Run.objects.none(), label=_("Run"), to_field_name="public_id")
    baseline = RunChoiceField(
        Run.objects.none(),
        label=_("Baseline"),
        to_field_name="public_id",
        required=False,
        help_text=_("Empty: the newest earlier run that passed this gate, else the first."),
    )

    def __init__(self, *args: Any, runs: QuerySet[Run], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("run", "baseline"):
            self.fields[name].queryset = runs  # type: ignore[attr-defined]


def rules_text(rules: Any) -> str:
    """Return rules as people edit them: one rule a line."""
    lines = ",\n".join("  " + json.dumps(rule, ensure_ascii=False) for rule in rules)
    return f"[\n{lines}\n]"
