"""The limit for all callers of an organisation together."""

from django.views import View
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from orgs.limits.rate_limits import SAFE_METHODS, body_size, consume_for_organisation, is_counted


class OrganisationThrottle(BaseThrottle):
    """Counts the call for the caller's organisation; it runs after authentication."""

    def allow_request(self, request: Request, view: View) -> bool:
        # Also of who enrols, which is no actor yet.
        organisation_id = getattr(request.user, "organisation_id", None)
        if organisation_id is not None and not is_counted(request._request):
            scopes = getattr(view, "scopes", {})
            writes = request.method not in SAFE_METHODS and scopes.get(request.method) != "read"
            size = body_size(request._request)
            consume_for_organisation(organisation_id, writes=writes, size=size)
        return True
