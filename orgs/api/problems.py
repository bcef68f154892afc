"""RFC 9457 problems: one shape for every error, with a sentence that an agent can act on."""

import logging
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions
from rest_framework.response import Response

from orgs.api.json_format import JSONRenderer
from orgs.database.time_budget import LATE, is_out_of_time
from orgs.errors import AlreadyExistsError, InvalidNameError, LookalikeNameError, NotFoundError
from orgs.models.organisations import Organisation
from orgs.wired_functions import wired

log = logging.getLogger("commonmind.api")

PROBLEM_TYPE_PREFIX = "urn:commonmind:problem:"
MEDIA_TYPE = "application/problem+json"
TITLES = {
    "bad-json": "The body is not JSON",
    "invalid": "Some fields are not valid",
    "unauthenticated": "No valid key or session",
    "forbidden": "Not allowed",
    "not-found": "Not found",
    "method-not-allowed": "This address does not take that method",
    "conflict": "Conflict",
    "like-another": "The name looks like another",
    "unfit-name": "The name cannot be given",
    "body-too-large": "The body is too large",
    "too-many": "Too many",
    "unsupported-media-type": "Send application/json",
    "not-acceptable": "Only JSON is served",
    "unavailable": "A service is not available",
    "out-of-time": "The call took too long",
    "timeout": "The body did not arrive in time",
    "error": "Something went wrong here",
}
# What a 503 tells to wait.
RETRY_SECONDS = 5
NOT_FOUND_DETAIL = "There is nothing here that you may see."


class ProblemError(exceptions.APIException):
    """An error of the product itself. code: the stable last part of the problem's type."""

    def __init__(self, status: int, code: str, detail: str, title: str = "") -> None:
        super().__init__(detail, code)
        self.status_code, self.code, self.title = status, code, title


_exception_problems: dict[type[Exception], tuple[int, str]] = {
    AlreadyExistsError: (409, "conflict"),
    LookalikeNameError: (409, "like-another"),
    InvalidNameError: (400, "unfit-name"),
    PermissionError: (403, "forbidden"),
}


def register_exceptions(problems: Mapping[type[Exception], tuple[int, str, str]]) -> None:
    """Turn an app's exceptions into problems: (status, code, title) of each class. The message of
    an exception becomes the detail."""
    for kind, (status, code, title) in problems.items():
        _exception_problems[kind] = (status, code)
        TITLES[code] = title


@wired
def on_problem(request: Any, code: str) -> None:
    """Record the problem of a DRF request. Not called if the database failed, because this
    writes."""
    raise NotImplementedError


def build_problem(
    status: int,
    code: str,
    detail: str,
    request_id: str,
    errors: list[dict[str, str]] | None = None,
    title: str = "",
) -> dict[str, Any]:
    """The body of a problem. errors: [{field, detail}]."""
    return {
        "type": PROBLEM_TYPE_PREFIX + code,
        "title": title or TITLES.get(code, code.replace("-", " ").capitalize()),
        "status": status,
        "detail": detail,
        "errors": errors or [],
        "request_id": request_id,
    }


def _flatten_errors(detail: Any, path: str = "") -> list[dict[str, str]]:
    if isinstance(detail, dict):
        return [
            row
            for k, v in detail.items()
            for row in _flatten_errors(v, f"{path}.{k}" if path else str(k))
        ]
    if isinstance(detail, list):
        rows: list[dict[str, str]] = []
        for index, item in enumerate(detail):
            nested = isinstance(item, dict | list)
            rows += _flatten_errors(item, f"{path}.{index}" if nested else path)
        return rows
    return [
        {"field": path.replace("non_field_errors", "").strip(".") or "body", "detail": str(detail)}
    ]


def describe_exception(  # noqa: PLR0911 - one return for each kind of error
    error: Exception,
) -> tuple[int, str, str, list[dict[str, str]], str] | None:
    """(status, code, detail, errors, title) of an exception, or None for the unexpected."""
    # The nearest of its class and its base classes.
    for kind in type(error).__mro__:
        if kind in _exception_problems:
            status, code = _exception_problems[kind]
            return status, code, str(error) or TITLES[code], [], ""
    match error:
        case ProblemError():
            return error.status_code, error.code, str(error.detail), [], error.title
        case exceptions.ValidationError():
            errors = _flatten_errors(error.detail)
            first = errors[0] if errors else {"field": "body", "detail": "not valid"}
            return 400, "invalid", f"{first['field']}: {first['detail']}", errors, ""
        case exceptions.ParseError():
            return 400, "bad-json", str(error.detail), [], ""
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return 401, "unauthenticated", str(error.detail), [], ""
        case Http404() | exceptions.NotFound() | NotFoundError() | Organisation.DoesNotExist():
            return 404, "not-found", NOT_FOUND_DETAIL, [], ""
        case PermissionDenied() | exceptions.PermissionDenied():
            return 403, "forbidden", str(error) or TITLES["forbidden"], [], ""
        case exceptions.APIException():
            code = {405: "method-not-allowed", 406: "not-acceptable", 415: "unsupported-media-type"}
            return (
                error.status_code,
                code.get(error.status_code, str(error.default_code)),
                str(error.detail),
                [],
                "",
            )
        case OperationalError() if is_out_of_time(error):
            return 503, "out-of-time", LATE, [], ""
        case OperationalError() | InterfaceError():
            return (
                503,
                "unavailable",
                "The database does not answer; nothing was lost. Try again.",
                [],
                "",
            )
    return None


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's hook: every exception of an API view becomes a problem."""
    request_id = getattr(context["request"], "request_id", "")
    found = describe_exception(error)
    if found is None or isinstance(error, DatabaseError):
        # Log type and place only: a message of the database may quote what was being written.
        log.error(
            "unexpected %s",
            type(error).__name__,
            extra={"request_id": request_id},
            exc_info=found is None,
        )
    if found is None:
        found = (500, "error", "Something went wrong here; quote the request id.", [], "")
    status, code, detail, errors, title = found
    if not isinstance(error, DatabaseError | InterfaceError):
        on_problem(context["request"], code)
    response = Response(
        build_problem(status, code, detail, request_id, errors, title) | _extra_members(error),
        status=status,
        content_type=MEDIA_TYPE,
    )
    for name, value in getattr(error, "headers", {}).items():
        response[name] = value
    if status == 503 and "Retry-After" not in response:
        response["Retry-After"] = str(RETRY_SECONDS)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    if status == 405 and isinstance(error, exceptions.MethodNotAllowed):
        response["Allow"] = ", ".join(context["view"].allowed_methods)
    return response


def _extra_members(error: Exception) -> dict[str, Any]:
    """More members of the problem that the exception brings, such as what is stored now."""
    more: dict[str, Any] = getattr(error, "more", {})
    return more


def problem_response(request: HttpRequest, status: int, code: str, detail: str) -> HttpResponse:
    """A problem as a response outside DRF, for example for an address that does not exist."""
    body = build_problem(status, code, detail, getattr(request, "request_id", ""))
    return HttpResponse(JSONRenderer().render(body), status=status, content_type=MEDIA_TYPE)
