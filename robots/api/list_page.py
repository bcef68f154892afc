"""One page of a list as an answer."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from orgs.api.cursors import page
from orgs.api.serializers import checked
from orgs.database.rls import organisation_scope
from robots.api.serializers import robots as s


def list_page(request: Request, rows: Any, render: Any) -> Response:
    """One page of a queryset of the caller's organisation."""
    asked = checked(s.PageSerializer, request.query_params.dict())
    with organisation_scope(request.user.organisation_id):
        return Response(
            page(request, rows, limit=asked["limit"], cursor=asked.get("cursor"), render=render)
        )
