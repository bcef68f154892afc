"""What the API takes and gives for teams of robots."""

from typing import Any

from rest_framework import serializers

from orgs.api.serializers import (
    ChoiceField,
    CountField,
    NamedSerializer,
    StrictSerializer,
    TextField,
)
from robots.api.serializers.robots import REFERENCE_PATTERN, require_external_id
from robots.models.robots import MAX_WORKING_MEMORY_TOKENS
from robots.models.teams import TeamStatus


def _token_budget_field(**kwargs: Any) -> CountField:
    return CountField(min_value=1, max_value=MAX_WORKING_MEMORY_TOKENS, required=False, **kwargs)


class TeamCreateSerializer(StrictSerializer):
    id = TextField(
        max_length=64,
        required=False,
        pattern=REFERENCE_PATTERN,
        help_text="An id of your own choice that does not look like a UUID; left out, the server "
        "makes one.",
    )
    name = TextField(max_length=200)
    purpose = TextField(max_length=5000, required=False, allow_blank=True)
    working_memory_tokens = _token_budget_field(help_text="The most tokens of its working memory.")

    def validate_id(self, value: str) -> str:
        return require_external_id(value)


class TeamPatchSerializer(StrictSerializer):
    name = TextField(max_length=200, required=False)
    purpose = TextField(max_length=5000, required=False, allow_blank=True)
    working_memory_tokens = _token_budget_field(
        allow_null=True, help_text="null: the default of the server."
    )


class TeamSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    name = serializers.CharField()
    purpose = serializers.CharField()
    working_memory_tokens = serializers.IntegerField(
        allow_null=True,
        help_text="The most tokens of its working memory; null: the default of the server.",
    )
    active = serializers.IntegerField(help_text="How many robots are active.")
    passive = serializers.IntegerField(help_text="How many robots are passive.")
    created_at = serializers.DateTimeField()


class TeamRobotAddSerializer(StrictSerializer):
    robot = TextField(max_length=100, help_text="The id of the robot.")
    status = ChoiceField(
        TeamStatus.choices,
        required=False,
        help_text="By default passive; active if the team has no active robot.",
    )


class TeamRobotSerializer(serializers.Serializer[Any]):
    robot = NamedSerializer()
    status = ChoiceField(TeamStatus.choices)
    joined_at = serializers.DateTimeField()
    last_seen_at = serializers.DateTimeField(
        allow_null=True, help_text="Its last heartbeat; null before the first."
    )


class PromoteSerializer(StrictSerializer):
    robot = TextField(
        max_length=100,
        required=False,
        help_text="The id of the robot. Left out: each silent active robot is replaced by a "
        "passive one, those that joined first before others.",
    )


class DemoteSerializer(StrictSerializer):
    robot = TextField(max_length=100, help_text="The id of the robot.")


class PromotionSerializer(serializers.Serializer[Any]):
    promoted = NamedSerializer()
    fallen = NamedSerializer(
        allow_null=True, help_text="The silent robot that it replaced; null if it replaced none."
    )


class PromotionsSerializer(serializers.Serializer[Any]):
    promotions = PromotionSerializer(many=True)


class HeartbeatSerializer(serializers.Serializer[Any]):
    status = ChoiceField(TeamStatus.choices, help_text="The status of the calling robot.")
    promotions = PromotionSerializer(
        many=True, help_text="The promotions that this heartbeat caused."
    )
