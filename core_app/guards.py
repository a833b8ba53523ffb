"""Rows of this app that never change once written."""

from core_app.triggers import Guard

GUARDS = (
    Guard("audit_event", "core_app_auditevent", ("UPDATE", "DELETE"), "audit events are never changed"),
    Guard("audit_seal", "core_app_auditseal", ("UPDATE", "DELETE"), "audit seals are never changed", key="sequence"),
)
