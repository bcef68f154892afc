"""Who said it, and when, over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.retrieval.robot_mentions import TimelineEntry, count_by_robot, list_timeline
from orgs.api.base_view import APIView
from orgs.api.serializers import (
    HIDDEN_ROBOT_HELP,
    MAX_ITEMS,
    AnswerSerializer,
    NamedSerializer,
    StrictSerializer,
    TextField,
    id_and_name,
    query_values,
    validate_data,
)


class SaidParametersSerializer(StrictSerializer):
    """Query parameters."""

    topic = TextField(
        max_length=500,
        required=False,
        default="",
        allow_blank=True,
        help_text="Words that must all be in a memory, in any order; `or` and a minus sign work "
        "as in a web search. Without words the list is empty.",
    )
    limit = serializers.IntegerField(
        min_value=1,
        max_value=MAX_ITEMS,
        required=False,
        help_text="Only so many of the newest memories are counted; left out, all of them.",
    )


class TimelineParametersSerializer(SaidParametersSerializer):
    limit = serializers.IntegerField(
        min_value=1, max_value=MAX_ITEMS, default=50, help_text="How many memories are listed."
    )


class RobotCountSerializer(AnswerSerializer):
    robot = NamedSerializer(source="*")
    count = serializers.IntegerField(help_text="How many of these memories it brought.")


class WhoSaidSerializer(AnswerSerializer):
    results = RobotCountSerializer(many=True)


class MomentSerializer(AnswerSerializer):
    timestamp = serializers.DateTimeField(
        source="at", help_text="When it was said, else when it was written."
    )
    memory = serializers.UUIDField(source="memory_id")
    robot = NamedSerializer(allow_null=True, help_text=HIDDEN_ROBOT_HELP)
    content = serializers.CharField()
    speaker = serializers.CharField(help_text="Whose words it gives, as a name; may be empty.")
    speaker_member = NamedSerializer(
        allow_null=True, help_text="The member who said it; null if `speaker` is only a name."
    )

    @staticmethod
    def get_robot(one: TimelineEntry) -> dict[str, Any] | None:
        return id_and_name(one.robot_id, one.robot_name)

    @staticmethod
    def get_speaker_member(one: TimelineEntry) -> dict[str, Any] | None:
        return id_and_name(one.member_id, one.member_name)


class TimelineSerializer(AnswerSerializer):
    results = MomentSerializer(many=True)


class SaidView(APIView):
    within_groups = ("GET",)

    @extend_schema(
        operation_id="said", parameters=[SaidParametersSerializer], responses=WhoSaidSerializer
    )
    def get(self, request: Request) -> Response:
        """Count, for each robot, the memories with all words of a topic that it brought.

        All that the caller may read count; of the robots the 100 that brought most are listed.
        """
        asked = validate_data(SaidParametersSerializer, query_values(request))
        found = count_by_robot(request.user, now=timezone.now(), **asked)
        return Response({"results": [RobotCountSerializer.render(one) for one in found]})


class TimelineView(APIView):
    within_groups = ("GET",)

    @extend_schema(
        operation_id="timeline",
        parameters=[TimelineParametersSerializer],
        responses=TimelineSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the newest memories with all words of a topic, the oldest of these first."""
        asked = validate_data(TimelineParametersSerializer, query_values(request))
        found = list_timeline(request.user, now=timezone.now(), **asked)
        return Response({"results": [MomentSerializer.render(one) for one in found]})
