"""No cache between us and the reader keeps what one person or robot was answered."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

# A browser may keep it, and asks again before it shows it.
PRIVATE = "private, no-cache"


class PrivateAnswersMiddleware:
    """Gives each answer a `Cache-Control`, unless its view has said another."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", PRIVATE)
        return response
