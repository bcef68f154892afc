"""The base of the views of SCIM: its media type, its keys, its errors, its lists."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from django.db.models import Model, QuerySet
from pydantic import ValidationError
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from scim2_models import (
    Context,
    Error,
    InvalidFilterException,
    InvalidValueException,
    ListResponse,
    MutabilityException,
    NotImplementedException,
    Resource,
    ResponseParameters,
    SCIMException,
    SearchRequest,
)
from scim2_models.path import CompareOperator, Comparison

from orgs.api.base_view import APIView
from orgs.api.json_format import JSONRenderer, StrictJSONParser
from orgs.api.problems import ProblemError, exception_handler
from robots.api.authentication import KeyAuthentication
from robots.api.scim.resources import MAX_RESULTS, POLICY
from robots.provisioning.provisioned_members import AddressChangedError

MAX_FILTER = 1_000
MAX_DETAIL = 500
# The words of SCIM for problems of the product.
SCIM_TYPES = {
    "bad-json": "invalidSyntax",
    "invalid": "invalidValue",
    "like-another": "uniqueness",
    "unfit-name": "invalidValue",
}
ADDRESS_STAYS = (
    "The address of an account is changed by its owner alone. Deactivate this user and create one "
    "for the new address."
)
Row = TypeVar("Row", bound=Model)


class ScimParser(StrictJSONParser):
    media_type = "application/scim+json"


class ScimRenderer(JSONRenderer):
    media_type = "application/scim+json"


def render_error(error: Exception, context: dict[str, Any]) -> Response:
    """An exception as SCIM answers it (RFC 7644, 3.12)."""
    said = _scim_error(error)
    if said is not None:
        error = ProblemError(said.status or 400, "invalid", (said.detail or "")[:MAX_DETAIL])
    problem = exception_handler(error, context)
    code = problem.data["type"].rpartition(":")[2]
    body = Error(
        status=problem.status_code,
        scim_type=SCIM_TYPES.get(code) if said is None else said.scim_type or None,
        detail=problem.data["detail"],
    )
    answer = Response(body.model_dump(), status=problem.status_code)
    for name, value in problem.items():
        if name.lower() != "content-type":
            answer[name] = value
    return answer


def _scim_error(error: Exception) -> Error | None:
    if isinstance(error, AddressChangedError):
        error = MutabilityException(detail=ADDRESS_STAYS)
    if isinstance(error, SCIMException):
        return error.to_error()
    if isinstance(error, ValidationError):
        # The message of a value may quote it; what is written as the input stays out.
        return Error.from_validation_error(error.errors(include_input=False)[0])
    return None


class ScimView(APIView):
    """A view of SCIM. It takes keys that manage alone, and no cookie opens it."""

    # The description of the API is that of /api/v1; SCIM describes itself.
    schema = None  # type: ignore[assignment]
    authentication_classes = (KeyAuthentication,)
    parser_classes = (ScimParser, StrictJSONParser)
    renderer_classes = (ScimRenderer, JSONRenderer)
    scopes: ClassVar[dict[str, str]] = dict.fromkeys(
        ("GET", "POST", "PUT", "PATCH", "DELETE"), "manage"
    )

    def get_exception_handler(self) -> Any:
        return render_error


class NotHereView(ScimView):
    """Every other address below the prefix: 404 as SCIM answers it."""

    def _refuse(self, request: Request, **kwargs: Any) -> Response:
        raise NotFound

    get = post = put = patch = delete = _refuse


class NotBuiltView(ScimView):
    """Calls of SCIM that this server does not have: 501, as the standard says."""

    def _refuse(self, request: Request, **kwargs: Any) -> Response:
        raise NotImplementedException

    get = post = put = patch = delete = _refuse


def parse_body(model: type[Any], request: Request, context: Context) -> Any:
    """The body of a call as a SCIM message. Raises ValidationError."""
    return model.model_validate(request.data, scim_ctx=context, scim_policy=POLICY)


def text_of(value: str | None, name: str, limit: int) -> str:
    """A text of a body; empty without one. Raises InvalidValueException for what the database
    cannot store and for what is too long."""
    text = value or ""
    if len(text) > limit or "\x00" in text:
        raise InvalidValueException(detail=f"{name} has at most {limit} characters, none of it NUL")
    return text


def render_resource(
    request: Request, resource: Resource[Any], context: Context, *, status: int = 200
) -> Response:
    """A resource as an answer, with the attributes that the call asks for."""
    asked = _query(request, ResponseParameters[type(resource)])  # type: ignore[misc]
    body = resource.model_dump(scim_ctx=context, response_parameters=asked)
    headers = {"Location": resource.meta.location} if status == 201 and resource.meta else {}
    return Response(body, status=status, headers=headers)


def render_list(
    request: Request,
    model: type[Resource[Any]],
    rows: "QuerySet[Row]",
    render: Callable[[Sequence[Row]], Sequence[Resource[Any]]],
    columns: Mapping[str, str],
) -> Response:
    """A page of resources that match the filter of the call, in the order of the rows.

    columns: the lookup by which an attribute, in small letters, is compared in the database. Other
    filters are matched one resource after the other. Raises ValidationError.
    """
    asked = _query(request, SearchRequest[model])  # type: ignore[valid-type]
    start, count = asked.start_index_0 or 0, min(MAX_RESULTS, asked.count or 0)
    count = MAX_RESULTS if asked.count is None else count
    matched = None
    if asked.filter is not None:
        found = _equality(asked.filter.ast, columns)
        if found is None:
            matched = [one for one in render(list(rows)) if asked.filter.match(one)]
        else:
            rows = rows.filter(**found)
    if matched is None:
        total, page = rows.count(), list(render(list(rows[start : start + count])))
    else:
        total, page = len(matched), matched[start : start + count]
    answer: Any = ListResponse[model](  # type: ignore[valid-type]
        total_results=total, start_index=start + 1, items_per_page=len(page), resources=page
    )
    body = answer.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE, response_parameters=asked)
    return Response(body)


def _equality(node: Any, columns: Mapping[str, str]) -> dict[str, Any] | None:
    """The lookup of a filter that is one equality of a text; None for any other."""
    if not isinstance(node, Comparison) or node.op != CompareOperator.eq:
        return None
    path = node.attr_path
    column = columns.get(path.attr.lower()) if path.sub_attr is None else None
    # Escapes can spell what the database stores nowhere.
    if column is None or not isinstance(node.value, str) or not node.value.isprintable():
        return None
    return {column: node.value}


def _query(request: Request, model: type[Any]) -> Any:
    given = request.query_params
    if len(given.get("filter", "")) > MAX_FILTER or "\x00" in given.get("filter", ""):
        raise InvalidFilterException(detail=f"A filter has at most {MAX_FILTER} characters.")
    names = ("filter", "startIndex", "count", "attributes", "excludedAttributes")
    known = {"filter", "startIndex", "count"} if issubclass(model, SearchRequest) else set()
    kept = {
        name: given[name]
        for name in names
        if given.get(name) and (name in known or name.lower().endswith("attributes"))
    }
    return model.model_validate(kept, scim_policy=POLICY)
