"""Forms of this app: what a person fills in; the services decide."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core_app.roles import Role
from teams_app.models import slug_validator
from teams_app.scopes import SCOPE_WORDS


class TeamForm(forms.Form):
    """A new team."""

    slug = forms.CharField(
        label=_("Short name"),
        max_length=50,
        validators=[slug_validator],
        help_text=_("Part of every address and reference; it can't be changed."),
    )
    name = forms.CharField(label=_("Name"), max_length=120)
    owner = forms.CharField(
        label=_("First owner"), max_length=254, required=False, help_text=_("User name or e-mail address.")
    )


class TeamSettingsForm(forms.Form):
    """What an owner may change."""

    name = forms.CharField(label=_("Name"), max_length=120)
    four_eyes = forms.BooleanField(
        label=_("Four eyes"),
        required=False,
        help_text=_("Freezing a version needs the approval of a second steward."),
    )


class MemberAddForm(forms.Form):
    """Take in somebody who has an account."""

    person = forms.CharField(
        label=_("Person"),
        max_length=254,
        help_text=_("User name or e-mail address of an account that exists."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.VIEWER)


class MemberInviteForm(forms.Form):
    """Create an account in the team."""

    username = forms.CharField(label=_("User name"), max_length=150, help_text=_("What the person signs in with."))
    email = forms.EmailField(label=_("E-mail"), max_length=254)
    name = forms.CharField(label=_("Name"), max_length=120, required=False)
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices, initial=Role.VIEWER)


class RoleForm(forms.Form):
    role = forms.ChoiceField(label=_("Role"), choices=Role.choices)


class TokenForm(forms.Form):
    """A new service token; the scopes are those that the maker may give out."""

    name = forms.CharField(
        label=_("Name"), max_length=80, help_text=_("What uses it, for example “release pipeline”."), strip=True
    )
    scopes = forms.MultipleChoiceField(
        label=_("Scopes"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Give what the pipeline needs and no more."),
    )
    days = forms.IntegerField(
        label=_("Expires after days"), min_value=1, max_value=365, initial=90, help_text=_("At most 365.")
    )

    def __init__(self, *args: Any, scopes: list[str], **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["scopes"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(scope, f"{scope} – {SCOPE_WORDS[scope]}") for scope in scopes]

    def expires_at(self) -> datetime:
        return timezone.now() + timedelta(days=self.cleaned_data["days"])


class ProfileForm(forms.Form):
    """What people change about themselves."""

    name = forms.CharField(label=_("Name"), max_length=120, required=False)
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("As the browser asks")), *settings.LANGUAGES],
    )


class AuditFilterForm(forms.Form):
    """The filters of the audit trail."""

    action = forms.CharField(label=_("Action begins with"), required=False, max_length=80)
    actor = forms.CharField(label=_("Actor"), required=False, max_length=200)
    object = forms.CharField(label=_("Object"), required=False, max_length=300)
    since = forms.CharField(
        label=_("Since"), required=False, max_length=40, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.CharField(
        label=_("Until"), required=False, max_length=40, widget=forms.DateInput(attrs={"type": "date"})
    )
