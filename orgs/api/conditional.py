"""ETag, If-Match and If-None-Match: an update that would be lost is noticed
(docs/adr/0044-idempotency.md).

The mark of a resource is a digest of what its GET answers this caller, of the fields that somebody
changes. So rows that the caller may not read change no mark, and a change is checked against what
the caller would read now.
"""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseNotModified, QueryDict
from django.urls import resolve
from django.utils.http import parse_etags
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from orgs.api.json_format import JSONRenderer
from orgs.api.problems import NOT_FOUND_DETAIL, ProblemError, status_of
from orgs.database.prepared_statements import fetch_all
from orgs.database.rls import Scope, observed_scopes, scope
from orgs.errors import NotFoundError, ReferenceNotFoundError
from orgs.models.organisations import Organisation

IF_MATCH, IF_NONE_MATCH, ETAG = "If-Match", "If-None-Match", "ETag"
# Fields of a call that say for whom and where it asks; the GET of a resource takes them as well.
_WHOSE = ("member", "group")
_ABSENT = (NotFoundError, ReferenceNotFoundError, Http404, NotFound, Organisation.DoesNotExist)

Handler = Callable[..., HttpResponse]


@dataclass(frozen=True, slots=True)
class Resource:
    """What has an ETag. fields: of its answer, those that somebody changes. locks: statements that
    lock its rows, in the order in which services lock them; with %(organisation)s and %(id)s."""

    fields: tuple[str, ...]
    locks: tuple[str, ...]


_resources: dict[str, Resource] = {}


def register_resources(resources: Mapping[str, Resource]) -> None:
    """Give resources an ETag, by the name that their id has in addresses."""
    _resources.update(resources)


def find_resource_name(names: Mapping[str, Any] | list[str]) -> str | None:
    """The first name of an id in an address that is a resource's; None without one."""
    return next((name for name in names if name in _resources), None)


def asks_condition(request: Request) -> bool:
    """Whether the call is to run only if a resource is, or is not, as the caller knows it."""
    return IF_MATCH in request.headers or IF_NONE_MATCH in request.headers


def compute_etag(name: str, body: Mapping[str, Any]) -> str:
    """The strong ETag of a resource by what its GET answers."""
    told = {field: body.get(field) for field in _resources[name].fields}
    return f'"{sha256(JSONRenderer().render(told)).hexdigest()[:32]}"'


def get_with_etag(
    name: str, handler: Handler, request: Request, *args: Any, **kwargs: Any
) -> HttpResponse:
    """Run the GET of a resource; its answer has an ETag, and is 304 if the caller knows it."""
    response: Any = handler(request, *args, **kwargs)
    if response.status_code != 200:
        return response  # type: ignore[no-any-return]
    etag = compute_etag(name, response.data)
    if _is_known(request, etag):
        return HttpResponseNotModified(headers={ETAG: etag})
    response[ETAG] = etag
    return response  # type: ignore[no-any-return]


def _is_known(request: Request, etag: str) -> bool:
    """Whether If-None-Match names it."""
    known = [one.removeprefix("W/") for one in parse_etags(request.headers.get(IF_NONE_MATCH, ""))]
    return etag in known or "*" in known


def change_if(
    name: str, handler: Handler, request: Request, *args: Any, **kwargs: Any
) -> HttpResponse:
    """Run the handler if the resource is as the caller says, under its lock until the change is
    stored. The answer has the new ETag, if the caller still reads the resource.

    Raises ProblemError (412) otherwise, with the present ETag; the same for what is absent and what
    the caller may not read. Raises what the GET of the resource raises for a key that may not read,
    and what the handler raises.
    """
    refused: Exception | None = None
    with transaction.atomic():
        with observed_scopes() as scopes:
            etag = _read_etag(name, request, kwargs)
        if etag is not None:
            _lock(name, request, kwargs[name], scopes)
            # As it is under the lock; before that somebody may have been about to change it.
            etag = _read_etag(name, request, kwargs)
        _check(request, etag)
        try:
            response = handler(request, *args, **kwargs)
        except Exception as error:
            if status_of(error) >= 500:
                raise
            refused = error
        else:
            after = _read_etag(name, request, kwargs) if response.status_code < 300 else None
            if after is not None:
                response[ETAG] = after
    if refused is not None:
        raise refused
    return response


def _check(request: Request, etag: str | None) -> None:
    wanted = parse_etags(request.headers.get(IF_MATCH, "")) if IF_MATCH in request.headers else None
    if etag is None:
        if wanted is not None:
            raise PreconditionError(NOT_FOUND_DETAIL)
        return
    if (wanted is not None and etag not in wanted and "*" not in wanted) or (
        IF_NONE_MATCH in request.headers and _is_known(request, etag)
    ):
        raise PreconditionError(
            "Somebody changed this meanwhile; nothing was overwritten. Read it again.", etag
        )


class PreconditionError(ProblemError):
    """The resource is not as the caller says. etag: the present one; None if there is nothing that
    the caller may see."""

    def __init__(self, detail: str, etag: str | None = None) -> None:
        super().__init__(412, "changed", detail)
        self.headers = {ETAG: etag} if etag else {}
        self.more = {"etag": etag} if etag else {}


def _read_etag(name: str, request: Request, kwargs: Mapping[str, Any]) -> str | None:
    """The ETag of the resource for the caller, by its own GET; None for what is not there."""
    http = request._request
    id_ = str(kwargs[name])
    path = http.path_info.partition(id_)[0] + id_
    match = resolve(path)
    view = match.func.cls()  # type: ignore[attr-defined]
    asked = copy.copy(http)
    asked.method, asked.path_info = "GET", path
    asked.GET = QueryDict(mutable=True)
    given = _given(request)
    asked.GET.update({key: given[key] for key in _WHOSE if key in given})
    view.setup(asked, *match.args, **match.kwargs)
    view.request = view.initialize_request(asked)
    view.request.user, view.request.auth = request.user, request.auth
    view.check_permissions(view.request)
    try:
        response = view.get(view.request, *match.args, **match.kwargs)
    except _ABSENT:
        return None
    return compute_etag(name, response.data)


def _given(request: Request) -> dict[str, str]:
    """The texts that the call sends by names, in its query and body."""
    body = request.data if isinstance(request.data, Mapping) else {}
    every = {**request.query_params.dict(), **body}
    return {key: value for key, value in every.items() if isinstance(value, str)}


def _lock(name: str, request: Request, id_: UUID, scopes: list[Scope]) -> None:
    """Lock the rows of the resource, in the scopes in which it was read."""
    audiences = {audience for one in scopes for audience in one.audiences}
    organisation = request.user.organisation_id
    with scope(Scope(organisation=organisation, audiences=tuple(sorted(audiences)))):
        for statement in _resources[name].locks:
            fetch_all(statement, {"organisation": organisation, "id": id_})
