"""What the API takes and gives for a recall: explicit and strict."""

from typing import Any

from django.db.models import TextChoices
from django.utils import timezone
from rest_framework import serializers

from memories.access.visibility import LOOKED_FOR
from memories.api.serializers.memories import MAX_RANGES, AudienceSerializer, TimeframeField
from memories.retrieval.answering.confidence import ANSWERED, NOTHING, SURE
from memories.retrieval.profiles import PROFILES
from memories.retrieval.recall import AUTO, FUSIONS
from memories.retrieval.reranking.rerank import WHY_NOT
from memories.retrieval.strategies.registry import NAMES as STRATEGIES
from memories.retrieval.tier_strategies import (
    LIMIT,
    LIMIT_BY_TIERS,
    TIER_STRATEGIES,
    default_limit,
)
from memories.retrieval.timeframes.timeframes import NotUnderstood, Range, timeframe
from memories.store.models.choices import Category, Kind, Tier, Type
from orgs.api.serializers import (
    MAX_ITEMS,
    NOT_TOLD,
    CountField,
    DocumentField,
    FlagField,
    NamedSerializer,
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
    """A list of at most 1,000 of these words."""
    return serializers.ListField(
        child=serializers.ChoiceField(words.choices), max_length=MAX_ITEMS, required=False
    )


class FiltersSerializer(StrictSerializer):
    groups = TextListField(required=False)
    members = TextListField(required=False, item_length=400)
    robots = TextListField(required=False)
    visibilities = serializers.ListField(
        child=serializers.ChoiceField(
            LOOKED_FOR, error_messages={"invalid_choice": f"One of {', '.join(LOOKED_FOR)}."}
        ),
        max_length=MAX_ITEMS,
        required=False,
        help_text="Who reads it: `private` is the member's own, `organisation` is for everyone.",
    )
    teams = TextListField(required=False)
    kinds = choices_field(Kind)
    types = choices_field(Type)
    categories = choices_field(Category)
    tiers = choices_field(Tier)
    tags = TextListField(required=False)
    metadata = DocumentField(required=False)
    min_importance = NumberField(min_value=0, max_value=1, required=False)


class RecallSerializer(StrictSerializer):
    query = TextField(max_length=MAX_QUERY_CHARACTERS)
    limit = CountField(
        min_value=1,
        max_value=MAX_ITEMS,
        required=False,
        help_text=f"By default {LIMIT}; with a `tier_strategy` {LIMIT_BY_TIERS}.",
    )
    group = TextField(max_length=300, required=False)
    member = TextField(max_length=400, required=False)
    shareable_with = TextField(max_length=300, required=False)
    timeframe = TimeframeField(
        required=False,
        help_text='A time in words ("last week", "since Monday", "from 3 to 5 March"), '
        '{"from", "to"}, or a list of these (any of them). "auto" takes the time out of the query.',
    )
    strategy = serializers.ChoiceField(STRATEGIES, default="auto")
    profile = serializers.ChoiceField(
        PROFILES,
        default="balanced",
        help_text="What ranks: `balanced` is .85 relevance + .10 strength + .05 tier weight, "
        "`strength` is .5 strength + .3 confidence + .2 importance, `continuum` is relevance x "
        "tier weight, `hive` is .5 cosine + .3 Jaccard of tags + .1 exp(-age / 168 h) + "
        ".1 ln(1 + accesses) / 10.",
    )
    tier_strategy = serializers.ChoiceField(
        tuple(TIER_STRATEGIES),
        required=False,
        help_text="In which tiers to look: `fast_first` asks a slower tier only while there is "
        "room, `weighted` multiplies the score by the tier weight, `comprehensive` asks all, "
        "`insights` the glacial one, `cross_session` the slow and the glacial one.",
    )
    fusion = serializers.ChoiceField(FUSIONS, default="minmax")
    min_similarity = NumberField(
        min_value=-1,
        max_value=1,
        required=False,
        help_text="By default none; with a `tier_strategy` .3, with `cross_session` .2.",
    )
    filters = FiltersSerializer(required=False)
    include_shared = FlagField(default=True)
    prefer_personal = FlagField(
        default=True,
        help_text="Of facts that say the same, the one of the nearest audience alone; the others "
        "are named under `consolidated`.",
    )
    shared_limit = CountField(
        min_value=0,
        max_value=MAX_ITEMS,
        required=False,
        help_text="How many of the organisation's memories may come up; 0 is the same as "
        "`include_shared: false`.",
    )
    include_direct = FlagField(default=False)
    include_expired = FlagField(
        default=False, help_text="Also what is past its `expires_at`, with strength 0."
    )
    explain = FlagField(default=False)
    rerank = FlagField(default=False)
    working = FlagField(
        default=False, help_text="Whether every hit enters the robot's working memory."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Add the default limit where none is given."""
        return {"limit": default_limit(attrs.get("tier_strategy")), **attrs}

    def validate_timeframe(self, value: Any) -> tuple[str | Range, ...]:
        """The times as a tuple: those in words unchanged, ranges as (from, to)."""
        if value in (None, "none"):
            return ()
        if value == AUTO[0]:
            return AUTO
        parts = value if isinstance(value, list) else [value]
        if len(parts) > MAX_RANGES:
            raise serializers.ValidationError(f"More than {MAX_RANGES} ranges.")
        ranges: list[str | Range] = []
        for part in parts:
            if isinstance(part, str):
                ranges.append(_understood(part))
                continue
            if not isinstance(part, dict):
                raise serializers.ValidationError(
                    'A time in words, a range {"from", "to"} or a list of these.'
                )
            checked = RangeSerializer(data=part)
            checked.is_valid(raise_exception=True)
            since, until = checked.validated_data.get("from"), checked.validated_data.get("to")
            if since and until and since > until:
                raise serializers.ValidationError("`from` lies after `to`.")
            ranges.append((since, until))
        return tuple(ranges)


def _understood(text: str) -> str:
    """The text, if it names a time at all. Raises ValidationError otherwise."""
    try:
        timeframe(text, now=timezone.now())
    except NotUnderstood as error:
        raise serializers.ValidationError(str(error)) from None
    return text


class ScoresSerializer(serializers.Serializer[Any]):
    relevance = serializers.FloatField()
    vector = serializers.FloatField(allow_null=True)
    keyword = serializers.FloatField(allow_null=True)
    similarity = serializers.FloatField(allow_null=True)
    cues = serializers.FloatField()
    strength = serializers.FloatField()
    answers = serializers.FloatField(help_text="How sure it is that this one answers, in 0-1.")
    rerank = serializers.FloatField(
        required=False, allow_null=True, help_text="The cross-encoder's logit, where it read it."
    )
    unconfirmed_days = serializers.FloatField(
        required=False,
        help_text="Of what a persona, an industry or a role shares: days since somebody last said "
        "it. The score is a smaller part of what it was once these are over BLOCK_FRESH_DAYS.",
    )


class ConsolidatedSerializer(serializers.Serializer[Any]):
    """A memory that says the same and is not served beside it."""

    id = serializers.UUIDField()
    audience = AudienceSerializer()


class HitSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    key = serializers.CharField(allow_null=True)
    content = serializers.CharField()
    score = serializers.FloatField()
    folded = serializers.BooleanField(
        help_text="Whether it does not answer the question by itself. It is served all the same."
    )
    scores = ScoresSerializer(required=False)
    consolidated = ConsolidatedSerializer(
        many=True, required=False, help_text="What it stands for, as far as the asker reads it."
    )
    confidence = serializers.FloatField(
        required=False, help_text="With `consolidated`: the highest of all of them."
    )
    access_count = serializers.IntegerField(
        required=False, help_text="With `consolidated`: the sum of all of them."
    )
    robot = NamedSerializer(allow_null=True, help_text=NOT_TOLD)
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
    valid_until = serializers.DateTimeField(
        allow_null=True, help_text="Until when it held; null where it holds."
    )
    superseded_by = serializers.UUIDField(
        allow_null=True, help_text="What holds since then; null where the asker cannot read that."
    )


class RecallAnswerSerializer(serializers.Serializer[Any]):
    recall_id = serializers.UUIDField()
    answered = serializers.ChoiceField(
        ANSWERED,
        help_text="Whether what is known answers the question: `yes` from a confidence of "
        f"{SURE:g}, `no` below {NOTHING:g}. Nothing is left out for it.",
    )
    confidence = serializers.FloatField(help_text="How sure it is that one answers, in 0-1.")
    results = HitSerializer(many=True)
    query = serializers.CharField()
    timeframe = serializers.ListField(child=serializers.DictField(), allow_null=True)
    strategy = serializers.CharField()
    took_ms = serializers.FloatField()
    reranked = serializers.BooleanField(required=False, help_text="Only where it was asked for.")
    not_reranked = serializers.ChoiceField(
        WHY_NOT, required=False, allow_null=True, help_text="Why the order is the plain one."
    )
