"""The middleware that notes who has changed something, where a standby answers searches."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

from orgs.database.driver.standby_reads import has_standby
from orgs.database.standby.recent_writes import recent_writes
from orgs.limits.rate_limits import SAFE_METHODS
from orgs.principals import Actor

Handler = Callable[[HttpRequest], HttpResponse]


class StandbyWritesMiddleware:
    """After a call that changes something its caller is answered by the primary until the standby
    has it. Pages, API and the tools of MCP all come by here, after their transactions."""

    def __init__(self, get_response: Handler) -> None:
        if not has_standby():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if 400 <= response.status_code < 500 or not changes_something(request):
            return response
        actor = getattr(request, "actor", None) or getattr(request, "user", None)
        if isinstance(actor, Actor):
            recent_writes.note(actor.caller_ids)
        return response


def changes_something(request: HttpRequest) -> bool:
    """Whether a call may have changed what its caller finds."""
    view: Any = getattr(request.resolver_match, "func", None)
    only_answers = getattr(getattr(view, "cls", None), "only_answers", ())
    return request.method not in SAFE_METHODS and request.method not in only_answers
