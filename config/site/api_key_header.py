"""Keys in the header of self-hosted mem0 servers."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

PREFIX = "/mem0/"
Handler = Callable[[HttpRequest], HttpResponse]


class ApiKeyHeaderMiddleware:
    """At the mem0 door, `X-API-Key` says the same as `Authorization: Token`, for the limits as for
    the views. A request that has both is known by `Authorization`."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        key = request.META.get("HTTP_X_API_KEY")
        if key and request.path_info.startswith(PREFIX):
            request.META.setdefault("HTTP_AUTHORIZATION", f"Token {key}")
        return self.get_response(request)
