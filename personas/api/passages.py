"""Archival passages over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers.recall import MAX_QUERY_CHARACTERS
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    MAX_ITEMS,
    DocumentField,
    StrictSerializer,
    TextField,
    query_values,
    validate_data,
)
from personas.block_writes import passages
from robots.access.personal_robot_actor import resolve_owner_actor

MAX_TEXT_LENGTH = 1_000_000


class PassageQuerySerializer(StrictSerializer):
    """Query parameters."""

    query = TextField(max_length=MAX_QUERY_CHARACTERS)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=10)
    member = TextField(
        max_length=400,
        required=False,
        help_text="The member for whom a robot asks. A personal robot asks for its own by default.",
    )


class PassageRequestSerializer(StrictSerializer):
    text = TextField(max_length=MAX_TEXT_LENGTH, trim_whitespace=False)
    source = DocumentField(required=False)
    member = TextField(
        max_length=400,
        required=False,
        help_text="The member for whom a robot writes. A personal robot writes for its own by "
        "default.",
    )


class PassageSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="The id of its memory.")
    text = serializers.CharField()
    score = serializers.FloatField(help_text="0-1; comparable only within one answer.")
    created_at = serializers.DateTimeField()


class PassageListSerializer(serializers.Serializer[Any]):
    results = PassageSerializer(many=True)


class PassageAddedSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    deduplicated = serializers.BooleanField(help_text="Whether it was there already.")


class PassagesView(APIView):
    @extend_schema(
        operation_id="passages_list",
        parameters=[PassageQuerySerializer],
        responses=PassageListSerializer,
    )
    def get(self, request: Request) -> Response:
        """Search the private memories of a member, which include the passages, best first.

        For the member, and for robots with the member's delegation; others are 403.
        """
        asked = validate_data(PassageQuerySerializer, query_values(request))
        actor = resolve_owner_actor(request.user, asked.get("member"))
        found = passages.search_passages(
            actor, asked["query"], limit=asked["limit"], now=timezone.now()
        )
        names = ("id", "text", "score", "created_at")
        rows = [{name: getattr(one, name) for name in names} for one in found]
        return Response({"results": rows})

    @extend_schema(
        operation_id="passages_create",
        request=PassageRequestSerializer,
        responses={200: PassageAddedSerializer, 201: PassageAddedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Store a text as a private memory of a member (201); the number of passages has no limit.

        200 if the member has the same text already. Others than the member and robots with the
        member's delegation are 403.
        """
        data = validate_data(PassageRequestSerializer, request.data)
        actor = resolve_owner_actor(request.user, data.get("member"))
        made = passages.add_passage(
            actor, data["text"], source=data.get("source"), now=timezone.now()
        )
        body = {"id": made.id, "deduplicated": made.deduplicated}
        return Response(body, status=200 if made.deduplicated else 201)
