"""What the API takes and gives for memories; explicit, strict, in the contract's words."""

from copy import deepcopy
from typing import Any

from django.db.models import TextChoices
from rest_framework import serializers

from memories.api.reasons import force_field, reason_field
from memories.models import Category, Kind, Origin, Status, Tier, Type
from memories.policies.visibility import NAMES
from memories.retrieval.strategies import NAMES as STRATEGIES
from memories.services.drafts import MAX_CONTENT_BYTES, Draft, Readers
from memories.services.recalling import FUSIONS
from orgs.api.serializers import (
    MAX_ITEMS,
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


def content_field(**kwargs: Any) -> TextField:
    return TextField(trim_whitespace=False, **kwargs)


def check_content(value: str) -> str:
    """Neither blank nor over a million bytes."""
    if not value.strip():
        raise serializers.ValidationError("This field may not be blank.")
    if len(value) > MAX_CONTENT_BYTES or len(value.encode()) > MAX_CONTENT_BYTES:
        raise serializers.ValidationError(f"Longer than {MAX_CONTENT_BYTES} bytes.")
    return value


class ReadersSerializer(StrictSerializer):
    members = TextListField(default=list)
    robots = TextListField(default=list)
    groups = TextListField(default=list)
    teams = TextListField(default=list)


def readers(data: dict[str, list[str]] | None) -> Readers:
    return Readers(**{k: tuple(v) for k, v in (data or {}).items()})


class RememberSerializer(StrictSerializer):
    content = content_field()
    visibility = TextField(max_length=200, required=False, help_text=f"One of {', '.join(NAMES)}.")
    readers = ReadersSerializer(required=False)
    group = TextField(max_length=300, required=False)
    member = TextField(max_length=400, required=False)
    listeners = TextListField(required=False, item_length=400)
    speaker = TextField(max_length=300, required=False, allow_blank=True)
    robot = TextField(max_length=100, required=False, help_text="Only your own id is taken.")
    occurred_at = serializers.DateTimeField(required=False)
    key = TextField(max_length=300, required=False)
    kind = serializers.ChoiceField(Kind.choices, required=False)
    type = serializers.ChoiceField(Type.choices, required=False)
    category = serializers.ChoiceField(Category.choices, required=False)
    topic = TextField(max_length=300, required=False, allow_blank=True)
    importance = NumberField(min_value=0, max_value=1, required=False)
    confidence = NumberField(min_value=0, max_value=1, required=False)
    tier = serializers.ChoiceField(Tier.choices, required=False)
    tags = TextListField(required=False, item_length=100)
    metadata = DocumentField(required=False)
    conversation = TextField(max_length=300, required=False)
    source = DocumentField(required=False)
    expires_at = serializers.DateTimeField(required=False)
    sensitive = FlagField(required=False)
    shareable = FlagField(required=False)
    red_line = FlagField(
        required=False, help_text="Protected at once by who may decide that, else proposed."
    )
    red_line_reason = TextField(
        max_length=2000, required=False, allow_blank=True, help_text="People must give one."
    )

    def validate_content(self, value: str) -> str:
        return check_content(value)


def draft(data: dict[str, Any]) -> Draft:
    """A validated item as the service takes it."""
    fields = dict(data)
    fields["readers"] = readers(fields.pop("readers", None))
    for name in ("listeners", "tags"):
        if name in fields:
            fields[name] = tuple(fields[name])
    return Draft(**fields)


class BatchSerializer(StrictSerializer):
    """Items are checked one by one, so that a bad one takes no other with it."""

    items = serializers.ListField(
        child=serializers.JSONField(allow_null=True), min_length=1, max_length=MAX_ITEMS
    )

    def get_fields(self) -> dict[str, Any]:
        # `items` is also a method of the mapping that a serializer's data is.
        # Copied, as DRF does: a field belongs to one serializer.
        return {"items": deepcopy(self._declared_fields["items"])}


class BatchRequestSerializer(serializers.Serializer[Any]):
    """For the description: the items are memories."""

    items = RememberSerializer(many=True)


class AudienceSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    label = serializers.CharField()


class RememberedSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.ChoiceField(Status.choices)
    audience = AudienceSerializer()
    deduplicated = serializers.BooleanField()
    remember_count = serializers.IntegerField()
    embedding = serializers.ChoiceField(["pending", "ready"])


class BatchResultSerializer(serializers.Serializer[Any]):
    index = serializers.IntegerField()
    status = serializers.CharField(help_text="active, pending_review, quarantined or refused")
    id = serializers.UUIDField(required=False)
    problem = serializers.DictField(required=False)


class BatchAnswerSerializer(serializers.Serializer[Any]):
    results = BatchResultSerializer(many=True)


class PatchSerializer(StrictSerializer):
    content = content_field(required=False)
    category = serializers.ChoiceField([("", ""), *Category.choices], required=False)
    importance = NumberField(min_value=0, max_value=1, required=False)
    tags = TextListField(required=False, item_length=100)
    metadata = DocumentField(required=False)
    expires_at = serializers.DateTimeField(required=False, allow_null=True)
    shareable = FlagField(required=False)
    force = force_field()
    reason = reason_field(required=False)

    def validate_content(self, value: str) -> str:
        return check_content(value)


class ShareSerializer(StrictSerializer):
    visibility = TextField(max_length=200)
    readers = ReadersSerializer(required=False)
    group = TextField(max_length=300, required=False)


class RestatementSerializer(serializers.Serializer[Any]):
    """What a memory says on its own; its own words stand in `content`."""

    text = serializers.CharField(help_text="Empty where nothing had to be resolved.")
    keywords = serializers.ListField(child=serializers.CharField())
    persons = serializers.ListField(child=serializers.CharField())
    entities = serializers.ListField(
        child=serializers.DictField(child=serializers.CharField()),
        help_text="{name, type}; from a language model alone.",
    )
    location = serializers.CharField()
    topic = serializers.CharField()
    source = serializers.ChoiceField(Origin.choices, help_text="Who worked it out.")
    made_at = serializers.DateTimeField()


class MemorySerializer(serializers.Serializer[Any]):
    """A memory as everyone who may read it sees it."""

    id = serializers.UUIDField()
    key = serializers.CharField(allow_null=True)
    content = serializers.CharField()
    status = serializers.ChoiceField(Status.choices)
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
    level = serializers.CharField()
    type = serializers.ChoiceField(Type.choices)
    category = serializers.CharField()
    tier = serializers.ChoiceField(Tier.choices)
    topic = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    metadata = serializers.DictField()
    source = serializers.DictField()
    conversation = serializers.CharField(allow_null=True)
    importance = serializers.FloatField()
    confidence = serializers.FloatField()
    sensitive = serializers.BooleanField()
    shareable = serializers.BooleanField()
    red_line = serializers.BooleanField()
    red_line_reason = serializers.CharField(help_text="Why it is protected, or is no more.")
    access_count = serializers.IntegerField()
    last_accessed_at = serializers.DateTimeField(allow_null=True)
    remember_count = serializers.IntegerField()
    occurred_at = serializers.DateTimeField(allow_null=True)
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    embedding = serializers.ChoiceField(["pending", "ready"], required=False)
    restatement = RestatementSerializer(required=False, allow_null=True)


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
    limit = CountField(min_value=1, max_value=MAX_ITEMS, default=10)
    group = TextField(max_length=300, required=False)
    member = TextField(max_length=400, required=False)
    shareable_with = TextField(max_length=300, required=False)
    timeframe = serializers.JSONField(
        required=False, help_text='{"from", "to"} or a list of such ranges (any of them).'
    )
    strategy = serializers.ChoiceField(STRATEGIES, default="auto")
    profile = serializers.ChoiceField(["balanced"], default="balanced")
    fusion = serializers.ChoiceField(FUSIONS, default="minmax")
    min_similarity = NumberField(min_value=-1, max_value=1, required=False)
    filters = FiltersSerializer(required=False)
    include_shared = FlagField(default=True)
    prefer_personal = FlagField(default=True)
    include_direct = FlagField(default=False)
    explain = FlagField(default=False)

    def validate_timeframe(self, value: Any) -> list[tuple[Any, Any]]:
        """A range or a list of ranges, as [(from, to)]."""
        if value is None:
            return []
        parts = value if isinstance(value, list) else [value]
        if len(parts) > 20:
            raise serializers.ValidationError("More than 20 ranges.")
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


class MemoryFiltersSerializer(StrictSerializer):
    """Query parameters of the list."""

    group = TextField(max_length=300, required=False)
    member = TextField(max_length=400, required=False)
    robot = TextField(max_length=100, required=False)
    kind = serializers.ChoiceField(Kind.choices, required=False)
    type = serializers.ChoiceField(Type.choices, required=False)
    category = serializers.ChoiceField(Category.choices, required=False)
    tier = serializers.ChoiceField(Tier.choices, required=False)
    tag = TextField(max_length=100, required=False)
    status = serializers.ChoiceField(Status.choices, required=False)
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)
    q = TextField(max_length=500, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class StatsSerializer(serializers.Serializer[Any]):
    memories = serializers.IntegerField()
    by_kind = serializers.DictField(child=serializers.IntegerField())
    by_tier = serializers.DictField(child=serializers.IntegerField())
    robots = serializers.IntegerField()
    embedding_pending = serializers.IntegerField()
    embedding_failed = serializers.IntegerField()
