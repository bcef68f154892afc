"""What the API gives as figures."""

from typing import Any

from rest_framework import serializers

from orgs.api.serializers import NamedSerializer


class ActivitySerializer(serializers.Serializer[Any]):
    """How much a robot brought. A memory counts for each robot that brought it."""

    robot = NamedSerializer()
    memories = serializers.IntegerField()
    last_7_days = serializers.IntegerField(help_text="Of these, those of the last 7 days.")


class StatsSerializer(serializers.Serializer[Any]):
    memories = serializers.IntegerField()
    by_kind = serializers.DictField(child=serializers.IntegerField())
    by_tier = serializers.DictField(child=serializers.IntegerField())
    robots = serializers.IntegerField(help_text="How many robots wrote them.")
    embedding_pending = serializers.IntegerField(help_text="Memories that wait for a vector.")
    embedding_failed = serializers.IntegerField()
    activity = ActivitySerializer(many=True, help_text="The 100 robots that brought most.")
    promotions_last_hour = serializers.IntegerField()
    demotions_last_hour = serializers.IntegerField()
    hit_rate = serializers.FloatField(help_text="The share of your recalls with a result, 0-1.")
    avg_surprise = serializers.FloatField(help_text="Of memories with feedback, 0-1; else 0.")
    pressure = serializers.FloatField(
        help_text="How full the fullest tier of any audience is, 0-1."
    )
