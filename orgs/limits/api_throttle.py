"""The limit for all callers of an organisation together."""

from django.views import View
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from orgs.limits.rate_limits import SAFE_METHODS, body_size, consume_for_organisation, is_counted
from orgs.principals import Actor


class OrganisationThrottle(BaseThrottle):
    """Counts the call for the caller's organisation; it runs after authentication."""

    def allow_request(self, request: Request, view: View) -> bool:
        actor = request.user
        if isinstance(actor, Actor) and not is_counted(request._request):
            scopes = getattr(view, "scopes", {})
            writes = request.method not in SAFE_METHODS and scopes.get(request.method) != "read"
            size = body_size(request._request)
            consume_for_organisation(actor.organisation_id, writes=writes, size=size)
        return True
