"""Forms of runs and systems."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from datasets_app.models import DatasetVersion
from datasets_app.states import Split, Tier
from runs_app.models import Suite, SystemVersion
from runs_app.states import RunStatus
from teams_app.models import slug_validator


class VersionChoiceField(forms.ModelChoiceField):
    def label_from_instance(self, version: Any) -> str:
        return str(version.ref)


class RunForm(forms.Form):
    """A run in push mode over a frozen version."""

    dataset = VersionChoiceField(DatasetVersion.objects.none(), label=_("Dataset version"), to_field_name="public_id")
    split = forms.ChoiceField(label=_("Split"), choices=Split.choices)
    tier = forms.ChoiceField(label=_("Tier"), choices=[("", _("All items")), *Tier.choices], required=False)
    system = VersionChoiceField(SystemVersion.objects.none(), label=_("System version"))
    suite = VersionChoiceField(
        Suite.objects.none(),
        label=_("Suite"),
        required=False,
        to_field_name="public_id",
        help_text=_("Empty: the team's default suite. The newest version is taken."),
    )
    repeats = forms.IntegerField(label=_("Repeats"), min_value=1, max_value=20, initial=1)
    purpose = forms.CharField(label=_("Purpose"), max_length=300, required=False)

    def __init__(
        self,
        *args: Any,
        versions: QuerySet[DatasetVersion],
        systems: QuerySet[SystemVersion],
        suites: QuerySet[Suite],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        for name, rows in (("dataset", versions), ("system", systems), ("suite", suites)):
            self.fields[name].queryset = rows  # type: ignore[attr-defined]


class RunFilterForm(forms.Form):
    """What the list of runs is narrowed by."""

    status = forms.ChoiceField(label=_("Status"), required=False, choices=[("", _("Any")), *RunStatus.choices])
    split = forms.ChoiceField(label=_("Split"), required=False, choices=[("", _("Any")), *Split.choices])
    system = forms.CharField(
        label=_("System"), required=False, max_length=120, widget=forms.TextInput(attrs={"list": "known-systems"})
    )
    dataset = forms.CharField(
        label=_("Dataset"), required=False, max_length=120, widget=forms.TextInput(attrs={"list": "known-datasets"})
    )


class SystemForm(forms.Form):
    """A new system."""

    slug = forms.CharField(label=_("Short name"), max_length=50, validators=[slug_validator])
    name = forms.CharField(label=_("Name"), max_length=200)
    description = forms.CharField(label=_("Description"), required=False, widget=forms.Textarea(attrs={"rows": 3}))


class SystemVersionForm(forms.Form):
    """A new version of a system."""

    label = forms.CharField(label=_("Version"), max_length=80)
    change = forms.CharField(label=_("What changed"), required=False, widget=forms.Textarea(attrs={"rows": 3}))
    git_sha = forms.CharField(label=_("Git commit"), required=False, max_length=64)
    config = forms.JSONField(
        label=_("Configuration"), required=False, help_text=_("A JSON object: models, chunk size, prompt version.")
    )

    def clean_config(self) -> dict[str, Any]:
        """Return an object; other JSON is refused."""
        value = self.cleaned_data["config"]
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise forms.ValidationError(_("Give a JSON object."))
        return value
