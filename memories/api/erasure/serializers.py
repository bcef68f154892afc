"""What the API takes and gives where memories are forgotten in number or erased."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.api.serializers.reasons import ForceSerializer
from orgs.api.serializers import FlagField, StrictSerializer, TextField

MOST_DAYS = 36_500


class ForgetQuerySerializer(ForceSerializer):
    """Query parameters of forgetting one."""

    hard = FlagField(default=False, help_text="Erase it for good; needs `confirm`.")
    confirm = TextField(max_length=100, required=False, help_text="The id of the memory once more.")


class ErasedSerializer(serializers.Serializer[Any]):
    memories = serializers.IntegerField(help_text="How many went, with what was made of the words.")
    messages = serializers.ListField(
        child=serializers.UUIDField(), help_text="Messages with the words that stay where they are."
    )
    made_of_it = serializers.ListField(
        child=serializers.UUIDField(), help_text="Memories that were made of it and stay."
    )


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "format": "date-time"},
            {"type": "integer", "minimum": 0, "maximum": MOST_DAYS},
        ]
    }
)
class OlderThanField(serializers.Field[Any, Any, Any, Any]):
    """A moment in ISO 8601, or so many days ago."""

    def to_internal_value(self, data: Any) -> datetime:
        if isinstance(data, int) and not isinstance(data, bool):
            if not 0 <= data <= MOST_DAYS:
                raise serializers.ValidationError(f"Days are between 0 and {MOST_DAYS:,}.")
            return timezone.now() - timedelta(days=data)
        if isinstance(data, float):
            raise serializers.ValidationError("A whole number is required.")
        try:
            found = parse_datetime(data) if isinstance(data, str) else None
        except ValueError:
            found = None
        if found is None:
            raise serializers.ValidationError("A moment in ISO 8601, or a number of days.")
        return found if found.tzinfo else found.replace(tzinfo=UTC)


class PurgeSerializer(StrictSerializer):
    older_than = OlderThanField(help_text="Forgotten before then, or so many days ago.")
    confirm = FlagField(default=False)
    dry_run = FlagField(default=False, help_text="Count, and erase nothing.")


class PurgedSerializer(serializers.Serializer[Any]):
    memories = serializers.IntegerField(help_text="How many are erased, or would be.")
    more = serializers.BooleanField(help_text="Call again for the others.")
    dry_run = serializers.BooleanField()


class ForgetContentSerializer(StrictSerializer):
    substring = TextField(
        max_length=1000, trim_whitespace=False, help_text="Taken literally, in any letter case."
    )
    dry_run = FlagField(default=False, help_text="Say which it would be, and forget nothing.")


class ForgottenContentSerializer(serializers.Serializer[Any]):
    memories = serializers.ListField(
        child=serializers.UUIDField(), help_text="What is forgotten, or would be; oldest first."
    )
    kept = serializers.IntegerField(
        help_text="Others with these words that the caller reads and may not forget, up to 1,000."
    )
    more = serializers.BooleanField(help_text="Call again for the others.")
    dry_run = serializers.BooleanField()
