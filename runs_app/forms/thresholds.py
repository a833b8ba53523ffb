"""The form that chooses a threshold on a dev run."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from runs_app.models import ThresholdBound


class ThresholdForm(forms.Form):
    """Under which limit a threshold is chosen."""

    max_risk = forms.FloatField(
        label=_("Highest risk allowed"),
        min_value=0,
        max_value=1,
        initial=0.1,
        help_text=_("The largest coverage is taken at which the share of wrong answers stays within this."),
    )
    bound = forms.ChoiceField(
        label=_("What must stay within it"), choices=ThresholdBound.choices, initial=ThresholdBound.POINT
    )
    note = forms.CharField(label=_("Note"), required=False, max_length=500)
