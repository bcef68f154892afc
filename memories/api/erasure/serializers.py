"""What the API takes and gives where memories are forgotten in number or erased."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.api.serializers.reasons import ForceSerializer
from memories.privacy.erasure.models import Target
from orgs.api.serializers import MAX_ITEMS, CountField, FlagField, StrictSerializer, TextField

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
    erasure = serializers.UUIDField(help_text="The act, in `/erasures`.")
    receipt = serializers.URLField(help_text="Where its receipt is read, without signing in.")


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
        moment = None
        with suppress(ValueError, OverflowError):
            found = parse_datetime(data) if isinstance(data, str) else None
            # In UTC: Python knows zones a day away from it, Postgres refuses more than 16 hours.
            moment = found and (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(
                UTC
            )
        if moment is None:
            raise serializers.ValidationError("A moment in ISO 8601, or a number of days.")
        return moment


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


class ErasureCreateSerializer(StrictSerializer):
    """One of member, memory and source."""

    member = TextField(max_length=400, required=False, help_text="An id, or `platform:identifier`.")
    memory = serializers.UUIDField(required=False)
    source = TextField(
        max_length=60,
        required=False,
        help_text="`robot:<id>`, `key:<id>`, `conversation:<id>`, `import:<id>` or `group:<id>`.",
    )
    confirm = TextField(
        max_length=100, help_text="The id of the member or memory once more, or the source."
    )


class ErasureFiltersSerializer(StrictSerializer):
    """Query parameters of the list."""

    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class ErasureSerializer(serializers.Serializer[Any]):
    """One erasure. done, steps: how many steps are behind it, of how many."""

    id = serializers.UUIDField()
    what = serializers.ChoiceField(Target.choices)
    source = serializers.CharField(help_text="The kind of the source; empty for others.")
    target = serializers.UUIDField(help_text="The id of the member, the memory or the source.")
    job = serializers.UUIDField(allow_null=True)
    state = serializers.CharField(help_text="Of its job; `done` once the receipt stands.")
    done = CountField()
    steps = CountField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    backups_until = serializers.DateField(
        allow_null=True, help_text="From this day on no backup holds it."
    )
    mentions = CountField(
        help_text="Memories of others that named the member; the name is hidden, curators look."
    )
    incomplete = serializers.BooleanField(
        help_text="By which key or import older rows came was not stored; these are not reached."
    )
    counts = serializers.DictField(child=CountField())
    receipt = serializers.URLField(help_text="Where its receipt is read, without signing in.")
