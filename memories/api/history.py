"""What a memory was before, and what it is connected with."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.api.serializers.memories import AudienceSerializer, MemorySerializer
from memories.browsing.memory_versions import MemoryVersion, get_lineage, list_versions
from orgs.api.cursors import next_page_url, parse_cursor
from orgs.api.serializers import (
    AnswerSerializer,
    NamedSerializer,
    StrictSerializer,
    TextField,
    query_values,
    validate_data,
)


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
    @extend_schema(operation_id="memories_lineage", responses=LineageSerializer)
    def get(self, request: Request, memory_id: UUID) -> Response:
        """The memories from which a memory was made, and those that were made from it.

        Only memories that the caller may read are listed.
        """
        return Response(LineageSerializer.render(get_lineage(request.user, memory_id)))
