"""What is known in a group."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers.memories import MemorySerializer
from memories.browsing.group_context import get_group_context
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    MAX_ITEMS,
    AnswerSerializer,
    StrictSerializer,
    TextField,
    query_values,
    validate_data,
)


class GroupContextParametersSerializer(StrictSerializer):
    """Query parameters."""

    member = TextField(
        max_length=400,
        required=False,
        help_text="A member of the group, by id or platform:identifier. A robot that names one "
        "acts for them.",
    )
    limit = serializers.IntegerField(
        min_value=1, max_value=MAX_ITEMS, default=100, help_text="Of each of the two lists."
    )


class GroupContextSerializer(AnswerSerializer):
    group_context = MemorySerializer(many=True, help_text="Memories of kind `group`.")
    user_context = MemorySerializer(
        many=True,
        help_text="Memories about the member in this group; empty without `member`.",
    )


class GroupContextView(APIView):
    @extend_schema(
        operation_id="groups_context",
        parameters=[GroupContextParametersSerializer],
        responses=GroupContextSerializer,
    )
    def get(self, request: Request, reference: str) -> Response:
        """The memories of a group, and with `member` those about the member there; newest first."""
        asked = validate_data(GroupContextParametersSerializer, query_values(request))
        found = get_group_context(request.user, reference, now=timezone.now(), **asked)
        return Response(GroupContextSerializer.render(found))
