"""One page of a list as an answer."""

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.cursors import paginate
from orgs.api.serializers import query_values, validate_data
from orgs.database.rls import organisation_scope
from robots.api.serializers import robots as s


def paginated_response(
    request: Request,
    rows: Any,
    render: Any,
    serializer: type[s.PageSerializer] = s.PageSerializer,
    narrow: Callable[[Any, dict[str, Any]], Any] | None = None,
) -> Response:
    """One page of a queryset of the caller's organisation.

    serializer: of the query. narrow: makes the rows fewer by the validated query.
    """
    asked = validate_data(serializer, query_values(request))
    with organisation_scope(request.user.organisation_id):
        if narrow is not None:
            rows = narrow(rows, asked)
        return Response(
            paginate(request, rows, limit=asked["limit"], cursor=asked.get("cursor"), render=render)
        )
