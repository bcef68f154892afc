"""What is known in a group."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api import rendering
from memories.api.serializers.memories import MemorySerializer
from memories.library.group_context import group_context
from orgs.api.serializers import MAX_ITEMS, StrictSerializer, TextField, checked


class GroupContextParametersSerializer(StrictSerializer):
    """Query parameters: the member whose rows come along."""

    member = TextField(max_length=400, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=100)


class GroupContextSerializer(serializers.Serializer[Any]):
    group_context = MemorySerializer(many=True)
    user_context = MemorySerializer(many=True)


class GroupContextView(APIView):
    @extend_schema(
        operation_id="groups_context",
        parameters=[GroupContextParametersSerializer],
        responses=GroupContextSerializer,
    )
    def get(self, request: Request, reference: str) -> Response:
        """What the group knows and, with a member, what is known of them there; newest first."""
        asked = checked(GroupContextParametersSerializer, request.query_params.dict())
        found = group_context(request.user, reference, now=timezone.now(), **asked)
        return Response(
            {
                "group_context": [rendering.memory(row) for row in found.group_context],
                "user_context": [rendering.memory(row) for row in found.user_context],
            }
        )
