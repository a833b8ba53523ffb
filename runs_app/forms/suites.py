"""Forms of suites: metrics and settings, one metric more."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from runs_app.wording import family_name
from scoring.errors import ScoringError
from scoring.identity import MetricIdentity
from scoring.registry import METRICS
from teams_app.models import slug_validator


class SuiteForm(forms.Form):
    """The metrics of a suite, one identity a line, and its settings."""

    metrics = forms.CharField(
        label=_("Metrics"),
        max_length=40_000,
        widget=forms.Textarea(attrs={"rows": 24, "class": "mono", "spellcheck": "false"}),
        help_text=_("One identity a line, for example retrieval.ndcg@10 gain=linear stage=reranked v1."),
    )
    settings = forms.JSONField(
        label=_("Settings"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "mono", "spellcheck": "false"}),
        help_text=_("A JSON object: eps, resamples, theta, stages, diagnosis, composite. Empty: the usual ones."),
    )

    def clean_metrics(self) -> list[str]:
        """Return the lines that hold something."""
        return [line.strip() for line in self.cleaned_data["metrics"].splitlines() if line.strip()]

    def clean_settings(self) -> dict[str, Any]:
        """Return an object; other JSON is refused."""
        value = self.cleaned_data["settings"]
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise forms.ValidationError(_("Give a JSON object."))
        return value


class NewSuiteForm(SuiteForm):
    """A suite with its first version."""

    slug = forms.CharField(label=_("Short name"), max_length=50, validators=[slug_validator])
    name = forms.CharField(label=_("Name"), max_length=200)
    field_order = ["slug", "name", "metrics", "settings"]


def metric_choices() -> list[tuple[str, Any]]:
    """Return the registered metrics by family, for a choice."""
    families: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(METRICS):
        families.setdefault(METRICS[name].family, []).append((name, name))
    return [("", _("Choose a metric")), *((family_name(family), names) for family, names in families.items())]


class AddMetricForm(forms.Form):
    """One metric more, by name and parameters."""

    name = forms.ChoiceField(label=_("Metric"), choices=metric_choices)
    stage = forms.CharField(
        label=_("Stage"), required=False, max_length=40, help_text=_("For metrics that read a ranked list.")
    )
    parameters = forms.CharField(
        label=_("Parameters"),
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false"}),
        help_text=_("As name=value with spaces between, for example k=10 gain=exp. Left out: the usual values."),
    )

    def clean_parameters(self) -> dict[str, Any]:
        """Return the parameters with their types; what is no parameter is refused."""
        text = self.cleaned_data["parameters"].strip()
        try:
            parsed = MetricIdentity.parse(f"any.metric {text}")
        except ScoringError as error:
            raise forms.ValidationError(str(error)) from error
        if parsed.version != 1 or any((parsed.stage, parsed.variant, parsed.judge)):
            raise forms.ValidationError(_("Give parameters alone, as name=value."))
        return dict(parsed.params)

    @property
    def metric(self) -> dict[str, Any]:
        """Return the metric as `services.suites` takes it."""
        given = self.cleaned_data
        stage = {"stage": given["stage"]} if given["stage"] else {}
        return {**given["parameters"], "name": given["name"], **stage}
