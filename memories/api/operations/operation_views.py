"""The log of operations over HTTP."""

from datetime import datetime
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.operations import serializers as s
from memories.insights.operations import (
    OperationCursor,
    OperationFilter,
    count_operations,
    list_operations,
)
from orgs.api.base_view import APIView
from orgs.api.cursors import next_page_url, parse_cursor
from orgs.api.serializers import query_values, validate_data


def _parse_cursor(text: str) -> OperationCursor:
    at, _, id_ = text.partition(" ")
    return datetime.fromisoformat(at), UUID(id_)


class OperationsView(APIView):
    @extend_schema(
        operation_id="operations_list",
        parameters=[s.OperationFiltersSerializer],
        responses=s.OperationSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List what was done with the memories that the caller reads, newest first, without any
        text."""
        asked = validate_data(s.OperationFiltersSerializer, query_values(request))
        limit, cursor = asked.pop("limit"), asked.pop("cursor", None)
        after = parse_cursor(request.user, cursor, _parse_cursor) if cursor else None
        lines, place = list_operations(
            request.user, OperationFilter(**asked), limit=limit, after=after
        )
        more = next_page_url(request, f"{place[0].isoformat()} {place[1]}") if place else None
        return Response(
            {"results": [s.OperationSerializer.render(line) for line in lines], "next": more}
        )


class CountsView(APIView):
    @extend_schema(
        operation_id="operation_counts",
        parameters=[s.PeriodSerializer],
        responses=s.OperationCountsSerializer,
    )
    def get(self, request: Request) -> Response:
        """Count what each robot did with the memories that the caller reads; for curators and
        admins."""
        asked = validate_data(s.PeriodSerializer, query_values(request))
        found = count_operations(request.user, **asked)
        results = [s.RobotCountsSerializer.render(one, **one.counts) for one in found]
        return Response({"results": results})
