"""Who said it, and when, over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.retrieval.robot_mentions import count_by_robot, list_timeline
from orgs.api.serializers import (
    HIDDEN_ROBOT_HELP,
    MAX_ITEMS,
    NamedSerializer,
    StrictSerializer,
    TextField,
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
        default=100,
        help_text="How many of the newest memories are looked at.",
    )


class TimelineParametersSerializer(SaidParametersSerializer):
    limit = serializers.IntegerField(
        min_value=1, max_value=MAX_ITEMS, default=50, help_text="How many memories are listed."
    )


class RobotCountSerializer(serializers.Serializer[Any]):
    robot = NamedSerializer()
    count = serializers.IntegerField(help_text="How many of these memories it brought.")


class WhoSaidSerializer(serializers.Serializer[Any]):
    results = RobotCountSerializer(many=True)


class MomentSerializer(serializers.Serializer[Any]):
    timestamp = serializers.DateTimeField(help_text="When it was said, else when it was written.")
    memory = serializers.UUIDField()
    robot = NamedSerializer(allow_null=True, help_text=HIDDEN_ROBOT_HELP)
    content = serializers.CharField()
    speaker = serializers.CharField(help_text="Whose words it gives, as a name; may be empty.")
    speaker_member = NamedSerializer(
        allow_null=True, help_text="The member who said it; null if `speaker` is only a name."
    )


class TimelineSerializer(serializers.Serializer[Any]):
    results = MomentSerializer(many=True)


class SaidView(APIView):
    @extend_schema(
        operation_id="said", parameters=[SaidParametersSerializer], responses=WhoSaidSerializer
    )
    def get(self, request: Request) -> Response:
        """Count, for each robot, the newest memories with all words of a topic that it brought."""
        asked = validate_data(SaidParametersSerializer, request.query_params.dict())
        found = count_by_robot(request.user, now=timezone.now(), **asked)
        results = [{"robot": {"id": r.id, "name": r.name}, "count": r.count} for r in found]
        return Response({"results": results})


class TimelineView(APIView):
    @extend_schema(
        operation_id="timeline",
        parameters=[TimelineParametersSerializer],
        responses=TimelineSerializer,
    )
    def get(self, request: Request) -> Response:
        """List the newest memories with all words of a topic, the oldest of these first."""
        asked = validate_data(TimelineParametersSerializer, request.query_params.dict())
        found = list_timeline(request.user, now=timezone.now(), **asked)
        results = [
            {
                "timestamp": one.at,
                "memory": one.memory_id,
                "robot": one.robot_id and {"id": one.robot_id, "name": one.robot_name},
                "content": one.content,
                "speaker": one.speaker,
                "speaker_member": one.member_id
                and {"id": str(one.member_id), "name": one.member_name},
            }
            for one in found
        ]
        return Response({"results": results})
