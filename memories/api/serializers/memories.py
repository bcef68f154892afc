"""What the API takes and gives for memories: explicit and strict."""

from copy import deepcopy
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.access.readers_named import NamedReaders
from memories.access.visibility import NAMES
from memories.api.serializers.reasons import force_field, reason_field
from memories.ingestion.drafts import MAX_CONTENT_BYTES, Draft
from memories.restatement.models import Origin
from memories.store.models.choices import Category, Kind, Status, Tier, Type
from memories.store.tag_names import BadTag, attached
from orgs.api.serializers import (
    MAX_ITEMS,
    NOT_TOLD,
    DocumentField,
    FlagField,
    NamedSerializer,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
)

MAX_RANGES = 20


def content_field(**kwargs: Any) -> TextField:
    return TextField(trim_whitespace=False, **kwargs)


def check_content(value: str) -> str:
    """The text unchanged. Raises ValidationError if it is blank or has more than a million
    bytes."""
    if not value.strip():
        raise serializers.ValidationError("This field may not be blank.")
    if len(value) > MAX_CONTENT_BYTES or len(value.encode()) > MAX_CONTENT_BYTES:
        raise serializers.ValidationError(f"Longer than {MAX_CONTENT_BYTES} bytes.")
    return value


def on_personal_data_field() -> serializers.ChoiceField:
    return serializers.ChoiceField(
        ("review", "sanitise"),
        required=False,
        help_text="Where a gate finds something personal: wait for a person (the default), or keep "
        "the text at once with its kind in brackets in its place, as in [email].",
    )


class ReadersSerializer(StrictSerializer):
    members = TextListField(default=list)
    robots = TextListField(default=list)
    groups = TextListField(default=list)
    teams = TextListField(default=list)


def readers(data: dict[str, list[str]] | None) -> NamedReaders:
    return NamedReaders(**{k: tuple(v) for k, v in (data or {}).items()})


class TagListField(TextListField):
    """Tags `root:level:...`, kept in the singular and with those above them."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # Blank and padded tags pass the field, so that their refusal names the tag like any other
        # fault.
        self.child = TextField(allow_blank=True, trim_whitespace=False)

    def to_internal_value(self, data: Any) -> list[str]:
        """Raises ValidationError with a sentence that names the tag."""
        try:
            return attached(super().to_internal_value(data))
        except BadTag as error:
            raise serializers.ValidationError(str(error)) from None


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
    tags = TagListField(required=False)
    metadata = DocumentField(required=False)
    conversation = TextField(max_length=300, required=False)
    source = DocumentField(required=False)
    expires_at = serializers.DateTimeField(required=False)
    sensitive = FlagField(
        required=False,
        help_text="Its words are stored encrypted and not indexed; it is found by key, tags and "
        "filters.",
    )
    shareable = FlagField(required=False)
    red_line = FlagField(
        required=False, help_text="Protected at once by who may decide that, else proposed."
    )
    red_line_reason = TextField(
        max_length=2000, required=False, allow_blank=True, help_text="People must give one."
    )
    on_personal_data = on_personal_data_field()

    def validate_content(self, value: str) -> str:
        return check_content(value)


def draft(data: dict[str, Any]) -> Draft:
    """A validated item as a `Draft`."""
    fields = dict(data)
    fields["readers"] = readers(fields.pop("readers", None))
    for name in ("listeners", "tags"):
        if name in fields:
            fields[name] = tuple(fields[name])
    fields["sanitise"] = fields.pop("on_personal_data", "review") == "sanitise"
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


class BatchRequestSerializer(StrictSerializer):
    """For the description: the items are memories."""

    items = serializers.ListField(child=RememberSerializer(), min_length=1, max_length=MAX_ITEMS)


class AudienceSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    label = serializers.CharField()


class RememberedSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.ChoiceField(Status.choices)
    audience = AudienceSerializer()
    deduplicated = serializers.BooleanField()
    remember_count = serializers.IntegerField()
    embedding = serializers.ChoiceField(
        ["pending", "ready", "none"], help_text="none: it is sensitive, so that it has no vector."
    )


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
    tags = TagListField(required=False)
    metadata = DocumentField(required=False)
    expires_at = serializers.DateTimeField(required=False, allow_null=True)
    shareable = FlagField(required=False)
    sensitive = FlagField(
        required=False, help_text="Encrypts its words, or stores them in plain again."
    )
    tier = serializers.ChoiceField(
        [Tier.GLACIAL], required=False, help_text="Into the slowest tier; use brings it back."
    )
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
    valid_until = serializers.DateTimeField(
        allow_null=True, help_text="Until when it held; null where it holds."
    )
    superseded_by = serializers.UUIDField(
        allow_null=True, help_text="What holds since then; null where the asker cannot read that."
    )
    embedding = serializers.ChoiceField(["pending", "ready"], required=False)
    restatement = RestatementSerializer(required=False, allow_null=True)


_RANGE = {
    "type": "object",
    "properties": {
        name: {"type": ["string", "null"], "format": "date-time"} for name in ("from", "to")
    },
    "additionalProperties": False,
}


@extend_schema_field(
    {
        "oneOf": [
            _RANGE,
            {"type": "string"},
            {
                "type": "array",
                "items": {"oneOf": [_RANGE, {"type": "string"}]},
                "maxItems": MAX_RANGES,
            },
        ]
    }
)
class TimeframeField(serializers.JSONField):
    """A range {"from", "to"}, a time in words, or a list of these; `from` is not after `to`."""


class MemoryFiltersSerializer(StrictSerializer):
    """Query parameters of the list."""

    group = TextField(max_length=300, required=False)
    member = TextField(max_length=400, required=False)
    robot = TextField(max_length=100, required=False)
    team = TextField(max_length=100, required=False)
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


class ActivitySerializer(serializers.Serializer[Any]):
    """A memory counts for each robot that brought it."""

    robot = NamedSerializer()
    memories = serializers.IntegerField()
    last_7_days = serializers.IntegerField(help_text="Of these, brought in the last seven days.")


class StatsSerializer(serializers.Serializer[Any]):
    memories = serializers.IntegerField()
    by_kind = serializers.DictField(child=serializers.IntegerField())
    by_tier = serializers.DictField(child=serializers.IntegerField())
    robots = serializers.IntegerField()
    embedding_pending = serializers.IntegerField()
    embedding_failed = serializers.IntegerField()
    activity = ActivitySerializer(many=True, help_text="The 100 busiest robots.")
    promotions_last_hour = serializers.IntegerField()
    demotions_last_hour = serializers.IntegerField()
    hit_rate = serializers.FloatField(help_text="Of your recalls, the share with a result; 0-1.")
    avg_surprise = serializers.FloatField(help_text="Over what got feedback; 0 without any.")
    pressure = serializers.FloatField(help_text="How full the fullest tier of an audience is; 0-1.")
