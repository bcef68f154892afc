"""A call needs a known caller, and a key with the scope of the call."""

from django.views import View
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from orgs.principals import Actor
from robots.access.enrolment import ENROL_SCOPE, EnrolmentCaller
from robots.errors import KeyGroupsError, MissingScopeError


class HasScope(BasePermission):
    """A known caller whose scopes cover the call.

    A view names the scope of a method in `scopes` = {"POST": "read"}; otherwise safe methods
    need `read` and all others `write`. A method in `own_rights` = ("DELETE",) does what everybody
    may do about themselves: a person needs no scope to write for it, so a viewer forgets what is
    about them. What else is theirs to do the service decides.

    A key that is limited to groups opens the methods in `within_groups` = ("GET",) alone: those
    that read and write by audiences and nothing else (docs/adr/0058-limited-keys.md).
    """

    def has_permission(self, request: Request, view: View) -> bool:
        actor = request.user
        if not isinstance(actor, Actor):
            raise NotAuthenticated("Send `Authorization: Bearer <key>`, or sign in.")
        declared = getattr(view, "scopes", {})
        method = request.method or "GET"
        needed = declared.get(method, "read" if method in SAFE_METHODS else "write")
        if needed == "write" and actor.is_person and method in getattr(view, "own_rights", ()):
            needed = "read"
        if needed not in actor.scopes and not (needed == "manage" and actor.moderates):
            raise MissingScopeError(needed)
        if actor.key_groups is not None and method not in getattr(view, "within_groups", ()):
            raise KeyGroupsError("It does not open this call, which is not about one group.")
        return True


class IsEnrolling(BasePermission):
    """Whoever came by an enrolment key; no robot and no member."""

    def has_permission(self, request: Request, view: View) -> bool:
        if isinstance(request.user, EnrolmentCaller):
            return True
        if isinstance(request.user, Actor):
            raise MissingScopeError(ENROL_SCOPE)
        raise NotAuthenticated("Send `Authorization: Bearer <enrolment key>`.")
