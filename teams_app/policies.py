"""Who may do what to teams, members, tokens and the audit trail."""

from enum import StrEnum

from core_app.models import AuditEvent
from core_app.policy import Need, Policy
from core_app.roles import Role
from teams_app.models import Membership, ServiceToken, Team


class TeamAction(StrEnum):
    VIEW = "team.view"
    CHANGE = "team.change"
    MEMBERS_VIEW = "team.members.view"
    MEMBERS_CHANGE = "team.members.change"
    TOKENS_VIEW = "team.tokens.view"
    TOKENS_CHANGE = "team.tokens.change"
    AUDIT_VIEW = "team.audit.view"
    AUDIT_EXPORT = "team.audit.export"


class TeamPolicy(Policy):
    table = {
        TeamAction.VIEW: Need(Role.VIEWER, "team:read"),
        TeamAction.CHANGE: Need(Role.OWNER),
        TeamAction.MEMBERS_VIEW: Need(Role.VIEWER),
        TeamAction.MEMBERS_CHANGE: Need(Role.OWNER),
        TeamAction.TOKENS_VIEW: Need(Role.OWNER),
        TeamAction.TOKENS_CHANGE: Need(Role.OWNER),
        TeamAction.AUDIT_VIEW: Need(Role.STEWARD, "audit:read"),
        TeamAction.AUDIT_EXPORT: Need(Role.STEWARD, "audit:read"),
    }
    team_paths = {Team: "id", Membership: "team_id", ServiceToken: "team_id", AuditEvent: "team_id"}
    view_actions = {
        Team: TeamAction.VIEW,
        Membership: TeamAction.MEMBERS_VIEW,
        ServiceToken: TeamAction.TOKENS_VIEW,
        AuditEvent: TeamAction.AUDIT_VIEW,
    }


policy = TeamPolicy()
