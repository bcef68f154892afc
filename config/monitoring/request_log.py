"""For each request: an id (the caller's, if it names one), one structured log line, a count and a
span; no content."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from opentelemetry.trace import SpanKind

from config.monitoring.metrics import known_method, observe_request
from orgs.trace_spans import TraceContext, call_span, name_call, read_trace_headers, trace_scope

log = logging.getLogger("commonmind.request")
Handler = Callable[[HttpRequest], HttpResponse]


class RequestLogMiddleware:
    """Sets request.request_id and X-Request-ID; logs method, route, status and time."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        headers = request.META
        context = read_trace_headers(
            headers.get("HTTP_X_REQUEST_ID", ""), headers.get("HTTP_TRACEPARENT", "")
        )
        with request_scope(context) as trace:
            request.request_id = trace.request_id
            started = time.perf_counter()
            response = self.get_response(request)
            match = request.resolver_match
            # The route pattern, never the path: a path may contain an id or a word.
            route = match.route if match else ""
            response["X-Request-ID"] = request.request_id
            log_request(request.method or "", route, response.status_code, started)
        return response


@contextmanager
def request_scope(context: TraceContext) -> Iterator[TraceContext]:
    """The lines and spans of one request; `log_request` inside says what it was."""
    with trace_scope(context), call_span("request", SpanKind.SERVER, context):
        yield context


def log_request(method: str, route: str, status: int, started: float) -> None:
    """Count an answer and log its line, in the scope of its trace. started: `time.perf_counter()`
    when the request came."""
    seconds = time.perf_counter() - started
    observe_request(route, method, status, seconds)
    known = known_method(method)
    name_call(
        f"{known} {route}".rstrip(),
        failed=status >= HTTPStatus.INTERNAL_SERVER_ERROR,
        **{
            "http.request.method": known,
            "http.route": route,
            "http.response.status_code": status,
        },
    )
    log.info(
        "request",
        extra={
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
        },
    )
