"""Runs, systems and suites in the admin: searchable, and nothing of it can be changed here.

Outputs and scores of a frozen split are not listed: the admin shows no item to anybody without `read`.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from datasets_app.states import Split
from runs_app.models import (
    Aggregate,
    AnswerThreshold,
    MetricRecord,
    Output,
    Run,
    RunEvent,
    Score,
    ScoreBatch,
    Suite,
    SuiteVersion,
    System,
    SystemVersion,
)


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows are made and changed by services, which check, log and enter in the audit trail."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(System)
class SystemAdmin(ReadOnlyAdmin):
    list_display = ("slug", "name", "team", "created_at")
    list_filter = ("team",)
    list_select_related = ("team",)
    search_fields = ("slug", "name", "public_id")


@admin.register(SystemVersion)
class SystemVersionAdmin(ReadOnlyAdmin):
    list_display = ("label", "system", "git_sha", "created_at")
    list_select_related = ("system",)
    search_fields = ("label", "system__slug", "git_sha")


@admin.register(Suite)
class SuiteAdmin(ReadOnlyAdmin):
    list_display = ("slug", "name", "team", "created_at")
    list_filter = ("team",)
    list_select_related = ("team",)
    search_fields = ("slug", "name", "public_id")


@admin.register(SuiteVersion)
class SuiteVersionAdmin(ReadOnlyAdmin):
    list_display = ("suite", "number", "created_by_label", "created_at")
    list_select_related = ("suite",)
    search_fields = ("suite__slug",)


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "team", "status", "system_version", "dataset_version", "split", "tier", "created_at")
    list_filter = ("status", "split", "team")
    #: From the hash of few scores, each of them could be found by trying.
    exclude = ("scores_sha256",)
    list_select_related = ("team", "system_version__system", "dataset_version__dataset")
    search_fields = ("public_id", "purpose", "system_version__system__slug", "system_version__label")
    date_hierarchy = "created_at"


@admin.register(RunEvent)
class RunEventAdmin(ReadOnlyAdmin):
    list_display = ("run", "status", "message", "actor_label", "at")
    list_select_related = ("run__system_version__system",)
    search_fields = ("run__public_id",)


@admin.register(ScoreBatch)
class ScoreBatchAdmin(ReadOnlyAdmin):
    list_display = ("run_id", "index", "status", "worker", "attempts", "lease_until", "error")
    list_filter = ("status",)
    search_fields = ("run__public_id", "worker")


@admin.register(MetricRecord)
class MetricRecordAdmin(ReadOnlyAdmin):
    list_display = ("identity", "family", "stage", "origin", "higher_is_better")
    list_filter = ("family", "origin")
    search_fields = ("identity",)


class ItemwiseAdmin(ReadOnlyAdmin):
    """Rows that belong to single items: those of frozen splits are left out."""

    show_full_result_count = False

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).exclude(run__split=Split.FROZEN)


@admin.register(Output)
class OutputAdmin(ItemwiseAdmin):
    list_display = ("run_id", "entry", "repeat", "outcome", "received_at")
    list_filter = ("outcome",)
    list_select_related = ("entry__item",)
    search_fields = ("run__public_id", "entry__item__external_id")


@admin.register(Score)
class ScoreAdmin(ItemwiseAdmin):
    list_display = ("run_id", "output_id", "metric", "state", "value")
    list_filter = ("state",)
    list_select_related = ("metric",)
    search_fields = ("run__public_id", "metric__identity")


@admin.register(Aggregate)
class AggregateAdmin(ItemwiseAdmin):
    list_display = ("run_id", "metric", "group", "group_value", "value", "n_scored", "n_total")
    list_filter = ("group",)
    list_select_related = ("metric",)
    search_fields = ("run__public_id", "metric__identity")


@admin.register(AnswerThreshold)
class AnswerThresholdAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "system", "threshold", "max_risk", "bound", "created_by_label", "created_at")
    list_filter = ("bound",)
    list_select_related = ("system",)
    search_fields = ("public_id", "system__slug", "run__public_id", "note")
