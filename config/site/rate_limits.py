"""The middleware that refuses callers who ask too often, with the time to wait."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from config.site.errors import bad_request, rate_limited
from orgs.limits.rate_limits import SAFE_METHODS, RateLimitError, RequestCaller

Handler = Callable[[HttpRequest], HttpResponse]
# Paths of monitoring, which are not limited, so that it works under a flood too.
UNLIMITED_PATHS = ("healthz", "readyz", "metrics")
# Paths of calls, which are counted by key.
CALL_PATHS = ("/api/", "/mem0/", "/scim/")


class RateLimitMiddleware:
    """Counts a call by key, account or address before anything is looked up for it.

    The organisation's own count waits until the caller is known (`orgs.limits.api_throttle`).
    """

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdigit()):
            # Our own server refuses such a request; another server might pass it on.
            return bad_request(request)
        response = self.get_response(request)
        caller: RequestCaller | None = getattr(request, "caller", None)
        if caller is not None and caller.key:
            caller.record_key_check(right=response.status_code != 401)
        return response

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponse | None:
        if request.path_info.strip("/") in UNLIMITED_PATHS:
            return None
        caller = RequestCaller(request)
        try:
            if request.path_info.startswith(CALL_PATHS):
                self._count_call(request, caller, writes=is_write(request, view))
            else:
                self._count_page(request, caller)
        except RateLimitError as error:
            return rate_limited(request, error)
        return None

    def _count_call(self, request: HttpRequest, caller: RequestCaller, *, writes: bool) -> None:
        request.caller = caller
        if caller.key:
            caller.consume_for_key(writes=writes)
        elif account := signed_in_account_id(request):
            caller.consume_for_account(account, "key-writes" if writes else "key-reads")
        else:
            caller.consume_for_address()

    def _count_page(self, request: HttpRequest, caller: RequestCaller) -> None:
        if account := signed_in_account_id(request):
            caller.consume_for_account(account, "pages")
        else:
            caller.consume_for_address()


def signed_in_account_id(request: HttpRequest) -> Any:
    """The account's id, or None; without a session cookie nothing is looked up."""
    if settings.SESSION_COOKIE_NAME not in request.COOKIES:
        return None
    return request.user.pk if request.user.is_authenticated else None


def is_write(request: HttpRequest, view: Any) -> bool:
    """Whether the call changes something; a POST may also only ask."""
    if request.method in SAFE_METHODS:
        return False
    scopes = getattr(getattr(view, "cls", None), "scopes", {})
    return scopes.get(request.method) != "read"
