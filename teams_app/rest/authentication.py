"""Bearer tokens and signed-in sessions; both set `request.actor`."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from teams_app.models import ServiceToken
from teams_app.selectors import actor_for_token, actor_for_user

_USE_NOTED_EVERY = timedelta(minutes=1)


def _note_use(token: ServiceToken) -> None:
    """Keep when the token was last used, to the minute: a write for each read would queue behind the writers."""
    now = timezone.now()
    if token.last_used_at is None or token.last_used_at < now - _USE_NOTED_EVERY:
        ServiceToken.objects.filter(pk=token.pk).update(last_used_at=now)


class TokenUser:
    """What DRF takes for the user of a token request."""

    is_authenticated = True
    is_active = True

    def __init__(self, token: ServiceToken) -> None:
        self.token = token
        self.pk = f"token-{token.pk}"


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer evp_…`."""

    def authenticate(self, request: Request) -> tuple[Any, ServiceToken] | None:
        header = authentication.get_authorization_header(request).split()
        if not header or header[0].lower() != b"bearer":
            return None
        if len(header) != 2:
            raise exceptions.AuthenticationFailed(_("Send “Authorization: Bearer <token>”."))
        digest = hashlib.sha256(header[1]).hexdigest()
        token = ServiceToken.objects.select_related("team").filter(digest=digest).first()
        if token is None or token.revoked_at is not None or token.expires_at <= timezone.now():
            raise exceptions.AuthenticationFailed(_("The token is unknown, revoked or expired."))
        _note_use(token)
        request.actor = request._request.actor = actor_for_token(token)
        return TokenUser(token), token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="evalplatform"'


class SessionAuthentication(authentication.SessionAuthentication):
    """A signed-in person with CSRF, for the browsable docs and the pages' own calls."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        result = super().authenticate(request)
        if result is not None:
            request.actor = request._request.actor = actor_for_user(result[0])
        return result
