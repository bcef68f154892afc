"""RFC 9457 problems: one shape for every error, with a sentence that an agent can act on."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import DatabaseError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from rest_framework import exceptions
from rest_framework.response import Response

from orgs.api.json_format import JSONRenderer
from orgs.database.driver.servers import OrganisationMovedError, OrganisationMovingError
from orgs.database.rls import is_disk_full
from orgs.database.time_budget import LATE, is_out_of_time
from orgs.errors import (
    AlreadyExistsError,
    InvalidLanguageError,
    InvalidNameError,
    LookalikeNameError,
    NotFoundError,
    PlacementPendingError,
    QuotaError,
    ReferenceNotFoundError,
    SuspendedError,
)
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
    "quota": "The organisation is full",
    "suspended": "The organisation is suspended",
    "method-not-allowed": "This address does not take that method",
    "conflict": "Conflict",
    "like-another": "The name looks like another",
    "unfit-name": "The name cannot be given",
    "body-too-large": "The body is too large",
    "too-many": "Too many",
    "unsupported-media-type": "The body has another media type",
    "bad-form": "The form cannot be read",
    "not-acceptable": "Only JSON is served",
    "unavailable": "A service is not available",
    "idempotency-key": "The idempotency key cannot be used",
    "still-running": "The call with this key still runs",
    "key-reused": "The idempotency key belongs to another call",
    "changed": "Changed meanwhile",
    "not-repeated": "The call has run, and its answer is not repeated",
    "organisation-moving": "The organisation moves to another server",
    "out-of-time": "The call took too long",
    "disk-full": "The server's disk is full",
    "timeout": "The body did not arrive in time",
    "error": "Something went wrong here",
}
# What a 503 tells to wait.
RETRY_SECONDS = 5
NO_ROOM = (
    "The server's disk is full, so nothing was changed. What is kept can be read. Whoever runs the "
    "server has to make room."
)
BAD_FORM = "The form is broken, or has more fields than are read."
NOT_FOUND_DETAIL = "There is nothing here that you may see."
# By what is looked for: the fields of bodies and queries that refer to it.
REFERENCE_FIELDS: dict[str, frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in {
        "account": "accounts",
        "answer": "recall_id",
        "conversation": "conversation",
        "decision": "supersedes",
        "group": "group groups shareable_with",
        "industry": "visibility",
        "member": "about add assignee by listeners member members mentions participants remove "
        "speaker",
        "memory": "based_on into memories memory references supersedes",
        "persona": "handle persona visibility",
        "robot": "add by participants remove robot robots",
        "role": "visibility",
        "source": "source",
        "team": "team teams to visibility",
    }.items()
}
MAX_REFERENCE_FIELDS = 20


class ProblemError(exceptions.APIException):
    """An error of the product itself. code: the stable last part of the problem's type."""

    def __init__(self, status: int, code: str, detail: str, title: str = "") -> None:
        super().__init__(detail, code)
        self.status_code, self.code, self.title = status, code, title


_exception_problems: dict[type[Exception], tuple[int, str]] = {
    AlreadyExistsError: (409, "conflict"),
    LookalikeNameError: (409, "like-another"),
    InvalidNameError: (400, "unfit-name"),
    InvalidLanguageError: (400, "invalid"),
    PermissionError: (403, "forbidden"),
    QuotaError: (403, "quota"),
    SuspendedError: (403, "suspended"),
    PlacementPendingError: (503, "unavailable"),
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


def _reference_errors(error: ReferenceNotFoundError, given: Any) -> list[dict[str, str]]:
    """The fields of a body or query that hold the reference; none if it stands in the path."""
    names = REFERENCE_FIELDS.get(error.kind, frozenset())
    detail, found = f"There is no such {error.kind} that you may see.", []
    for path, name, text in _iter_texts(given):
        if name in names and _is_reference(text, error):
            found.append({"field": path, "detail": detail})
        if len(found) == MAX_REFERENCE_FIELDS:
            break
    return found


def _iter_texts(value: Any, path: str = "", name: str = "") -> Iterator[tuple[str, str, str]]:
    """(path with dots, name of the field, text) of every string in a JSON value."""
    if isinstance(value, str):
        yield path, name, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _iter_texts(inner, f"{path}.{key}" if path else str(key), str(key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _iter_texts(inner, f"{path}.{index}" if path else str(index), name)


def _is_reference(text: str, error: ReferenceNotFoundError) -> bool:
    text = text.strip()
    if isinstance(error.reference, UUID):
        try:
            return UUID(text) == error.reference
        except ValueError:
            return False
    # A visibility names its team or persona after a colon.
    return text in (str(error.reference), f"{error.kind}:{error.reference}")


def describe_exception(  # noqa: PLR0911 - one return for each kind of error
    error: Exception, given: Any = None
) -> tuple[int, str, str, list[dict[str, str]], str] | None:
    """(status, code, detail, errors, title) of an exception, or None for the unexpected.

    given: the JSON that the caller sent, in which a reference that means nothing is looked for. An
    exception may name the fields that are wrong in `errors`.
    """
    # The nearest of its class and its base classes.
    for kind in type(error).__mro__:
        if kind in _exception_problems:
            status, code = _exception_problems[kind]
            return status, code, str(error) or TITLES[code], getattr(error, "errors", []), ""
    match error:
        case ProblemError():
            return error.status_code, error.code, str(error.detail), [], error.title
        case exceptions.ValidationError():
            errors = _flatten_errors(error.detail)
            first = errors[0] if errors else {"field": "body", "detail": "not valid"}
            return 400, "invalid", f"{first['field']}: {first['detail']}", errors, ""
        case exceptions.ParseError():
            return 400, "bad-json", str(error.detail), [], ""
        case SuspiciousOperation() | MultiPartParserError():
            # The check of a session's token reads the form before any parser of a view.
            return 400, "bad-form", BAD_FORM, [], ""
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return 401, "unauthenticated", str(error.detail), [], ""
        case ReferenceNotFoundError():
            return 404, "not-found", NOT_FOUND_DETAIL, _reference_errors(error, given), ""
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
        case OperationalError() | InterfaceError():
            return *_describe_database_error(error), [], ""
    return None


def _describe_database_error(error: Exception) -> tuple[int, str, str]:
    if isinstance(error, OrganisationMovedError | OrganisationMovingError):
        return 503, "organisation-moving", str(error)
    if is_out_of_time(error):
        return 503, "out-of-time", LATE
    if is_disk_full(error):
        return 507, "disk-full", NO_ROOM
    return 503, "unavailable", "The database does not answer; nothing was lost. Try again."


def status_of(error: Exception) -> int:
    """The status that an exception is answered with; 500 for the unexpected."""
    found = describe_exception(error)
    return 500 if found is None else found[0]


def exception_handler(error: Exception, context: dict[str, Any]) -> Response:
    """DRF's hook: every exception of an API view becomes a problem."""
    request_id = getattr(context["request"], "request_id", "")
    given = _sent(context["request"]) if isinstance(error, ReferenceNotFoundError) else None
    found = describe_exception(error, given)
    moving = isinstance(error, OrganisationMovedError | OrganisationMovingError)
    if found is None or (isinstance(error, DatabaseError) and not moving):
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


def _sent(request: Any) -> dict[str, Any]:
    """What a call sent by names: its query and its body."""
    try:
        body = request.data
    except exceptions.APIException:
        # The view did not read the body, which is none that could be read.
        body = None
    return {**request.query_params.dict(), **(body if isinstance(body, Mapping) else {})}


def _extra_members(error: Exception) -> dict[str, Any]:
    """More members of the problem that the exception brings, such as what is stored now."""
    more: dict[str, Any] = getattr(error, "more", {})
    return more


def refused_item(request: Any, index: int, error: Exception) -> dict[str, Any]:
    """The result of an item of a batch that was refused. Raises the error if it is unexpected."""
    found = describe_exception(error, request.data["items"][index])
    if found is None:
        raise error
    status, code, detail, errors, title = found
    body = build_problem(status, code, detail, request.request_id, errors, title)
    return {"index": index, "status": "refused", "problem": body | _extra_members(error)}


def problem_response(request: HttpRequest, status: int, code: str, detail: str) -> HttpResponse:
    """A problem as a response outside DRF, for example for an address that does not exist."""
    body = build_problem(status, code, detail, getattr(request, "request_id", ""))
    return HttpResponse(JSONRenderer().render(body), status=status, content_type=MEDIA_TYPE)
