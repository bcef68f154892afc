"""What a memory was before, what it is connected with, and whether a member reads it."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.access.reader_list.reader_list import get_member_access
from memories.api.serializers.memories import AudienceSerializer, MemorySerializer
from memories.browsing.memory_versions import MemoryVersion, get_lineage, list_versions
from orgs.api.base_view import APIView
from orgs.api.cursors import next_page_url, parse_cursor
from orgs.api.serializers import (
    AnswerSerializer,
    NamedSerializer,
    StrictSerializer,
    TextField,
    query_values,
    validate_data,
)


class AccessParametersSerializer(StrictSerializer):
    """Query parameters."""

    memory = serializers.UUIDField()
    member = TextField(
        max_length=400,
        required=False,
        help_text="Who is asked about, by id or platform:identifier; a person who leaves it out "
        "asks about themselves.",
    )


class AccessSerializer(AnswerSerializer):
    """Whether a member reads a memory now."""

    memory = serializers.UUIDField()
    member = NamedSerializer()
    can_read = serializers.BooleanField(
        allow_null=True,
        help_text="Null if the caller may not know, because readers are hidden from it.",
    )
    reason = serializers.CharField(help_text="Why, in some words.")


class HistoryParametersSerializer(StrictSerializer):
    """Query parameters of a history."""

    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = TextField(max_length=2000, required=False)


class VersionSerializer(AnswerSerializer):
    """One version of a memory."""

    version = serializers.IntegerField(source="number", help_text="Counted from 1.")
    current = serializers.BooleanField(help_text="Whether this is the present version.")
    content = serializers.CharField()
    category = serializers.CharField()
    importance = serializers.FloatField()
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField()
    expires_at = serializers.DateTimeField(allow_null=True)
    audience = AudienceSerializer()
    robot = NamedSerializer(
        allow_null=True,
        help_text="The robot that made this version; null where none did or the caller may not "
        "know it.",
    )
    member = NamedSerializer(
        allow_null=True, help_text="The person who made this version; null where a robot did."
    )
    at = serializers.DateTimeField(help_text="When this version was made.")

    @staticmethod
    def get_audience(past: MemoryVersion) -> dict[str, str]:
        return {"kind": past.audience_kind, "label": past.audience_label}


class LineageSerializer(AnswerSerializer):
    derived_from = MemorySerializer(
        many=True, help_text="The memories from which it was made, newest first, at most 100."
    )
    used_in = MemorySerializer(
        many=True, help_text="The memories that were made from it, newest first, at most 100."
    )
    further_back = serializers.ListField(
        child=serializers.ListField(child=MemorySerializer()),
        help_text="The sources of `derived_from`, then the sources of those: a list for each "
        "level, at most two levels.",
    )


class HistoryView(APIView):
    within_groups = ("GET",)

    @extend_schema(
        operation_id="memories_history",
        parameters=[HistoryParametersSerializer],
        responses=VersionSerializer(many=True),
    )
    def get(self, request: Request, memory_id: UUID) -> Response:
        """List the versions that the caller may read, the newest first, with who made each."""
        asked = validate_data(HistoryParametersSerializer, query_values(request))
        cursor = asked.get("cursor")
        before = parse_cursor(request.user, cursor, int) if cursor else None
        found = list_versions(request.user, memory_id, limit=asked["limit"], before=before)
        more = next_page_url(request, str(found.before)) if found.before else None
        return Response(
            {"results": [VersionSerializer.render(one) for one in found.versions], "next": more}
        )


class LineageView(APIView):
    within_groups = ("GET",)

    @extend_schema(operation_id="memories_lineage", responses=LineageSerializer)
    def get(self, request: Request, memory_id: UUID) -> Response:
        """The memories from which a memory was made, and those that were made from it.

        Only memories that the caller may read are listed.
        """
        return Response(LineageSerializer.render(get_lineage(request.user, memory_id)))


class AccessView(APIView):
    @extend_schema(
        operation_id="access",
        parameters=[AccessParametersSerializer],
        responses=AccessSerializer,
    )
    def get(self, request: Request) -> Response:
        """Whether a member can read a memory, and why.

        Everybody may ask about themselves; about others whoever wrote it, whom it is about, and
        those who curate and read it (else 403). 404 for a memory that the caller does not read.
        """
        asked = validate_data(AccessParametersSerializer, query_values(request))
        found = get_member_access(request.user, asked["memory"], asked.get("member"))
        return Response(AccessSerializer.render(found, memory=asked["memory"]))
