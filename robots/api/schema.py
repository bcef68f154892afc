"""How callers prove who they are, for the OpenAPI description."""

from typing import Any

from django.conf import settings
from drf_spectacular.extensions import OpenApiAuthenticationExtension


class KeyAuthenticationExtension(OpenApiAuthenticationExtension):
    target_class = "robots.api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "The key of a robot. It says which robot calls.",
        }


class SessionAuthenticationExtension(OpenApiAuthenticationExtension):
    target_class = "robots.api.authentication.MemberSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": settings.SESSION_COOKIE_NAME,
            "description": "The session of a member who has signed in. "
            "Methods other than GET need the CSRF token.",
        }
