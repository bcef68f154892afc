"""A request id for every answer and one structured line a request, without any content."""

import logging
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

log = logging.getLogger("commonmind.request")
Handler = Callable[[HttpRequest], HttpResponse]


class RequestLogMiddleware:
    """Sets request.request_id and X-Request-ID; logs method, route, status and time."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.request_id = uuid.uuid4().hex
        started = time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        response["X-Request-ID"] = request.request_id
        log.info(
            "request",
            extra={
                "request_id": request.request_id,
                "method": request.method,
                "route": match.route if match else "",
                "status": response.status_code,
                "ms": round((time.perf_counter() - started) * 1000, 1),
            },
        )
        return response
