"""What the API takes and gives of the log of operations."""

from typing import Any

from rest_framework import serializers

from memories.store.models.operation import Verb
from orgs.api.serializers import NamedSerializer, StrictSerializer, TextField


class PeriodSerializer(StrictSerializer):
    """Query parameters: from when to when."""

    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)


class OperationFiltersSerializer(PeriodSerializer):
    """Query parameters."""

    robot = TextField(max_length=300, required=False)
    verb = serializers.ChoiceField(Verb.choices, required=False)
    memory = serializers.UUIDField(required=False)
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = TextField(max_length=2000, required=False)


class OperationSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    verb = serializers.ChoiceField(Verb.choices)
    memory = serializers.UUIDField()
    robot = NamedSerializer(
        allow_null=True,
        help_text="Null where a person did it, or a robot that the caller is not to know.",
    )
    at = serializers.DateTimeField()


class RobotCountsSerializer(serializers.Serializer[Any]):
    robot = NamedSerializer(
        allow_null=True, help_text="Null for people, and for robots that the caller is not to know."
    )
    remember = serializers.IntegerField()
    recall = serializers.IntegerField()
    evict = serializers.IntegerField()
    forget = serializers.IntegerField()


class OperationCountsSerializer(serializers.Serializer[Any]):
    results = RobotCountsSerializer(many=True)
