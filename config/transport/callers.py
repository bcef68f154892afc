"""Whom a request counts for when threads and room are shared out, before anything is looked up.

A key or a session that was right before in this process counts for its organisation. Everything
else counts for the network it comes from: what an unknown key says of its organisation is not
believed, or anybody could use up another organisation's share.
"""

import hashlib
from collections import OrderedDict
from importlib import import_module
from io import BytesIO
from threading import Lock
from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from django.http import HttpRequest, parse_cookie
from django.utils import timezone

from config.transport.thread_shares import STRANGER
from orgs.accounts.sessions import find_current_membership
from orgs.errors import SuspendedError
from orgs.limits.addresses import scope_network
from orgs.limits.rate_limits import (
    RateLimitError,
    RequestCaller,
    is_known_key,
    key_digest,
    presented_key,
)
from robots.access.keys import authenticate_key, parse_request_key
from robots.errors import KeyAddressError

Message = dict[str, Any]
MOST_SESSIONS = 10_000


class Callers:
    """Knows which sessions were right lately, and for whom they count; the oldest are dropped."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sessions: OrderedDict[str, str] = OrderedDict()

    def identify(self, scope: Message) -> tuple[str, bool]:
        """(whom the request counts for, whether it showed a key or a session that is known)."""
        headers = dict(scope["headers"])
        if authorization := headers.get(b"authorization", b"").decode("latin1"):
            if is_known_key(key_digest(authorization)):
                # Its text was checked: the mark, the organisation, and the rest.
                return f"organisation:{UUID(authorization.split('_', 2)[1]).hex}", True
        elif known := self._sessions.get(_session_digest(headers)):
            return known, True
        return f"{STRANGER}{scope_network(scope)}", False

    def learn(self, request: HttpRequest) -> None:
        """Note whom an answered request's session counts for, or that it counts no longer."""
        # Set by whoever looked the session up; `request.user` may be an Actor by now.
        user = getattr(request, "_cached_user", None)
        if user is not None and (digest := _session_digest(dict(request.scope["headers"]))):
            self._note(digest, _caller_of(request, user))

    def verify(self, scope: Message) -> str | None:
        """Look up the key or the session. Returns whom it counts for, or None. Runs in a thread."""
        try:
            return self._verified(ASGIRequest(scope, BytesIO()))
        finally:
            close_old_connections()

    def _verified(self, request: HttpRequest) -> str | None:
        shown = presented_key(request.META.get("HTTP_AUTHORIZATION", ""))
        if shown is not None:
            identity = RequestCaller(request)
            try:
                identity.check_wrong_keys()
            except RateLimitError:
                return None
            key = parse_request_key(shown, request)
            try:
                found = None if key is None else authenticate_key(key, timezone.now())
            except (KeyAddressError, SuspendedError):
                # The call itself is refused, and says why.
                return None
            identity.record_key_check(right=found is not None)
            return f"organisation:{found.organisation_id.hex}" if found else None
        if not (cookie := request.COOKIES.get(settings.SESSION_COOKIE_NAME)):
            return None
        request.session = import_module(settings.SESSION_ENGINE).SessionStore(cookie)
        user = request.user = get_user(request)
        find_current_membership(request)
        caller = _caller_of(request, user)
        self._note(_session_digest(dict(request.scope["headers"])), caller)
        return caller

    def _note(self, digest: str, caller: str | None) -> None:
        with self._lock:
            if caller is None:
                self._sessions.pop(digest, None)
                return
            self._sessions[digest] = caller
            self._sessions.move_to_end(digest)
            while len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)


def _caller_of(request: HttpRequest, user: Any) -> str | None:
    """Whom a session counts for; None if nobody is signed in by it."""
    if not user.is_authenticated:
        return None
    if found := getattr(request, "_membership", None):
        return f"organisation:{found[1].id.hex}"
    return f"account:{user.pk}"


def _session_digest(headers: dict[bytes, bytes]) -> str:
    """The digest of the session's cookie; empty without one."""
    if not (cookies := headers.get(b"cookie")):
        return ""
    shown = parse_cookie(cookies.decode("latin1")).get(settings.SESSION_COOKIE_NAME, "")
    return hashlib.sha256(shown.encode()).hexdigest() if shown else ""
