"""Signing in and out, passwords, the language."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.views import LoginView, LogoutView, PasswordResetConfirmView
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _
from django.views.i18n import set_language as django_set_language

from core_app.address import client_address
from core_app.errors import DomainError
from core_app.pages import PageView, add_refusal, form_data
from core_app.ratelimit import limit
from teams_app.forms import ProfileForm
from teams_app.selectors import actor_for_user
from teams_app.services import password_set, person_change, person_sign_in, person_sign_out

_WINDOW_SECONDS = 300


class SignInView(LoginView):
    """One sign-in for the pages and the admin; django-axes locks a name out at one address after repeated failures."""

    template_name = "teams_app/sign_in.html"
    redirect_authenticated_user = True

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        limit(
            f"sign-in:{client_address(request)}",
            most=settings.SIGN_IN_ATTEMPTS,
            seconds=_WINDOW_SECONDS,
            detail=_("Too many attempts to sign in from this address. Wait a few minutes."),
        )
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        with transaction.atomic():
            response = super().form_valid(form)
            user = form.get_user()
            person_sign_in(actor=actor_for_user(user), user=user)
        return response


class SignOutView(LogoutView):
    """Sign out by POST; a GET (an old link) asks."""

    http_method_names = ["get", "post"]

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return render(request, "teams_app/sign_out.html")

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.user.is_authenticated:
            person_sign_out(actor=request.actor, user=request.user)  # type: ignore[attr-defined]
        return super().post(request, *args, **kwargs)


class SetPasswordView(PasswordResetConfirmView):
    """The one-time link by which an invited person sets the first password."""

    template_name = "teams_app/set_password.html"
    success_url = reverse_lazy("teams:sign-in")

    def form_valid(self, form: Any) -> HttpResponse:
        password_set(actor=actor_for_user(self.user), user=self.user, password=form.cleaned_data["new_password1"])
        self.request.session.flush()
        messages.success(self.request, _("The password is set. Sign in with it."))
        return redirect(self.get_success_url())


class ProfileView(PageView):
    """Name and language of the person, and the way to the password."""

    def get(self, request: HttpRequest) -> HttpResponse:
        form = ProfileForm(initial={"name": request.user.name, "language": request.user.language})
        return self._page(form)

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ProfileForm(request.POST)
        if form.is_valid():
            try:
                person_change(actor=self.actor, user=request.user, **form.cleaned_data)
            except DomainError as error:
                add_refusal(form, error)
            else:
                messages.success(request, _("Saved."))
                return redirect("teams:profile")
        return self._page(form, status=422)

    def _page(self, form: ProfileForm, status: int = 200) -> HttpResponse:
        return render(self.request, "teams_app/profile.html", {"form": form, "actor": self.actor}, status=status)


class PasswordView(PageView):
    """A new password against the old one."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page(PasswordChangeForm(request.user))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = PasswordChangeForm(request.user, form_data(request))
        if not form.is_valid():
            return self._page(form, status=422)
        password_set(actor=self.actor, user=request.user, password=form.cleaned_data["new_password1"])
        update_session_auth_hash(request, request.user)
        messages.success(request, _("The password is changed. Your other sessions have ended."))
        return redirect("teams:profile")

    def _page(self, form: PasswordChangeForm, status: int = 200) -> HttpResponse:
        return render(self.request, "teams_app/password.html", {"form": form}, status=status)


def set_language(request: HttpRequest) -> HttpResponse:
    """Django's switch of language; a signed-in person's choice is kept with the account, which wins over the cookie."""
    response = django_set_language(request)
    code = request.POST.get("language", "")
    if request.method == "POST" and request.user.is_authenticated and code in dict(settings.LANGUAGES):
        person_change(actor=request.actor, user=request.user, language=code)  # type: ignore[attr-defined]
    return response
