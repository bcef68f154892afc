"""The log of operations over HTTP."""

from datetime import datetime
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import rendering
from memories.api.operations import serializers as s
from memories.insights.operations import Line, Place, Wanted, operation_counts, operations
from orgs.api.cursors import following, read
from orgs.api.serializers import checked


def _place(text: str) -> Place:
    at, _, id_ = text.partition(" ")
    return datetime.fromisoformat(at), UUID(id_)


def _line(line: Line) -> dict[str, Any]:
    return {
        "id": line.id,
        "verb": line.verb,
        "memory": line.memory,
        "robot": rendering.named(line.robot),
        "at": line.at,
    }


class OperationsView(APIView):
    @extend_schema(
        operation_id="operations_list",
        parameters=[s.OperationFiltersSerializer],
        responses=s.OperationSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        """List what was done with the memories that the caller reads, newest first, without any
        text."""
        asked = checked(s.OperationFiltersSerializer, request.query_params.dict())
        limit, cursor = asked.pop("limit"), asked.pop("cursor", None)
        after = read(request.user, cursor, _place) if cursor else None
        lines, place = operations(request.user, Wanted(**asked), limit=limit, after=after)
        more = following(request, f"{place[0].isoformat()} {place[1]}") if place else None
        return Response({"results": [_line(line) for line in lines], "next": more})


class CountsView(APIView):
    @extend_schema(
        operation_id="operation_counts",
        parameters=[s.PeriodSerializer],
        responses=s.OperationCountsSerializer,
    )
    def get(self, request: Request) -> Response:
        """Count what each robot did with the memories that the caller reads; for curators and
        admins."""
        asked = checked(s.PeriodSerializer, request.query_params.dict())
        found = operation_counts(request.user, **asked)
        return Response(
            {"results": [{"robot": rendering.named(one.robot), **one.counts} for one in found]}
        )
