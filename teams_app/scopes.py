"""What a service token may be allowed, and the least role of the person who may give it out."""

from django.utils.translation import gettext_lazy as _

from core_app.roles import Role

#: scope → least role of the person who mints a token with it. A token never exceeds its maker.
SCOPES: dict[str, Role] = {
    "team:read": Role.VIEWER,
    "datasets:read": Role.VIEWER,
    "datasets:write": Role.EDITOR,
    "datasets:steward": Role.STEWARD,
    "runs:read": Role.VIEWER,
    "runs:write": Role.EDITOR,
    "gates:read": Role.VIEWER,
    "gates:check": Role.EDITOR,
    "gates:write": Role.EDITOR,
    "gates:steward": Role.STEWARD,
    "feedback:write": Role.EDITOR,
    "evaluate": Role.EDITOR,
    "audit:read": Role.STEWARD,
}

#: scope → what it lets a pipeline do, for the page on which tokens are made.
SCOPE_WORDS = {
    "team:read": _("see the team itself"),
    "datasets:read": _("see datasets and dev items; frozen splits need a grant"),
    "datasets:write": _("create datasets, import and edit drafts"),
    "datasets:steward": _("freeze and retire versions, grant access"),
    "runs:read": _("see runs and comparisons"),
    "runs:write": _("start runs and push outputs"),
    "gates:read": _("see gates and verdicts"),
    "gates:check": _("ask a gate for a verdict"),
    "gates:write": _("write gates as drafts"),
    "gates:steward": _("put gates in force and waive verdicts"),
    "feedback:write": _("send feedback and traces"),
    "evaluate": _("have one answer scored at once"),
    "audit:read": _("read the audit trail"),
}
