"""Comparisons and gates in the admin: searchable, and nothing of it can be changed here.

The rows of figures of a comparison name items, so they are left out: the pages show them to those who may read them.
"""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core_app.admin import ReadOnlyAdmin
from runs_app.models import Comparison, Gate, GateCheck, GatePolicy


@admin.register(Comparison)
class ComparisonAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "team", "baseline_system", "candidate_system", "comparable", "created_at")
    list_filter = ("team", "comparable")
    list_select_related = (
        "team",
        "baseline__system_version__system",
        "candidate__system_version__system",
    )
    search_fields = ("public_id", "baseline__public_id", "candidate__public_id")
    exclude = ("results",)

    @admin.display(description=_("baseline"), ordering="baseline")
    def baseline_system(self, comparison: Comparison) -> str:
        return str(comparison.baseline.system_version)

    @admin.display(description=_("candidate"), ordering="candidate")
    def candidate_system(self, comparison: Comparison) -> str:
        return str(comparison.candidate.system_version)


@admin.register(Gate)
class GateAdmin(ReadOnlyAdmin):
    list_display = ("slug", "name", "team", "system", "created_at")
    list_filter = ("team",)
    list_select_related = ("team", "system")
    search_fields = ("slug", "name", "public_id")


@admin.register(GatePolicy)
class GatePolicyAdmin(ReadOnlyAdmin):
    list_display = ("gate", "version", "status", "created_by_label", "activated_by_label", "activated_at")
    list_filter = ("status",)
    list_select_related = ("gate",)
    search_fields = ("gate__slug",)


@admin.register(GateCheck)
class GateCheckAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "policy", "run_id_shown", "verdict", "checked_by_label", "created_at")
    list_filter = ("verdict",)
    list_select_related = ("policy__gate", "run")
    search_fields = ("public_id", "run__public_id", "policy__gate__slug", "manifest_sha256")
    exclude = ("rules",)

    @admin.display(description=_("run"), ordering="run")
    def run_id_shown(self, check: GateCheck) -> str:
        return check.run.public_id
