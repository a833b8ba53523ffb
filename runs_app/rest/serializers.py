"""Bodies that this app's calls take."""

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core_app.rest.fields import StrictSerializer
from runs_app.states import RunMode


@extend_schema_field({"oneOf": [{"type": "string"}, {"type": "object"}]})
class SystemRefField(serializers.Field):
    """`"support/assistant@v1.4"`, or an object with `ref`, `version`, `change`, `git_sha`, `config`."""

    _KNOWN = frozenset({"ref", "version", "name", "change", "git_sha", "config"})
    default_error_messages = {
        "invalid": "Give a reference, or an object with ref and version.",
        "unknown_field": "This field is not known here.",
    }

    def to_internal_value(self, data: object) -> object:
        if isinstance(data, str) and data:
            return data
        if not isinstance(data, dict):
            self.fail("invalid")
        errors = {}
        for key, value in data.items():
            if key not in self._KNOWN:
                errors[key] = [serializers.ErrorDetail(self.error_messages["unknown_field"], "unknown_field")]
            elif value is not None and not isinstance(value, dict if key == "config" else str):
                errors[key] = [
                    serializers.ErrorDetail("Give an object." if key == "config" else "Give a text.", "type")
                ]
        if errors:
            raise serializers.ValidationError(errors)
        return {key: value for key, value in data.items() if value is not None}

    def to_representation(self, value: object) -> object:
        return value


class RunStartSerializer(StrictSerializer):
    dataset = serializers.CharField(help_text="Dataset version: support/kb-qa@3, @latest, or an id.")
    split = serializers.CharField(default="dev")
    tier = serializers.CharField(default="", allow_blank=True, allow_null=True)
    suite = serializers.CharField(default="", allow_blank=True, help_text="Default: the team's default suite.")
    system = SystemRefField()
    snapshot = serializers.CharField(default="", allow_blank=True, allow_null=True)
    mode = serializers.ChoiceField(choices=RunMode.choices, default=RunMode.PUSH)
    repeats = serializers.IntegerField(default=1, min_value=1)
    judge_repeats = serializers.IntegerField(default=1, min_value=1)
    purpose = serializers.CharField(default="", allow_blank=True, max_length=300)


class CancelSerializer(StrictSerializer):
    reason = serializers.CharField(default="", allow_blank=True, max_length=500)


class SystemSerializer(StrictSerializer):
    team = serializers.CharField()
    slug = serializers.CharField(max_length=50)
    name = serializers.CharField(default="", allow_blank=True, max_length=200)
    description = serializers.CharField(default="", allow_blank=True, max_length=10_000)


class SystemVersionSerializer(StrictSerializer):
    label = serializers.CharField(max_length=80)
    change = serializers.CharField(default="", allow_blank=True, max_length=10_000)
    git_sha = serializers.CharField(default="", allow_blank=True, max_length=64)
    config = serializers.DictField(required=False)


class SuiteSerializer(StrictSerializer):
    team = serializers.CharField()
    slug = serializers.CharField(max_length=50)
    name = serializers.CharField(default="", allow_blank=True, max_length=200)
    metrics = serializers.ListField(child=serializers.JSONField())
    settings = serializers.DictField(required=False)


class SuiteVersionSerializer(StrictSerializer):
    metrics = serializers.ListField(child=serializers.JSONField())
    settings = serializers.DictField(required=False)
