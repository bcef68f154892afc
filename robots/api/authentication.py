"""Who calls: a robot by its key, or a member by the browser's session."""

from typing import Any

from django.conf import settings
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from orgs.accounts.sessions import actor_of, find_current_membership, find_suspended
from orgs.errors import SuspendedError
from orgs.limits.rate_limits import presented_key
from orgs.principals import Actor
from orgs.trace_spans import note_organisation
from robots.access.enrolment import (
    ENROLMENT_TAG,
    EnrolmentCaller,
    authenticate_enrolment_key,
)
from robots.access.key_limits import record_address_refusal
from robots.access.keys import authenticate_key, parse_request_key
from robots.errors import KeyAddressError

INVALID_KEY_MESSAGE = (
    "The key is unknown, expired or revoked. Ask an admin of the organisation for a new one."
)
INVALID_ENROLMENT_KEY = (
    "The enrolment key is unknown, ended or revoked. Ask an admin of the organisation for a new "
    "one."
)


class KeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer cmk_...`; request.user becomes the Actor."""

    def authenticate(self, request: Request) -> tuple[Actor, Any] | None:
        key = presented_key(request.META.get("HTTP_AUTHORIZATION", ""))
        if key is None:
            return None
        shown = parse_request_key(key, request._request)
        now = timezone.now()
        try:
            caller = None if shown is None else authenticate_key(shown, now)
        except KeyAddressError as error:
            record_address_refusal(error.actor, now=now)
            raise
        if caller is None:
            raise AuthenticationFailed(INVALID_KEY_MESSAGE)
        note_organisation(caller.organisation_id)
        return caller.actor(), caller

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class EnrolmentKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer cme_...`; request.user becomes the EnrolmentCaller."""

    def authenticate(self, request: Request) -> tuple[EnrolmentCaller, Any] | None:
        key = presented_key(request.META.get("HTTP_AUTHORIZATION", ""))
        if key is None or not key.startswith(f"{ENROLMENT_TAG}_"):
            return None
        caller = authenticate_enrolment_key(key, timezone.now())
        if caller is None:
            raise AuthenticationFailed(INVALID_ENROLMENT_KEY)
        note_organisation(caller.organisation_id)
        return caller, None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class MemberSessionAuthentication(SessionAuthentication):
    """The browser's session; unsafe methods need the CSRF token."""

    def authenticate(self, request: Request) -> tuple[Actor, Any] | None:
        user = getattr(request._request, "user", None)
        if user is None or not user.is_active:
            return None
        found = find_current_membership(request._request)
        if found is None:
            if suspended := find_suspended(request._request):
                raise SuspendedError(suspended.suspended_for)
            return None
        self.enforce_csrf(request)
        return actor_of(found[0]), None


class KeyAuthenticationExtension(OpenApiAuthenticationExtension):
    """`KeyAuthentication` in the OpenAPI description."""

    target_class = "robots.api.authentication.KeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "The key of a robot. It says which robot calls.",
        }


class SessionAuthenticationExtension(OpenApiAuthenticationExtension):
    """`MemberSessionAuthentication` in the OpenAPI description."""

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


class EnrolmentKeyAuthenticationExtension(OpenApiAuthenticationExtension):
    """`EnrolmentKeyAuthentication` in the OpenAPI description."""

    target_class = "robots.api.authentication.EnrolmentKeyAuthentication"
    name = "enrolment_key"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "An enrolment key. With it a robot registers itself.",
        }
