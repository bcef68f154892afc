"""Archival passages over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.serializers.recall import MAX_QUERY_CHARACTERS
from orgs.api.serializers import (
    MAX_ITEMS,
    DocumentField,
    StrictSerializer,
    TextField,
    checked,
)
from personas.block_writes import passages
from robots.access.own_member import act_for_owner

LONGEST = 1_000_000


class PassageQuerySerializer(StrictSerializer):
    """Query parameters."""

    query = TextField(max_length=MAX_QUERY_CHARACTERS)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=10)
    member = TextField(max_length=400, required=False)


class PassageRequestSerializer(StrictSerializer):
    text = TextField(max_length=LONGEST, trim_whitespace=False)
    source = DocumentField(required=False)
    member = TextField(max_length=400, required=False)


class PassageSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="Of the memory that it is.")
    text = serializers.CharField()
    score = serializers.FloatField()
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
        """The member's passages nearest in meaning, best first.

        A personal robot that names nobody asks for its member.
        """
        asked = checked(PassageQuerySerializer, request.query_params.dict())
        actor = act_for_owner(request.user, asked.get("member"))
        found = passages.passages(actor, asked["query"], limit=asked["limit"], now=timezone.now())
        names = ("id", "text", "score", "created_at")
        rows = [{name: getattr(one, name) for name in names} for one in found]
        return Response({"results": rows})

    @extend_schema(
        operation_id="passages_create",
        request=PassageRequestSerializer,
        responses={200: PassageAddedSerializer, 201: PassageAddedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Keep a passage for the member alone; as many as wanted."""
        data = checked(PassageRequestSerializer, request.data)
        actor = act_for_owner(request.user, data.get("member"))
        made = passages.add_passage(
            actor, data["text"], source=data.get("source"), now=timezone.now()
        )
        body = {"id": made.id, "deduplicated": made.deduplicated}
        return Response(body, status=200 if made.deduplicated else 201)
