"""What the API takes and gives for a recall; explicit, strict, in the contract's words."""

from typing import Any

from django.db.models import TextChoices
from rest_framework import serializers

from memories.api.serializers.memories import MAX_RANGES, AudienceSerializer, TimeframeField
from memories.retrieval.recall import FUSIONS
from memories.retrieval.reranking.rerank import WHY_NOT
from memories.retrieval.strategies.registry import NAMES as STRATEGIES
from memories.store.models.choices import Category, Kind, Tier, Type
from orgs.api.serializers import (
    MAX_ITEMS,
    CountField,
    DocumentField,
    FlagField,
    NamedSerializer,
    NotYetField,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
)

MAX_QUERY_CHARACTERS = 20_000


class RangeSerializer(StrictSerializer):
    def get_fields(self) -> dict[str, Any]:
        return {
            "from": serializers.DateTimeField(required=False, allow_null=True),
            "to": serializers.DateTimeField(required=False, allow_null=True),
        }


def choices_field(words: type[TextChoices]) -> serializers.ListField:
    """At most 1,000 of these words."""
    return serializers.ListField(
        child=serializers.ChoiceField(words.choices), max_length=MAX_ITEMS, required=False
    )


class FiltersSerializer(StrictSerializer):
    groups = TextListField(required=False)
    members = TextListField(required=False, item_length=400)
    robots = TextListField(required=False)
    teams = NotYetField()
    kinds = choices_field(Kind)
    types = choices_field(Type)
    categories = choices_field(Category)
    tiers = choices_field(Tier)
    tags = TextListField(required=False)
    metadata = DocumentField(required=False)
    min_importance = NumberField(min_value=0, max_value=1, required=False)


class RecallSerializer(StrictSerializer):
    query = TextField(max_length=MAX_QUERY_CHARACTERS)
    limit = CountField(min_value=1, max_value=MAX_ITEMS, default=10)
    group = TextField(max_length=300, required=False)
    member = TextField(max_length=400, required=False)
    shareable_with = TextField(max_length=300, required=False)
    timeframe = TimeframeField(
        required=False, help_text='{"from", "to"} or a list of such ranges (any of them).'
    )
    strategy = serializers.ChoiceField(STRATEGIES, default="auto")
    profile = serializers.ChoiceField(["balanced"], default="balanced")
    fusion = serializers.ChoiceField(FUSIONS, default="minmax")
    min_similarity = NumberField(min_value=-1, max_value=1, required=False)
    filters = FiltersSerializer(required=False)
    include_shared = FlagField(default=True)
    prefer_personal = NotYetField()
    include_direct = FlagField(default=False)
    explain = FlagField(default=False)
    rerank = FlagField(default=False)

    def validate_timeframe(self, value: Any) -> list[tuple[Any, Any]]:
        """A range or a list of ranges, as [(from, to)]."""
        if value is None:
            return []
        parts = value if isinstance(value, list) else [value]
        if len(parts) > MAX_RANGES:
            raise serializers.ValidationError(f"More than {MAX_RANGES} ranges.")
        ranges = []
        for part in parts:
            if not isinstance(part, dict):
                raise serializers.ValidationError(
                    'A range {"from", "to"} or a list of ranges is understood so far.'
                )
            checked = RangeSerializer(data=part)
            checked.is_valid(raise_exception=True)
            since, until = checked.validated_data.get("from"), checked.validated_data.get("to")
            if since and until and since > until:
                raise serializers.ValidationError("`from` lies after `to`.")
            ranges.append((since, until))
        return ranges


class ScoresSerializer(serializers.Serializer[Any]):
    relevance = serializers.FloatField()
    vector = serializers.FloatField(allow_null=True)
    keyword = serializers.FloatField(allow_null=True)
    similarity = serializers.FloatField(allow_null=True)
    cues = serializers.FloatField()
    strength = serializers.FloatField()
    rerank = serializers.FloatField(
        required=False, allow_null=True, help_text="The cross-encoder's logit, where it read it."
    )


class ConsolidatedSerializer(serializers.Serializer[Any]):
    """Of everything that says the same: the highest confidence, the sum of the accesses."""

    confidence = serializers.FloatField()
    access_count = serializers.IntegerField()
    merged = serializers.ListField(
        child=serializers.UUIDField(), help_text="The memories that are not served beside it."
    )


class HitSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    key = serializers.CharField(allow_null=True)
    content = serializers.CharField()
    score = serializers.FloatField()
    scores = ScoresSerializer(required=False)
    consolidated = ConsolidatedSerializer(required=False)
    robot = NamedSerializer()
    author = NamedSerializer(
        allow_null=True, help_text="The person who wrote it; null where the robot did."
    )
    speaker = serializers.CharField(help_text="Whose words it gives: a name, as it was given.")
    speaker_member = NamedSerializer(
        allow_null=True, help_text="The member who said it; null where `speaker` is only a name."
    )
    reworded_by = NamedSerializer(
        allow_null=True, help_text="Whose its present words are, where not the speaker's."
    )
    member = NamedSerializer(allow_null=True)
    group = NamedSerializer(allow_null=True)
    audience = AudienceSerializer()
    kind = serializers.ChoiceField(Kind.choices)
    type = serializers.ChoiceField(Type.choices)
    category = serializers.CharField()
    tier = serializers.ChoiceField(Tier.choices)
    importance = serializers.FloatField()
    occurred_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()


class RecallAnswerSerializer(serializers.Serializer[Any]):
    recall_id = serializers.UUIDField()
    results = HitSerializer(many=True)
    query = serializers.CharField()
    timeframe = serializers.ListField(child=serializers.DictField(), allow_null=True)
    strategy = serializers.CharField()
    took_ms = serializers.FloatField()
    reranked = serializers.BooleanField(required=False, help_text="Only where it was asked for.")
    not_reranked = serializers.ChoiceField(
        WHY_NOT, required=False, allow_null=True, help_text="Why the order is the plain one."
    )
