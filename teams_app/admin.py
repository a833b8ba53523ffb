"""People, teams, members and tokens in the admin; every write goes through the services."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from core_app.actors import Actor
from core_app.admin import ReadOnlyAdmin, ServiceAdmin
from teams_app import services
from teams_app.models import Membership, ServiceToken, Team, User

admin.site.unregister(Group)


def _actor(request: HttpRequest) -> Actor:
    return request.actor  # type: ignore[attr-defined]


@admin.register(User)
class UserAdmin(ServiceAdmin):
    """An account is made without a password; its link is shown once. It is never deleted: the trail names it."""

    list_display = ["username", "name", "email", "is_active", "is_staff", "is_superuser", "last_login"]
    list_filter = ["is_active", "is_staff", "is_superuser", "memberships__team"]
    search_fields = ["username", "name", "email"]
    readonly_fields = ["last_login", "date_joined"]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        flags = ["is_staff", "is_superuser"]
        if obj is None:
            return ["username", "email", "name", *flags]
        return ["username", "email", "name", "language", "is_active", *flags, "last_login", "date_joined"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [*self.readonly_fields, *(["username"] if obj is not None else [])]

    def service_create(self, request: HttpRequest, form: ModelForm) -> User:  # type: ignore[override]
        user = services.person_create(actor=_actor(request), **form.cleaned_data)
        link = request.build_absolute_uri(services.set_password_path(user))
        messages.warning(request, format_html("{} <code>{}</code>", _("Shown once, the link to set a password:"), link))
        return user

    def service_change(self, request: HttpRequest, obj: User, form: ModelForm) -> User:  # type: ignore[override]
        return services.person_change(actor=_actor(request), user=obj, **form.cleaned_data)


@admin.register(Team)
class TeamAdmin(ServiceAdmin):
    list_display = ["slug", "name", "four_eyes", "created_at"]
    list_filter = ["four_eyes"]
    search_fields = ["slug", "name"]
    fields = ["slug", "name", "four_eyes"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return ["slug"] if obj is not None else []

    def service_create(self, request: HttpRequest, form: ModelForm) -> Team:  # type: ignore[override]
        return services.team_create(actor=_actor(request), **form.cleaned_data)

    def service_change(self, request: HttpRequest, obj: Team, form: ModelForm) -> Team:  # type: ignore[override]
        return services.team_change(actor=_actor(request), team=obj, **form.cleaned_data)


@admin.register(Membership)
class MembershipAdmin(ServiceAdmin):
    list_display = ["team", "user", "role", "created_at"]
    list_filter = ["role", "team"]
    list_select_related = ["team", "user"]
    search_fields = ["team__slug", "user__username", "user__name"]
    autocomplete_fields = ["team", "user"]
    fields = ["team", "user", "role"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return ["team", "user"] if obj is not None else []

    def service_create(self, request: HttpRequest, form: ModelForm) -> Membership:  # type: ignore[override]
        return services.member_add(actor=_actor(request), **form.cleaned_data)

    def service_change(self, request: HttpRequest, obj: Membership, form: ModelForm) -> Membership:  # type: ignore[override]
        return services.member_change(actor=_actor(request), membership=obj, role=form.cleaned_data["role"])

    def service_delete(self, request: HttpRequest, obj: Membership) -> None:  # type: ignore[override]
        services.member_remove(actor=_actor(request), membership=obj)


@admin.register(ServiceToken)
class ServiceTokenAdmin(ReadOnlyAdmin):
    """Without the hash of the secret; made on the team's page, revoked here too."""

    list_display = ["name", "team", "prefix", "created_by", "expires_at", "revoked_at", "last_used_at"]
    list_filter = ["team", "revoked_at", "expires_at"]
    list_select_related = ["team", "created_by"]
    search_fields = ["name", "prefix", "team__slug", "created_by__username"]
    fields = [
        *("public_id", "team", "name", "prefix", "scopes", "created_by"),
        *("created_at", "expires_at", "revoked_at", "last_used_at"),
    ]
    actions = ["revoke"]

    @admin.action(description=_("Revoke the chosen tokens"))
    def revoke(self, request: HttpRequest, queryset: QuerySet[ServiceToken]) -> None:
        active = queryset.filter(revoked_at=None)
        for token in active:
            services.token_revoke(actor=_actor(request), token=token)
        messages.success(request, _("The tokens are revoked."))
