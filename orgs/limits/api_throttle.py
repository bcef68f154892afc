"""The limit for all callers of an organisation together, and what a dear call counts for."""

from django.views import View
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from orgs.limits.rate_limits import (
    SAFE_METHODS,
    RateLimitError,
    RequestCaller,
    body_size,
    consume_for_organisation,
    is_counted,
)


class OrganisationThrottle(BaseThrottle):
    """Counts the call for the caller's organisation; it runs after authentication.

    A call that counts for several takes the rest from the bucket of its key or account as well.
    """

    def allow_request(self, request: Request, view: View) -> bool:
        # Also of who enrols, which is no actor yet.
        organisation_id = getattr(request.user, "organisation_id", None)
        if organisation_id is None:
            return True
        caller: RequestCaller = request._request.caller
        weight, counted = view.weigh(request), int(is_counted(request._request))
        if weight > counted:
            scopes = getattr(view, "scopes", {})
            writes = request.method not in SAFE_METHODS and scopes.get(request.method) != "read"
            try:
                consume_for_organisation(
                    organisation_id,
                    writes=writes,
                    size=body_size(request._request),
                    cost=weight - counted,
                    also=caller.more_of_counted(weight),
                )
            except RateLimitError:
                caller.refund()
                raise
        return True
