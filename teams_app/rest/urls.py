"""REST calls of this app."""

from django.urls import path

from teams_app.rest import views

urlpatterns = [
    path("me", views.MeView.as_view(), name="me"),
    path("teams", views.TeamsView.as_view(), name="teams"),
    path("teams/<slug:team>", views.TeamView.as_view(), name="team"),
    path("teams/<slug:team>/members", views.MembersView.as_view(), name="members"),
    path("teams/<slug:team>/members/<str:username>", views.MemberView.as_view(), name="member"),
    path("teams/<slug:team>/tokens", views.TokensView.as_view(), name="tokens"),
    path("teams/<slug:team>/tokens/<str:token>", views.TokenView.as_view(), name="token"),
    path("audit/events", views.AuditEventsView.as_view(), name="audit-events"),
]
