"""Figures over HTTP."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memories.api.serializers.tags import TagQuerySerializer, TagsSerializer
from memories.insights import tag_counts
from memories.insights.statistics import get_statistics
from orgs.api.base_view import APIView
from orgs.api.serializers import NamedSerializer, query_values, validate_data

# What the API gives as figures.


class ActivitySerializer(serializers.Serializer[Any]):
    """How much a robot brought. A memory counts for each robot that brought it."""

    robot = NamedSerializer()
    memories = serializers.IntegerField()
    last_7_days = serializers.IntegerField(help_text="Of these, those of the last 7 days.")


class ModelUsageSerializer(serializers.Serializer[Any]):
    """What the organisation asked the language model for in answers, in the last 30 days."""

    questions = serializers.IntegerField()
    prompt_tokens = serializers.IntegerField(help_text="As the model's server counts them.")
    completion_tokens = serializers.IntegerField()
    price = serializers.FloatField(help_text="By the server's LLM_PRICE_INPUT and _OUTPUT.")


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
    hit_rate = serializers.FloatField(
        help_text="The share of your questions that were answered (`answered` is yes), 0-1."
    )
    avg_surprise = serializers.FloatField(help_text="Of memories with feedback, 0-1; else 0.")
    pressure = serializers.FloatField(
        help_text="How full the fullest tier of any audience is, 0-1."
    )
    language_model = ModelUsageSerializer(
        allow_null=True, help_text="Only for admins and keys with `manage`; else null."
    )


class StatsView(APIView):
    @extend_schema(operation_id="stats", responses=StatsSerializer)
    def get(self, request: Request) -> Response:
        """Figures over the active memories that the caller may read."""
        return Response(get_statistics(request.user, now=timezone.now()))


class TagsView(APIView):
    within_groups = ("GET",)

    @extend_schema(operation_id="tags", parameters=[TagQuerySerializer], responses=TagsSerializer)
    def get(self, request: Request) -> Response:
        """The tags of the active memories that the caller may read, with counts of memories."""
        wanted = validate_data(TagQuerySerializer, _parse_flags(query_values(request)))
        return Response(tag_counts.search_tags(request.user, wanted, now=timezone.now()))


def _parse_flags(params: dict[str, str]) -> dict[str, str | bool]:
    """Query parameters, with the texts "true" and "false" as booleans."""
    return {k: v == "true" if v in ("true", "false") else v for k, v in params.items()}
