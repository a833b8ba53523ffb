"""Forms of the pages; what they mean is checked by the services."""

from __future__ import annotations

import contextlib
import json
from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from core_app.errors import DomainError
from core_app.rest.parsers import loads
from datasets_app.detecting import ALPHA, CORRELATION, DEFAULT_RATE, POWER, WANTED
from datasets_app.imports.native import FIELDS
from datasets_app.models import Corpus, Dataset
from datasets_app.models.exposure import MAX_DAYS, MAX_RUNS
from datasets_app.states import Level, QuestionType, Split, Tier
from scoring.stats.detectable import DEFAULT_ICC
from teams_app.models import ServiceToken, Team, User, slug_validator

#: Largest file that the page previews; larger ones go through the API.
MAX_PAGE_IMPORT = 8 * 1024 * 1024
#: Largest file whose text comes back in the form, so that refused rows can be mended there.
MAX_MENDED = 200_000
#: Item fields with a control of their own; the others are edited as JSON.
OWN_CONTROL = ("question", "reference", "split", "tiers", "types", "tags")


class DatasetForm(forms.Form):
    slug = forms.CharField(
        label=_("Short name"),
        max_length=50,
        validators=[slug_validator],
        help_text=_("Part of addresses and references."),
    )
    name = forms.CharField(label=_("Name"), max_length=200)
    language = forms.CharField(
        label=_("Main language"), max_length=16, required=False, help_text=_("Such as en or zh.")
    )
    description = forms.CharField(label=_("Description"), required=False, widget=forms.Textarea(attrs={"rows": 4}))
    corpus = forms.ModelChoiceField(
        label=_("Corpus"),
        queryset=Corpus.objects.none(),
        required=False,
        help_text=_("Where evidence points. Spans are checked against its documents."),
    )

    def __init__(self, *args: Any, team: Team, dataset: Dataset | None = None, **kwargs: Any) -> None:
        if dataset is not None:
            names = ("name", "language", "description", "corpus")
            kwargs["initial"] = {name: getattr(dataset, name) for name in names}
        super().__init__(*args, **kwargs)
        self.fields["corpus"].queryset = Corpus.objects.filter(team=team)  # type: ignore[attr-defined]
        if dataset is not None:
            del self.fields["slug"]


class ImportForm(forms.Form):
    file = forms.FileField(label=_("File"), required=False, help_text=_("JSONL or a JSON list, UTF-8, up to 8 MB."))
    body = forms.CharField(label=_("Or paste it here"), required=False, widget=forms.Textarea(attrs={"rows": 8}))
    split = forms.ChoiceField(
        label=_("Split of new items that name none"), choices=Split.choices, required=False, initial=Split.DEV
    )
    on_error = forms.ChoiceField(
        label=_("With refused rows"),
        choices=[("abort", _("Import nothing")), ("skip", _("Import the good rows"))],
        required=False,
        initial="abort",
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        file = data.get("file")
        if file is not None and file.size > MAX_PAGE_IMPORT:
            raise forms.ValidationError(_("The page takes files up to 8 MB. Send larger ones through the API."))
        data["raw"] = file.read() if file is not None else data.get("body", "").encode()
        if file is not None and file.size <= MAX_MENDED:
            self._offer_for_mending(data["raw"])
        if not data["raw"].strip():
            raise forms.ValidationError(_("Choose a file or paste some rows."))
        return data

    def _offer_for_mending(self, raw: bytes) -> None:
        """Show the file's rows in the text field; a file that is no UTF-8 is refused by the import itself."""
        with contextlib.suppress(UnicodeDecodeError):
            self.data = {**self.data.dict(), "body": raw.decode()}


class ItemForm(forms.Form):
    """A native item: the usual fields as controls, the rest as JSON."""

    question = forms.CharField(label=_("Question"), widget=forms.Textarea(attrs={"rows": 3}))
    reference = forms.CharField(label=_("Reference answer"), required=False, widget=forms.Textarea(attrs={"rows": 3}))
    split = forms.ChoiceField(label=_("Split"), choices=Split.choices)
    tiers = forms.MultipleChoiceField(
        label=_("Tiers"), choices=Tier.choices, required=False, widget=forms.CheckboxSelectMultiple
    )
    types = forms.MultipleChoiceField(
        label=_("Types"), choices=QuestionType.choices, required=False, widget=forms.CheckboxSelectMultiple
    )
    tags = forms.CharField(label=_("Tags"), required=False, help_text=_("Separated by commas."))
    rest = forms.CharField(
        label=_("Everything else"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 14, "class": "mono", "spellcheck": "false"}),
        help_text=_("Evidence, assertions, history and all other fields, as JSON."),
    )

    @classmethod
    def of(cls, native: dict[str, Any]) -> ItemForm:
        """Return the form filled with an item."""
        rest = {key: value for key, value in native.items() if key not in OWN_CONTROL and key != "external_id"}
        initial = {key: native.get(key) for key in OWN_CONTROL}
        initial["tags"] = ", ".join(native.get("tags", []))
        initial["rest"] = json.dumps(rest, ensure_ascii=False, indent=1)
        return cls(initial=initial)

    def clean_rest(self) -> dict[str, Any]:
        try:
            value = loads(self.cleaned_data["rest"] or "{}")
        except DomainError as error:
            raise forms.ValidationError(error.errors[0].detail if error.errors else str(error.detail)) from None
        if not isinstance(value, dict):
            raise forms.ValidationError(_("This must be a JSON object."))
        own = [key for key in value if key in OWN_CONTROL]
        if own:
            raise forms.ValidationError(_("These have a control of their own: %(names)s.") % {"names": ", ".join(own)})
        return value

    def native(self) -> dict[str, Any]:
        """Return the item as it is imported."""
        data = self.cleaned_data
        tags = [tag.strip() for tag in data["tags"].split(",") if tag.strip()]
        own = {"question": data["question"], "reference": data["reference"], "tags": tags}
        merged = {**data["rest"], **own, **{name: data[name] for name in ("split", "tiers", "types")}}
        return {key: merged[key] for key in (*FIELDS, *merged) if key in merged}


class NoteForm(forms.Form):
    note = forms.CharField(
        label=_("Note"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("What this version is for."),
    )


class SampleSizeForm(forms.Form):
    """What a plan rests on; ranges are checked by the selector, which says the same over REST."""

    wanted_difference = forms.FloatField(
        label=_("Difference that must be seen"), initial=WANTED, help_text=_("In the metric's own unit, such as 0.03.")
    )
    baseline_rate = forms.FloatField(
        label=_("Baseline rate"),
        required=False,
        initial=DEFAULT_RATE,
        help_text=_("Share of right answers, for a score of 0 or 1. Leave it empty where you know the spread."),
    )
    correlation = forms.FloatField(
        label=_("Correlation of the two systems"),
        required=False,
        initial=CORRELATION,
        help_text=_("Of their scores on the same item; read with the rate."),
    )
    paired_sd = forms.FloatField(
        label=_("SD of the paired difference"), required=False, help_text=_("Instead of the rate, from a pilot.")
    )
    icc = forms.FloatField(
        label=_("Intra-cluster correlation"),
        required=False,
        initial=DEFAULT_ICC,
        help_text=_("How alike items of one source document are: 0 not at all, 1 wholly."),
    )
    cluster_size = forms.FloatField(label=_("Items to a cluster"), required=False, initial=1)
    power = forms.FloatField(label=_("Power"), required=False, initial=POWER)
    alpha = forms.FloatField(label=_("Alpha (two-sided)"), required=False, initial=ALPHA)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs["step"] = "any"

    def values(self) -> dict[str, Any]:
        """Return what was filled in; the selector knows the rest."""
        return {name: value for name, value in self.cleaned_data.items() if value is not None}


class GrantForm(forms.Form):
    holder = forms.ChoiceField(label=_("For"))
    level = forms.ChoiceField(label=_("Level"), choices=Level.choices)
    days = forms.IntegerField(label=_("Days"), min_value=1, max_value=366, initial=30)
    reason = forms.CharField(label=_("Reason"), max_length=500)

    def __init__(self, *args: Any, dataset: Dataset, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = User.objects.filter(memberships__team_id=dataset.team_id, is_active=True).order_by("username")
        tokens = ServiceToken.objects.filter(
            team_id=dataset.team_id, revoked_at=None, expires_at__gt=timezone.now()
        ).order_by("name")
        self.fields["holder"].choices = [  # type: ignore[attr-defined]
            (_("People"), [(f"user:{person.username}", str(person)) for person in people]),
            (_("Service tokens"), [(f"token:{token.public_id}", token.name) for token in tokens]),
        ]

    def holder_key(self) -> tuple[str, str]:
        kind, _separator, name = self.cleaned_data["holder"].partition(":")
        return kind, name

    def expires_at(self) -> Any:
        return timezone.now() + timedelta(days=self.cleaned_data["days"])


class ExtensionForm(forms.Form):
    runs = forms.IntegerField(label=_("Further runs"), min_value=1, max_value=MAX_RUNS, initial=10)
    reason = forms.CharField(label=_("Reason"), max_length=500)


class BudgetForm(forms.Form):
    runs_per_period = forms.IntegerField(label=_("Runs per period"), min_value=1, max_value=MAX_RUNS)
    period_days = forms.IntegerField(label=_("Days of a period"), min_value=1, max_value=MAX_DAYS)
    runs_lifetime = forms.IntegerField(label=_("Runs over its life"), min_value=1, max_value=MAX_RUNS)
    rotate_on = forms.DateField(
        label=_("Rotate on"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("From this day on the team's home page reminds stewards to put fresh test items in."),
    )


class CorpusForm(forms.Form):
    slug = forms.CharField(label=_("Short name"), max_length=50, validators=[slug_validator])
    name = forms.CharField(label=_("Name"), max_length=200)


class DocumentsForm(forms.Form):
    file = forms.FileField(label=_("Documents"), help_text=_("JSONL, one document a line, UTF-8, up to 8 MB."))

    def clean_file(self) -> bytes:
        file = self.cleaned_data["file"]
        if file.size > MAX_PAGE_IMPORT:
            raise forms.ValidationError(_("The page takes files up to 8 MB. Send larger ones through the API."))
        content: bytes = file.read()
        return content


class SnapshotForm(forms.Form):
    name = forms.RegexField(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$", label=_("Name"))
    as_of = forms.DateTimeField(
        label=_("As of (UTC)"), widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    )
