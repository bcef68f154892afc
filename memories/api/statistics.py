"""Figures over HTTP."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.serializers.statistics import StatsSerializer
from memories.api.serializers.tags import TagQuerySerializer, TagsSerializer
from memories.insights import tag_counts
from memories.insights.statistics import get_statistics
from orgs.api.serializers import validate_data


class StatsView(APIView):
    @extend_schema(operation_id="stats", responses=StatsSerializer)
    def get(self, request: Request) -> Response:
        """Figures over the active memories that the caller may read."""
        return Response(get_statistics(request.user, now=timezone.now()))


class TagsView(APIView):
    @extend_schema(operation_id="tags", parameters=[TagQuerySerializer], responses=TagsSerializer)
    def get(self, request: Request) -> Response:
        """The tags of the active memories that the caller may read, with counts of memories."""
        wanted = validate_data(TagQuerySerializer, _parse_flags(request.query_params.dict()))
        return Response(tag_counts.search_tags(request.user, wanted, now=timezone.now()))


def _parse_flags(params: dict[str, str]) -> dict[str, str | bool]:
    """Query parameters, with the texts "true" and "false" as booleans."""
    return {k: v == "true" if v in ("true", "false") else v for k, v in params.items()}
