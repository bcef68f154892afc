"""Figures over HTTP."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.serializers import memories
from memories.insights.statistics import stats


class StatsView(APIView):
    @extend_schema(operation_id="stats", responses=memories.StatsSerializer)
    def get(self, request: Request) -> Response:
        """Figures over what the caller may read."""
        return Response(stats(request.user, now=timezone.now()))
