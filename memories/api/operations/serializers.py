"""What the API takes and gives of the log of operations."""

from rest_framework import serializers

from memories.store.models.version import OperationVerb
from orgs.api.serializers import (
    AnswerSerializer,
    ChoiceField,
    NamedSerializer,
    StrictSerializer,
    TextField,
    TimeField,
    UpperTimeField,
)


class PeriodSerializer(StrictSerializer):
    """Query parameters: a period with both ends included."""

    since = TimeField(required=False, help_text="At this time or later.")
    until = UpperTimeField(required=False, help_text="At this time or earlier.")


class OperationFiltersSerializer(PeriodSerializer):
    """Query parameters."""

    robot = TextField(max_length=300, required=False, help_text="The id of a robot.")
    verb = ChoiceField(OperationVerb.choices, required=False)
    memory = serializers.UUIDField(required=False)
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = TextField(max_length=2000, required=False)


class OperationSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    verb = ChoiceField(OperationVerb.choices)
    memory = serializers.UUIDField()
    robot = NamedSerializer(
        allow_null=True,
        help_text="Null for a person, and for a robot that the caller may not know.",
    )
    at = serializers.DateTimeField()


class RobotCountsSerializer(AnswerSerializer):
    robot = NamedSerializer(
        allow_null=True,
        help_text="Null for people and for robots that the caller may not know, together.",
    )
    remember = serializers.IntegerField()
    recall = serializers.IntegerField()
    evict = serializers.IntegerField()
    forget = serializers.IntegerField()


class OperationCountsSerializer(AnswerSerializer):
    results = RobotCountsSerializer(many=True)
