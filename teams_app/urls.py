"""Pages of this app."""

from django.urls import path

from teams_app.views import audit, members, signing, teams, tokens

app_name = "teams"

urlpatterns = [
    path("", teams.HomeView.as_view(), name="home"),
    path("sign-in/", signing.SignInView.as_view(), name="sign-in"),
    path("sign-out/", signing.SignOutView.as_view(), name="sign-out"),
    path("set-password/<uidb64>/<token>/", signing.SetPasswordView.as_view(), name="set-password"),
    path("profile/", signing.ProfileView.as_view(), name="profile"),
    path("profile/password/", signing.PasswordView.as_view(), name="password"),
    path("teams/new/", teams.TeamCreateView.as_view(), name="create"),
    path("t/<slug:team>/", teams.TeamHomeView.as_view(), name="team"),
    path("t/<slug:team>/settings/", teams.TeamSettingsView.as_view(), name="settings"),
    path("t/<slug:team>/members/", members.MembersView.as_view(), name="members"),
    path("t/<slug:team>/members/invite/", members.MemberInviteView.as_view(), name="member-invite"),
    path("t/<slug:team>/members/<str:username>/role/", members.MemberChangeView.as_view(), name="member-change"),
    path("t/<slug:team>/members/<str:username>/remove/", members.MemberRemoveView.as_view(), name="member-remove"),
    path("t/<slug:team>/members/<str:username>/link/", members.MemberLinkView.as_view(), name="member-link"),
    path("t/<slug:team>/tokens/", tokens.TokensView.as_view(), name="tokens"),
    path("t/<slug:team>/tokens/<str:token>/revoke/", tokens.TokenRevokeView.as_view(), name="token-revoke"),
    path("t/<slug:team>/audit/", audit.AuditView.as_view(), name="audit"),
    path("t/<slug:team>/audit/export/", audit.AuditExportView.as_view(), name="audit-export"),
    path("t/<slug:team>/audit/check/", audit.AuditCheckView.as_view(), name="audit-check"),
]
