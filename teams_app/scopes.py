"""What a service token may be allowed, and the least role of the person who may give it out."""

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
