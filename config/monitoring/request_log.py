"""A request id for every answer, one structured line a request, and its count; no content."""

import logging
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from config.monitoring.logs import request_context
from config.monitoring.metrics import observe

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
            seconds = time.perf_counter() - started
            match = request.resolver_match
            # The pattern, never the address: an address may hold an id or a word.
            route = match.route if match else ""
            response["X-Request-ID"] = request.request_id
            observe(route, request.method or "", response.status_code, seconds)
            log.info(
                "request",
                extra={
                    "request_id": request.request_id,
                    "method": request.method,
                    "route": route,
                    "status": response.status_code,
                    "ms": round(seconds * 1000, 1),
                },
            )
        return response
