"""Errors outside the API's views: a page for people, a problem for robots."""

import logging
import re
import sys
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve

from orgs.api.problems import (
    NO_ROOM,
    NOT_FOUND_DETAIL,
    RETRY_SECONDS,
    TITLES,
    describe_exception,
    problem_response,
)
from orgs.languages.page_text import lazy_text
from orgs.limits.rate_limits import RateLimitError

log = logging.getLogger("commonmind.pages")
_refused_forms = logging.getLogger("commonmind.security.csrf")
Handler = Callable[[HttpRequest], HttpResponse]

# Django's words for a form that another address sent.
_OTHER_ADDRESS_REASONS = ("Origin checking failed", "Referer checking failed")
MAX_ADDRESS_CHARACTERS = 300
# Its clients read the sentence of an error in `detail` of plain JSON.
MEM0_PREFIX = "/mem0/"
# Paths for programs, which need only a status without a body.
PROGRAM_PATHS = (
    *("/api/", "/mcp", "/mem0/", "/scim/", "/admin/", "/healthz", "/readyz", "/metrics"),
    *("/.well-known/", "/oauth/token", "/oauth/revoke", "/oauth/register"),
)
# (title, text) by status, or by the code of a problem, for errors without a page of their own.
ERROR_TEXTS: dict[int | str, tuple[str, str]] = {
    405: (
        lazy_text("This address takes no form"),
        lazy_text("Nothing was changed. Open the page by its link, and send what you find there."),
    ),
    409: (lazy_text("That does not fit what is there now"), lazy_text("Nothing was changed.")),
    413: (
        lazy_text("That was too much at once"),
        lazy_text("Nothing was changed. Send a shorter text."),
    ),
    507: (lazy_text("The disk is full"), NO_ROOM),
    "out-of-time": (
        lazy_text("That took too long"),
        lazy_text("Nothing was changed. Ask for less at once, or try again in a moment."),
    ),
    503: (
        lazy_text("The database does not answer"),
        lazy_text("Nothing was lost. Wait a moment, then load the page again."),
    ),
}


def _error_response(request: HttpRequest, status: int, code: str, detail: str) -> HttpResponse:
    if not request.path.startswith((MEM0_PREFIX, "/api/")):
        return _render_error(request, status, code=code)
    response: HttpResponse
    if request.path.startswith(MEM0_PREFIX):
        body = {"detail": detail, "request_id": getattr(request, "request_id", "")}
        response = JsonResponse(body, status=status)
    else:
        response = problem_response(request, status, code, detail)
    if status == 503:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


def _render_error(
    request: HttpRequest, status: int, text: str = "", code: str = ""
) -> HttpResponse:
    # Sentences for programs mark a field by backticks.
    text = re.sub(r"`([^`]*)`", r"“\1”", text)
    context = {"request_id": getattr(request, "request_id", ""), "text": text}
    name = f"{status}.html"
    if words := ERROR_TEXTS.get(code) or ERROR_TEXTS.get(status):
        title, otherwise = words
        context |= {"title": title, "text": text or otherwise}
        name = "problem.html"
    response = render(request, name, context, status=status)
    if status == 503:
        response["Retry-After"] = str(RETRY_SECONDS)
    return response


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error_response(request, 404, "not-found", NOT_FOUND_DETAIL)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error_response(request, 403, "forbidden", TITLES["forbidden"])


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    if isinstance(exception, RequestDataTooBig) and not request.path.startswith(
        ("/api/", MEM0_PREFIX)
    ):
        return _render_error(request, 413)
    return _error_response(request, 400, "invalid", "The request is not understood.")


def server_error(request: HttpRequest) -> HttpResponse:
    """An error that no view has answered. Where a middleware could not ask the database, it is told
    like everywhere: nothing was done, try again."""
    error = sys.exc_info()[1]
    if isinstance(error, DatabaseError | InterfaceError) and (found := describe_exception(error)):
        return _error_response(request, *found[:3])
    return _error_response(
        request, 500, "error", "Something went wrong here; quote the request id."
    )


def rate_limited(request: HttpRequest, error: RateLimitError) -> HttpResponse:
    """A limit is reached: a page or a problem, with the time to wait in its headers."""
    response = _error_response(request, error.status_code, error.code, str(error.detail))
    for name, value in error.headers.items():
        response[name] = value
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that was open too long, or that another address sent.

    The log says which address came and which one is expected, because behind a proxy that changes
    one of them no form is taken.
    """
    kind = reason.partition(" - ")[0].rstrip(".")
    _refused_forms.warning(
        "A form was refused (%s). It came from %r; expected is %r, "
        "or one of CSRF_TRUSTED_ORIGINS: %s",
        kind,
        _sending_address(request),
        f"{request.scheme}://{request.get_host()}",
        ", ".join(settings.CSRF_TRUSTED_ORIGINS) or "none",
    )
    if request.path.startswith("/api/"):
        return problem_response(request, 403, "forbidden", TITLES["forbidden"])
    context = {
        "request_id": getattr(request, "request_id", ""),
        "other_address": kind in _OTHER_ADDRESS_REASONS,
    }
    return render(request, "403_csrf.html", context, status=403)


def _sending_address(request: HttpRequest) -> str:
    """The address that sent a form, by its headers: without path, which may name a memory."""
    given = request.headers.get("Origin") or request.headers.get("Referer") or ""
    try:
        parts = urlsplit(given[:MAX_ADDRESS_CHARACTERS])
    except ValueError:
        return "an address that cannot be read"
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else given.partition("/")[0][:20]


def _redirect_to_form(request: HttpRequest, allowed: str) -> HttpResponse:
    """For a GET of an address that only takes a form: a redirect to the page above, with the form.

    It happens after a reload, by a bookmark, or after signing in again.
    """
    if request.method in ("GET", "HEAD"):
        above = _parent_url(request.path)
        if not getattr(request, "htmx", False):
            return redirect(above)
        answer = HttpResponse(status=204)
        answer["HX-Redirect"] = above
        return answer
    answer = _render_error(request, 405)
    answer["Allow"] = allowed
    return answer


def _parent_url(path: str) -> str:
    """The nearest address above that exists. If it only takes a form too, it redirects further."""
    while path := path.rstrip("/").rpartition("/")[0]:
        try:
            resolve(f"{path}/")
        except Resolver404:
            continue
        return f"{path}/"
    return "/"


class PageErrorsMiddleware:
    """Turns exceptions of services into pages, by the same mapping as problems of the API."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if (
            response.status_code == 405
            and not request.path.startswith(PROGRAM_PATHS)
            and not response.content
        ):
            return _redirect_to_form(request, response["Allow"])
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if request.path.startswith(("/api/", MEM0_PREFIX)):
            return None
        if isinstance(error, RateLimitError):
            return rate_limited(request, error)
        if isinstance(error, SuspiciousOperation):
            # `bad_request` tells it, with 413 for what is too large.
            return None
        found = describe_exception(error)
        if found is None or found[0] not in (400, 403, 404, 409, 410, 503, 507):
            return None
        status, code, detail = found[:3]
        if status == 410:
            # A page tells it as what is not there.
            return not_found(request)
        if status in (503, 507):
            log.error("the database failed: %s", type(error).__name__)
        return _render_error(request, status, detail if status in (403, 409) else "", code)
