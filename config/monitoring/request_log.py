"""For each request: an id, one structured log line, and a count; no content."""

import logging
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from config.monitoring.logs import request_context
from config.monitoring.metrics import observe_request

log = logging.getLogger("commonmind.request")
Handler = Callable[[HttpRequest], HttpResponse]


class RequestLogMiddleware:
    """Sets request.request_id and X-Request-ID; logs method, route, status and time."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.request_id = uuid.uuid4().hex
        with request_context(request.request_id):
            started = time.perf_counter()
            response = self.get_response(request)
            match = request.resolver_match
            # The route pattern, never the path: a path may contain an id or a word.
            route = match.route if match else ""
            response["X-Request-ID"] = request.request_id
            log_request(
                request.request_id, request.method or "", route, response.status_code, started
            )
        return response


def log_request(request_id: str, method: str, route: str, status: int, started: float) -> None:
    """Count an answer and log its line. started: `time.perf_counter()` when the request came."""
    seconds = time.perf_counter() - started
    observe_request(route, method, status, seconds)
    log.info(
        "request",
        extra={
            "request_id": request_id,
            "method": method,
            "route": route,
            "status": status,
            "ms": round(seconds * 1000, 1),
        },
    )
