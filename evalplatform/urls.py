"""Every page's URL, by app; REST under /api/v1/."""

from django.contrib import admin
from django.urls import include, path

from teams_app.views.signing import set_language

urlpatterns = [
    path("admin/", admin.site.urls),
    path("i18n/setlang/", set_language, name="set_language"),
    path("api/v1/", include("evalplatform.api_urls")),
    path("", include("core_app.urls")),
    path("", include("teams_app.urls")),
    path("", include("datasets_app.urls")),
    path("", include("runs_app.urls")),
]

handler400 = "core_app.error_pages.bad_request"
handler403 = "core_app.error_pages.permission_denied"
handler404 = "core_app.error_pages.not_found"
handler500 = "core_app.error_pages.server_error"
