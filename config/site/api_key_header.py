"""Keys in the header of self-hosted mem0 servers: `X-API-Key` says the same as
`Authorization: Token`. A request that has both is known by `Authorization`."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

PREFIX = "/mem0/"
Handler = Callable[[HttpRequest], HttpResponse]


def show_api_key(scope: dict[str, Any]) -> None:
    """Put the key of an ASGI scope where whoever shares out threads and room looks for it."""
    if not scope["path"].startswith(PREFIX):
        return
    headers = dict(scope["headers"])
    if (key := headers.get(b"x-api-key")) and b"authorization" not in headers:
        scope["headers"] = [*scope["headers"], (b"authorization", b"Token " + key)]


class ApiKeyHeaderMiddleware:
    """The same for requests that came another way, for the limits as for the views."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        key = request.META.get("HTTP_X_API_KEY")
        if key and request.path_info.startswith(PREFIX):
            request.META.setdefault("HTTP_AUTHORIZATION", f"Token {key}")
        return self.get_response(request)
