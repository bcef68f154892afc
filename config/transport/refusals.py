"""Answers that the event loop gives by itself, without a thread: the request came to no view."""

import time
from typing import Any

from config.monitoring.request_log import log_request
from orgs.api.json_format import JSONRenderer
from orgs.api.problems import MEDIA_TYPE, TITLES, build_problem
from orgs.trace_spans import read_asgi_headers, trace_scope

Message = dict[str, Any]


class Refused(Exception):
    """A request that is not let in. retry_after: seconds to wait, or 0 if waiting helps nothing."""

    def __init__(self, status: int, code: str, detail: str, *, retry_after: int = 0) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.retry_after = status, code, detail, retry_after


def render_refusal(scope: Message, refused: Refused) -> list[Message]:
    """The ASGI messages of a refusal, a problem for programs and a sentence for people; it is
    counted and logged like every answer."""
    trace = read_asgi_headers(scope["headers"])
    if scope["path"].startswith(("/api/", "/mcp", "/mem0/")):
        media_type = MEDIA_TYPE
        body = JSONRenderer().render(
            build_problem(refused.status, refused.code, refused.detail, trace.request_id)
        )
    else:
        media_type = "text/plain; charset=utf-8"
        body = f"{TITLES[refused.code]}. {refused.detail}\n".encode()
    headers = [
        (b"Content-Type", media_type.encode()),
        (b"Content-Length", str(len(body)).encode()),
        (b"X-Request-ID", trace.request_id.encode()),
        (b"X-Content-Type-Options", b"nosniff"),
        (b"Cache-Control", b"no-store"),
    ]
    if refused.retry_after:
        headers.append((b"Retry-After", str(refused.retry_after).encode()))
    with trace_scope(trace):
        log_request(scope["method"], "", refused.status, time.perf_counter())
    return [
        {"type": "http.response.start", "status": refused.status, "headers": headers},
        {"type": "http.response.body", "body": body},
    ]
