"""One page of a list as an answer."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.cursors import paginate
from orgs.api.serializers import query_values, validate_data
from orgs.database.rls import organisation_scope
from robots.api.serializers import robots as s


def paginated_response(request: Request, rows: Any, render: Any) -> Response:
    """One page of a queryset of the caller's organisation."""
    asked = validate_data(s.PageSerializer, query_values(request))
    with organisation_scope(request.user.organisation_id):
        return Response(
            paginate(request, rows, limit=asked["limit"], cursor=asked.get("cursor"), render=render)
        )
