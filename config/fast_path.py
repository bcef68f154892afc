"""A short path for the most frequent calls (recall): from the ASGI message to the bytes of the
answer.

The usual path runs every middleware, and only the usual path refuses calls. A call takes the short
path only if the usual one has answered a call with the same headers before; its answer gets the
same headers. Anything unusual sends the call to the usual path, before anything was answered.
"""

import logging
import time
from collections import OrderedDict
from threading import Lock
from typing import IO, Any

from django.db import close_old_connections
from django.http.response import HttpResponseBase

from config.monitoring.request_log import log_request, request_scope
from orgs.limits.addresses import scope_address
from orgs.limits.rate_limits import (
    COUNTED_SCOPE_KEY,
    RateLimitError,
    consume_for_recent_key,
    key_digest,
    presented_key,
)
from orgs.trace_spans import note_organisation, read_asgi_headers
from robots.access.keys import RESOURCE_SCOPE_KEY, parse_key

log = logging.getLogger("commonmind.straight")

Message = dict[str, Any]
Headers = list[tuple[bytes, bytes]]
RECALL_PATH = "/api/v1/recall"
# Request headers on which no answer depends.
_IGNORED_HEADERS = frozenset({
    b"authorization", b"content-length", b"user-agent", b"x-forwarded-for", b"x-real-ip",
    b"x-request-id", b"traceparent", b"tracestate", b"connection", b"accept-encoding",
    b"accept-language", b"idempotency-key",
})  # fmt: skip
# Headers that each answer has for itself.
_PER_RESPONSE_HEADERS = frozenset({"x-request-id", "content-length"})
MAX_HEADER_SETS = 200


class FastPath:
    """Answers calls on the short path, with headers learned from answers of the usual path."""

    def __init__(self) -> None:
        self._seen: OrderedDict[tuple[Any, ...], Headers] = OrderedDict()
        self._lock = Lock()

    def learn(self, scope: Message, response: HttpResponseBase) -> None:
        """Keep the headers of a successful answer of the usual path."""
        if scope["path"] != RECALL_PATH or response.status_code != 200 or response.cookies:
            return
        kind = _request_signature(scope)
        if kind is None:
            return
        headers = [
            (name.encode("ascii"), value.encode("latin1"))
            for name, value in response.items()
            if name.lower() not in _PER_RESPONSE_HEADERS
        ]
        with self._lock:
            self._seen[kind] = headers
            while len(self._seen) > MAX_HEADER_SETS:
                self._seen.popitem(last=False)

    def answer(self, scope: Message, body: IO[bytes]) -> list[Message] | None:
        """The ASGI messages of an answer, or None: then take the usual path."""
        if (
            scope["path"] != RECALL_PATH
            or not self._seen
            or (kind := _request_signature(scope)) is None
        ):
            return None
        headers = self._seen.get(kind)
        if headers is None:
            return None
        started = time.perf_counter()
        with request_scope(read_asgi_headers(scope["headers"])) as trace:
            try:
                content = _build_content(scope, body)
            finally:
                close_old_connections()
            if content is None:
                body.seek(0)
                return None
            log_request("POST", RECALL_PATH.strip("/"), 200, started)
        own = [
            (b"Content-Length", str(len(content)).encode()),
            (b"X-Request-ID", trace.request_id.encode()),
        ]
        start = {"type": "http.response.start", "status": 200, "headers": [*headers, *own]}
        return [start, {"type": "http.response.body", "body": content}]


def _build_content(scope: Message, body: IO[bytes]) -> bytes | None:
    # Imported with the first answer, because Django's apps must be loaded before.
    from memories.api.recall.recall_views import answer_by_key

    authorization = dict(scope["headers"])[b"authorization"].decode("latin1")
    resource, address = scope.get(RESOURCE_SCOPE_KEY, ""), scope_address(scope)
    key = parse_key(presented_key(authorization) or "", resource, address)
    if key is None:
        return None
    try:
        counted = consume_for_recent_key(key_digest(authorization), key.organisation_id)
        if counted is None:
            return None
        scope[COUNTED_SCOPE_KEY] = counted
        content = answer_by_key(key, body)
    except RateLimitError:
        return None
    except Exception as error:
        # Nothing was answered yet: the usual path tries again and reports the error.
        log.warning("the usual way is taken: %s", type(error).__name__)
        return None
    if content is not None:
        note_organisation(key.organisation_id)
    return content


def _request_signature(scope: Message) -> tuple[Any, ...] | None:
    """What the headers of the answer may depend on; None for a call that must take the usual
    path."""
    headers: Headers = scope["headers"]
    names = [name for name, _ in headers]
    if scope["method"] != "POST" or scope.get("query_string"):
        return None
    if names.count(b"authorization") != 1 or b"cookie" in names or b"transfer-encoding" in names:
        return None
    told = tuple(sorted((name, value) for name, value in headers if name not in _IGNORED_HEADERS))
    return scope.get("scheme"), scope.get("root_path"), told
