"""How the OpenAPI description names our two ways to authenticate; imported by `TeamsAppConfig.ready()`."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "teams_app.rest.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "A service token, `evp_…`."}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "teams_app.rest.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid", "description": "A signed-in person, with CSRF."}
