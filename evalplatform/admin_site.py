"""Django's admin with the product's own sign-in page."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _


class PlatformAdminSite(AdminSite):
    """People sign in where everybody does (rate limits, audit); who is signed in and no staff gets 403."""

    site_header = _("evalplatform administration")
    site_title = _("evalplatform administration")
    index_title = _("Everything, searchable")

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        target = request.GET.get("next") or reverse("admin:index")
        if request.user.is_authenticated and not self.has_permission(request):
            raise PermissionDenied
        return redirect(f"{reverse('teams:sign-in')}?{urlencode({'next': target})}")


class PlatformAdminConfig(AdminConfig):
    default_site = "evalplatform.admin_site.PlatformAdminSite"
