"""What of the API goes away: one list for the answers, the description and a page of the docs.

A call that uses it still works until the day of `sunset`. Its answer has the headers `Deprecation`
(RFC 9745), `Sunset` (RFC 8594) and a link to docs/api-stability.md.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cache

from django.conf import settings
from django.http import HttpResponseBase
from django.utils.http import http_date
from rest_framework.request import Request

API_PREFIX = "/api/v1"
PAGE = "docs/api-stability.md"
_CONVERTER = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass(frozen=True, slots=True)
class Deprecation:
    """An operation, or one query parameter of it.

    path: below /api/v1, as the description has it. since: the day of the notice. sunset: the first
    day on which it may be gone. instead: what to use, in words.
    """

    method: str
    path: str
    since: date
    sunset: date
    instead: str
    parameter: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The headers of an answer to a call that uses it."""
        since, sunset = (
            int(datetime.combine(day, time(), UTC).timestamp()) for day in (self.since, self.sunset)
        )
        return {
            "Deprecation": f"@{since}",
            "Sunset": http_date(sunset),
            "Link": f'<{settings.PUBLIC_URL}{API_PREFIX}/docs>; rel="deprecation"',
        }


_ABOUT = "`about`; where a question is asked, `member` says for whom"
DEPRECATIONS = (
    Deprecation("GET", "/memories", date(2026, 11, 27), date(2027, 12, 1), _ABOUT, "member"),
    Deprecation("GET", "/memories/facets", date(2026, 11, 27), date(2027, 12, 1), _ABOUT, "member"),
)


@cache
def find_deprecations(method: str, path: str) -> tuple[Deprecation, ...]:
    """What goes away of an operation. path: as the description has it, below /api/v1."""
    return tuple(one for one in DEPRECATIONS if (one.method, one.path) == (method, path))


def add_headers(request: Request, response: HttpResponseBase) -> None:
    """Say in the answer what the call used that goes away; of several, the one that ends first."""
    match = request._request.resolver_match
    if match is None or request.method is None:
        return
    path = _CONVERTER.sub(r"{\1}", f"/{match.route}").removeprefix(API_PREFIX)
    used = [
        one
        for one in find_deprecations(request.method, path)
        if not one.parameter or one.parameter in request.query_params
    ]
    if used:
        for name, value in min(used, key=lambda one: one.sunset).headers.items():
            response[name] = value
