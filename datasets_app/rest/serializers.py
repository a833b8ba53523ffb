"""What the calls take and give."""

from __future__ import annotations

from rest_framework import serializers

from core_app.rest.fields import StrictSerializer
from datasets_app.detecting import ALPHA, CORRELATION, POWER
from datasets_app.health import Severity
from datasets_app.states import ExposureState, ExposureUse, Level, Split, VersionStatus


class DatasetIn(StrictSerializer):
    team = serializers.CharField(help_text="Short name of the team.")
    slug = serializers.CharField(max_length=50)
    name = serializers.CharField(max_length=200)
    language = serializers.CharField(max_length=16, required=False, allow_blank=True, default="")
    description = serializers.CharField(max_length=20_000, required=False, allow_blank=True, default="")
    corpus = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Id or team/slug of the corpus that evidence points into.",
    )


class DatasetOut(serializers.Serializer):
    id = serializers.CharField()
    ref = serializers.CharField()
    team = serializers.CharField()
    slug = serializers.CharField()
    name = serializers.CharField()
    language = serializers.CharField()
    description = serializers.CharField()
    corpus = serializers.CharField(allow_null=True)
    disclosure_limit = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class CountsOut(serializers.Serializer):
    items = serializers.IntegerField()
    type = serializers.DictField(child=serializers.IntegerField())
    tier = serializers.DictField(child=serializers.IntegerField())
    language = serializers.DictField(child=serializers.IntegerField())
    source = serializers.DictField(child=serializers.IntegerField())
    tag = serializers.DictField(child=serializers.IntegerField())
    answerable = serializers.DictField(child=serializers.IntegerField())


class CheckOut(serializers.Serializer):
    code = serializers.CharField()
    severity = serializers.ChoiceField(choices=[item.value for item in Severity])
    title = serializers.CharField()
    message = serializers.CharField()
    mend = serializers.CharField()
    count = serializers.IntegerField()
    external_ids = serializers.ListField(child=serializers.CharField(), help_text="Up to 50, readable ones only.")


class VersionBriefOut(serializers.Serializer):
    id = serializers.CharField()
    ref = serializers.CharField()
    dataset = serializers.CharField()
    number = serializers.IntegerField()
    status = serializers.ChoiceField(choices=VersionStatus.choices)
    note = serializers.CharField()
    content_sha256 = serializers.CharField(help_text="Empty until frozen; docs/versions.md says how it is computed.")
    frozen_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    frozen_at = serializers.DateTimeField(allow_null=True)
    retired_at = serializers.DateTimeField(allow_null=True)


class VersionOut(VersionBriefOut):
    parent = serializers.IntegerField(allow_null=True)
    counts = serializers.DictField(child=CountsOut())
    groupings = serializers.ListField(child=serializers.CharField())
    health = CheckOut(many=True)
    exposure = serializers.DictField(child=serializers.ChoiceField(choices=ExposureState.choices))


class NoteIn(StrictSerializer):
    note = serializers.CharField(max_length=5000, required=False, allow_blank=True, default="")


class ReasonIn(StrictSerializer):
    reason = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class RowErrorOut(serializers.Serializer):
    line = serializers.IntegerField(help_text="Line of NDJSON, position from 1 in a list.")
    external_id = serializers.CharField()
    pointer = serializers.CharField(help_text="JSON pointer inside the row.")
    code = serializers.CharField()
    detail = serializers.CharField()


class ItemChangeOut(serializers.Serializer):
    line = serializers.IntegerField()
    external_id = serializers.CharField()
    fields = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]


class ImportReportOut(serializers.Serializer):
    dry_run = serializers.BooleanField()
    version = serializers.CharField()
    accepted = serializers.IntegerField()
    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    refused_rows = serializers.IntegerField()
    refused = RowErrorOut(many=True, help_text="The first 1000.")
    changes = ItemChangeOut(many=True, help_text="The first 1000.")
    by_split = serializers.DictField(child=serializers.IntegerField())
    by_type = serializers.DictField(child=serializers.IntegerField())


class NativeItemOut(serializers.Serializer):
    """The native item of docs/datasets.md; fields without a value are left out."""

    external_id = serializers.CharField()
    question = serializers.CharField()
    split = serializers.ChoiceField(choices=Split.choices)
    tiers = serializers.ListField(child=serializers.CharField())
    types = serializers.ListField(child=serializers.CharField(), required=False)
    language = serializers.CharField(required=False)
    answerable = serializers.BooleanField()
    reference = serializers.CharField(required=False)
    evidence = serializers.JSONField(required=False)
    relevance = serializers.DictField(child=serializers.IntegerField(), required=False)
    assertions = serializers.JSONField(required=False)
    metadata = serializers.JSONField(required=False)
    item_id = serializers.CharField(help_text="The item's opaque id.")
    sha256 = serializers.CharField(help_text="The revision's hash.")
    nonce = serializers.CharField(help_text="Taken into the hash, so that short answers can't be guessed from it.")


class QuestionOut(serializers.Serializer):
    item_id = serializers.CharField(help_text="Push the answer under this id.")
    question = serializers.CharField()
    history = serializers.ListField(child=serializers.DictField(child=serializers.CharField()))
    context = serializers.ListField(child=serializers.CharField())
    language = serializers.CharField(allow_null=True)
    query_time = serializers.DateTimeField(allow_null=True)
    audience = serializers.ListField(child=serializers.CharField())


class DifferenceOut(serializers.Serializer):
    change = serializers.ChoiceField(choices=["added", "removed", "changed"])
    item_id = serializers.CharField()
    external_id = serializers.CharField(help_text="Empty where you may not read the item.")
    before_sha256 = serializers.CharField()
    after_sha256 = serializers.CharField()
    fields = serializers.ListField(child=serializers.CharField())  # type: ignore[assignment]


class DiffOut(serializers.Serializer):
    old = serializers.CharField()
    new = serializers.CharField()
    added = serializers.IntegerField()
    removed = serializers.IntegerField()
    changed = serializers.IntegerField()
    rows = DifferenceOut(many=True, help_text="The first 1000.")


class AssumptionsOut(serializers.Serializer):
    baseline_rate = serializers.FloatField()
    icc = serializers.FloatField(help_text="Intra-cluster correlation.")
    correlation = serializers.FloatField(help_text="Of two systems' scores on the same item; always assumed.")
    power = serializers.FloatField()
    alpha = serializers.FloatField()
    wanted_difference = serializers.FloatField(help_text="What `needed` is for.")
    pilot = serializers.CharField(allow_null=True, help_text="The run that rate and icc come from; null: assumed.")


class DetectableRowOut(serializers.Serializer):
    type = serializers.CharField(allow_null=True, help_text="Null: all items.")
    label = serializers.CharField()  # type: ignore[assignment]
    hidden = serializers.BooleanField(help_text="Under the disclosure limit of a frozen split.")
    n = serializers.IntegerField(allow_null=True)
    n_clusters = serializers.IntegerField(allow_null=True)
    cluster_size = serializers.FloatField(allow_null=True, help_text="Sum of the squared sizes, divided by n.")
    design_effect = serializers.FloatField(allow_null=True)
    sd = serializers.FloatField(allow_null=True, help_text="Of the paired difference of one item.")
    icc = serializers.FloatField(allow_null=True)
    smallest = serializers.FloatField(allow_null=True, help_text="The smallest difference that is detected.")
    needed = serializers.IntegerField(allow_null=True, help_text="Items that the wanted difference needs.")


class DetectableSplitOut(serializers.Serializer):
    split = serializers.ChoiceField(choices=Split.choices)
    assumptions = AssumptionsOut()
    rows = DetectableRowOut(many=True)


class DetectableOut(serializers.Serializer):
    version = serializers.CharField()
    splits = DetectableSplitOut(many=True)


class SampleSizeIn(StrictSerializer):
    """Either `baseline_rate` (of a score that is 0 or 1) or `paired_sd`, as a pilot shows it."""

    wanted_difference = serializers.FloatField(help_text="Above 0, below 2.")
    power = serializers.FloatField(default=POWER)
    alpha = serializers.FloatField(default=ALPHA, help_text="Two-sided.")
    baseline_rate = serializers.FloatField(required=False, allow_null=True, default=None)
    paired_sd = serializers.FloatField(required=False, allow_null=True, default=None)
    correlation = serializers.FloatField(
        default=CORRELATION, help_text="Of two systems' scores on the same item; read with baseline_rate."
    )
    icc = serializers.FloatField(default=0.0, help_text="Intra-cluster correlation, from 0 to 1.")
    cluster_size = serializers.FloatField(default=1.0, help_text="Items to a cluster, at least 1.")


class SampleSizeInputsOut(serializers.Serializer):
    wanted_difference = serializers.FloatField()
    power = serializers.FloatField()
    alpha = serializers.FloatField()
    baseline_rate = serializers.FloatField(allow_null=True)
    paired_sd = serializers.FloatField(allow_null=True)
    correlation = serializers.FloatField(allow_null=True)
    icc = serializers.FloatField()
    cluster_size = serializers.FloatField()


class NeighbourOut(serializers.Serializer):
    difference = serializers.FloatField()
    items = serializers.IntegerField()


class SampleSizeOut(serializers.Serializer):
    items = serializers.IntegerField()
    clusters = serializers.IntegerField()
    design_effect = serializers.FloatField()
    paired_sd = serializers.FloatField()
    formula = serializers.CharField()
    sd_formula = serializers.CharField(allow_null=True)
    sources = serializers.ListField(child=serializers.CharField())
    inputs = SampleSizeInputsOut()
    neighbours = NeighbourOut(many=True)


class GrantIn(StrictSerializer):
    user = serializers.CharField(required=False, help_text="User name of a member of the team.")
    token = serializers.CharField(required=False, help_text="Id of a service token of the team.")
    holder_team = serializers.CharField(required=False, help_text="Short name of a team.")
    level = serializers.ChoiceField(choices=Level.choices)
    reason = serializers.CharField(max_length=500)
    expires_at = serializers.DateTimeField()


class GrantOut(serializers.Serializer):
    id = serializers.CharField()
    holder_kind = serializers.ChoiceField(choices=["user", "token", "team"])
    holder = serializers.CharField()
    level = serializers.ChoiceField(choices=Level.choices)
    reason = serializers.CharField()
    granted_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField()
    revoked_at = serializers.DateTimeField(allow_null=True)


class ExposureOut(serializers.Serializer):
    use = serializers.ChoiceField(choices=ExposureUse.choices)
    split = serializers.ChoiceField(choices=Split.choices)
    by = serializers.CharField()
    system = serializers.CharField()
    run = serializers.CharField()
    items = serializers.IntegerField()
    reason = serializers.CharField()
    at = serializers.DateTimeField()


class BudgetIn(StrictSerializer):
    runs_per_period = serializers.IntegerField()
    period_days = serializers.IntegerField()
    runs_lifetime = serializers.IntegerField()
    rotate_on = serializers.DateField(required=False, allow_null=True, default=None)


class BudgetOut(serializers.Serializer):
    state = serializers.ChoiceField(choices=ExposureState.choices)
    runs_per_period = serializers.IntegerField()
    period_days = serializers.IntegerField()
    runs_lifetime = serializers.IntegerField()
    extended = serializers.IntegerField(help_text="Runs that stewards added.")
    period_used = serializers.IntegerField()
    period_allowed = serializers.IntegerField()
    life_used = serializers.IntegerField()
    life_allowed = serializers.IntegerField()
    left = serializers.IntegerField(help_text="Runs that can be started now.")
    rotate_on = serializers.DateField(allow_null=True)
    next_run_at = serializers.DateTimeField(allow_null=True)


class ExtensionIn(StrictSerializer):
    runs = serializers.IntegerField()
    reason = serializers.CharField(max_length=500)


class ExtensionOut(serializers.Serializer):
    runs = serializers.IntegerField()
    reason = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()


class CorpusIn(StrictSerializer):
    team = serializers.CharField()
    slug = serializers.CharField(max_length=50)
    name = serializers.CharField(max_length=200)


class CorpusOut(serializers.Serializer):
    id = serializers.CharField()
    ref = serializers.CharField()
    team = serializers.CharField()
    slug = serializers.CharField()
    name = serializers.CharField()
    documents = serializers.IntegerField()
    snapshots = serializers.IntegerField()
    created_at = serializers.DateTimeField()


class DocumentVersionOut(serializers.Serializer):
    version_id = serializers.CharField()
    length = serializers.IntegerField()
    text_sha256 = serializers.CharField()
    valid_from = serializers.DateTimeField(allow_null=True)
    valid_to = serializers.DateTimeField(allow_null=True)
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    text = serializers.CharField(required=False, help_text="With ?text=true.")


class DocumentOut(serializers.Serializer):
    doc_id = serializers.CharField()
    title = serializers.CharField()
    language = serializers.CharField()
    audience = serializers.ListField(child=serializers.CharField())
    versions = DocumentVersionOut(many=True)


class DocumentReportOut(serializers.Serializer):
    dry_run = serializers.BooleanField()
    documents_created = serializers.IntegerField()
    documents_updated = serializers.IntegerField()
    versions_created = serializers.IntegerField()
    versions_updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    refused = RowErrorOut(many=True)


class SnapshotIn(StrictSerializer):
    name = serializers.RegexField(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$")
    as_of = serializers.DateTimeField()


class SnapshotOut(serializers.Serializer):
    ref = serializers.CharField()
    name = serializers.CharField()
    as_of = serializers.DateTimeField()
    content_sha256 = serializers.CharField()
    created_at = serializers.DateTimeField()
