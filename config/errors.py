"""Errors outside the API's views: a page for people, a problem for robots."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from orgs.api.problems import NOT_FOUND_DETAIL, TITLES, plain_problem


def _answer(request: HttpRequest, status: int, code: str, detail: str) -> HttpResponse:
    if request.path.startswith("/api/"):
        return plain_problem(request, status, code, detail)
    return render(
        request, f"{status}.html", {"request_id": getattr(request, "request_id", "")}, status=status
    )


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 404, "not-found", NOT_FOUND_DETAIL)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 403, "forbidden", TITLES["forbidden"])


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _answer(request, 400, "invalid", "The request is not understood.")


def server_error(request: HttpRequest) -> HttpResponse:
    return _answer(request, 500, "error", "Something went wrong here; quote the request id.")
