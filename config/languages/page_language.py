"""Which language a page has: what the member chose, else what the browser asks for, else English.

Answers for programs stay English, because clients read their sentences.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request

from config.site.errors import PROGRAM_PATHS

# These have no sentences at all, and are the same for every reader.
_WITHOUT_LANGUAGE = (*(path for path in PROGRAM_PATHS if path != "/admin/"), "/static/")


class PageLanguageMiddleware:
    """Sets the language of each page. No query: the choice of a member lies in a cookie as well,
    for pages that are shown before anybody knows who asks; `members_only` has the row at hand and
    its choice counts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(_WITHOUT_LANGUAGE):
            return self.get_response(request)
        with translation.override(get_language_from_request(request)):
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language() or "en")
        patch_vary_headers(response, ("Accept-Language",))
        return response
