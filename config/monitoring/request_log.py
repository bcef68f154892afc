"""For each request: an id (the caller's, if it names one), one structured log line, and a count;
no content."""

import logging
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from config.monitoring.metrics import observe_request
from orgs.trace_context import read_trace_headers, trace_scope

log = logging.getLogger("commonmind.request")
Handler = Callable[[HttpRequest], HttpResponse]


class RequestLogMiddleware:
    """Sets request.request_id and X-Request-ID; logs method, route, status and time."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with trace_scope(
            read_trace_headers(
                request.META.get("HTTP_X_REQUEST_ID", ""), request.META.get("HTTP_TRACEPARENT", "")
            )
        ) as trace:
            request.request_id = trace.request_id
            started = time.perf_counter()
            response = self.get_response(request)
            match = request.resolver_match
            # The route pattern, never the path: a path may contain an id or a word.
            route = match.route if match else ""
            response["X-Request-ID"] = request.request_id
            log_request(request.method or "", route, response.status_code, started)
        return response


def log_request(method: str, route: str, status: int, started: float) -> None:
    """Count an answer and log its line, in the scope of its trace. started: `time.perf_counter()`
    when the request came."""
    seconds = time.perf_counter() - started
    observe_request(route, method, status, seconds)
    log.info(
        "request",
        extra={
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
        },
    )
