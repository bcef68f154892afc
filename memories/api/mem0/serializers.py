"""What the mem0 door takes: strict, a field that it does not know is refused."""

from datetime import UTC, datetime
from typing import Any

from rest_framework import serializers

from memories.api.mem0.add_memories import ROLES, USER
from memories.api.mem0.filters import ENTITIES, MAX_VALUE_LENGTH
from memories.api.serializers.recall import MAX_QUERY_CHARACTERS
from orgs.api.serializers import (
    AnyField,
    ChoiceField,
    CountField,
    DocumentField,
    FlagField,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
    TimeField,
    UpperTimeField,
)

MAX_MESSAGES, MAX_TOP_K, MAX_PAGE = 100, 1_000, 1_000_000
MAX_PAGE_SIZE, MAX_EXPORTED = 400, 1_000
DEFAULT_TOP_K, DEFAULT_THRESHOLD, DEFAULT_PAGE_SIZE = 10, 0.1, 100
# Each is changed or forgotten as if it were alone, so a thousand would take longer than a call has.
MAX_BATCH = 200
WITHOUT_TEXT = "Say what changes: text, metadata or expiration_date."
TIMESTAMP_STAYS = "The time at which it was said does not change. Add the memory anew."
ONE_OF_BOTH = "Given twice; give it once."


def entity_field() -> TextField:
    # A name with a blank around it is another name.
    return TextField(
        max_length=MAX_VALUE_LENGTH, required=False, allow_null=True, trim_whitespace=False
    )


class TimestampField(serializers.Field[Any, Any, Any, Any]):
    """Seconds since 1970, or a time in ISO 8601."""

    def to_internal_value(self, data: Any) -> datetime:
        if isinstance(data, str):
            return TimeField().to_internal_value(data)
        if isinstance(data, bool) or not isinstance(data, int | float):
            raise serializers.ValidationError("Seconds since 1970, or a time in ISO 8601.")
        try:
            return datetime.fromtimestamp(data, UTC)
        except (ValueError, OverflowError, OSError) as error:
            raise serializers.ValidationError("No calendar has this time.") from error


class EntitiesSerializer(StrictSerializer):
    user_id = entity_field()
    agent_id = entity_field()
    app_id = entity_field()
    run_id = entity_field()


def given_ids(data: dict[str, Any]) -> dict[str, str]:
    """The ids of a validated body or query, without those that are null."""
    return {name: data[name] for name in ENTITIES if data.get(name) is not None}


class MessageSerializer(StrictSerializer):
    role = ChoiceField(ROLES, default=USER)
    content = TextField(max_length=1_000_000, trim_whitespace=False)
    name = TextField(max_length=200, required=False, allow_null=True)


class AddSerializer(EntitiesSerializer):
    messages = AnyField()
    filters = AnyField(required=False, allow_null=True)
    metadata = DocumentField(required=False, allow_null=True)
    infer = FlagField(default=True)
    timestamp = TimestampField(required=False)
    expiration_date = UpperTimeField(required=False, allow_null=True)

    def validate_messages(self, value: Any) -> list[dict[str, Any]]:
        """A text, a message or a list of them."""
        if isinstance(value, str):
            value = [{"role": USER, "content": value}]
        parts = [value] if isinstance(value, dict) else value
        if not isinstance(parts, list) or not 0 < len(parts) <= MAX_MESSAGES:
            raise serializers.ValidationError(f"A list of 1 to {MAX_MESSAGES} messages is needed.")
        one = MessageSerializer()
        return [one.run_validation(part) for part in parts]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The ids may stand in `filters` as well."""
        inside = attrs.pop("filters", None)
        inside = {} if inside is None else EntitiesSerializer().run_validation(inside)
        for name, value in given_ids(inside).items():
            if attrs.get(name, value) != value:
                raise serializers.ValidationError({name: [ONE_OF_BOTH]})
            attrs[name] = value
        if attrs.get("metadata") is None:
            attrs.pop("metadata", None)
        if (expires_at := attrs.pop("expiration_date", None)) is not None:
            attrs["expires_at"] = expires_at
        return attrs


class SearchSerializer(EntitiesSerializer):
    query = TextField(max_length=MAX_QUERY_CHARACTERS)
    filters = AnyField(required=False, allow_null=True)
    metadata = DocumentField(required=False, allow_null=True)
    categories = TextListField(required=False)
    top_k = CountField(min_value=1, max_value=MAX_TOP_K, default=DEFAULT_TOP_K)
    limit = CountField(min_value=1, max_value=MAX_TOP_K, required=False)
    threshold = NumberField(min_value=0, max_value=1, default=DEFAULT_THRESHOLD, allow_null=True)
    rerank = FlagField(default=False)
    keyword_search = FlagField(required=False)
    show_expired = FlagField(default=False)
    latest_only = FlagField(default=False)


class ListSerializer(EntitiesSerializer):
    filters = AnyField(required=False, allow_null=True)
    categories = TextListField(required=False)
    start_date = TimeField(required=False)
    end_date = UpperTimeField(required=False)
    show_expired = FlagField(default=False)
    latest_only = FlagField(default=False)


class ExportSerializer(EntitiesSerializer):
    schema = AnyField()
    filters = AnyField(required=False, allow_null=True)


class ExportedSerializer(EntitiesSerializer):
    memory_export_id = TextField(max_length=10_000, required=False)
    filters = AnyField(required=False, allow_null=True)
    page = CountField(min_value=1, max_value=MAX_PAGE, required=False)
    page_size = CountField(min_value=1, max_value=MAX_EXPORTED, default=MAX_EXPORTED)


class PageSerializer(StrictSerializer):
    """Query parameters."""

    page = serializers.IntegerField(min_value=1, max_value=MAX_PAGE, default=1)
    page_size = serializers.IntegerField(
        min_value=1, max_value=MAX_PAGE_SIZE, default=DEFAULT_PAGE_SIZE
    )


class UpdateSerializer(StrictSerializer):
    text = TextField(max_length=1_000_000, required=False)
    data = TextField(max_length=1_000_000, required=False)
    metadata = DocumentField(required=False, allow_null=True)
    timestamp = AnyField(required=False, allow_null=True)
    expiration_date = UpperTimeField(required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """The changes, as `edit_memory` takes them."""
        if attrs.get("timestamp") is not None:
            raise serializers.ValidationError({"timestamp": [TIMESTAMP_STAYS]})
        if "text" in attrs and "data" in attrs:
            raise serializers.ValidationError({"text": [ONE_OF_BOTH]})
        changes: dict[str, Any] = {}
        text = attrs.get("text", attrs.get("data"))
        if text is not None:
            changes["content"] = text
        if attrs.get("metadata") is not None:
            changes["metadata"] = attrs["metadata"]
        if "expiration_date" in attrs:
            changes["expires_at"] = attrs["expiration_date"]
        if not changes:
            raise serializers.ValidationError({"text": [WITHOUT_TEXT]})
        return changes


class BatchSerializer(StrictSerializer):
    memories = serializers.ListField(
        child=AnyField(),
        min_length=1,
        max_length=MAX_BATCH,  # type: ignore[arg-type]
    )


class NamedMemorySerializer(StrictSerializer):
    memory_id = serializers.UUIDField()


class FeedbackSerializer(NamedMemorySerializer):
    feedback = ChoiceField(("POSITIVE", "NEGATIVE", "VERY_NEGATIVE"))
    feedback_reason = AnyField(required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Raises ValidationError for a reason, which is kept nowhere."""
        if attrs.pop("feedback_reason", None) is not None:
            raise serializers.ValidationError({"feedback_reason": ["No reason is kept here."]})
        return attrs
