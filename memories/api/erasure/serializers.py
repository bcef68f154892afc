"""What the API takes and gives where memories are forgotten in number or erased."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.api.serializers.force_fields import ForceSerializer
from memories.privacy.erasure.erasure_run import ErasureTarget
from memories.privacy.erasure.steps import STEPS
from memories.privacy.receipts import Receipt
from orgs.api.serializers import (
    MAX_ITEMS,
    AnswerSerializer,
    ChoiceField,
    CountField,
    FlagField,
    StrictSerializer,
    TextField,
)
from orgs.iso_times import InvalidTimeError, parse_time

MAX_DAYS = 36_500


class ForgetQuerySerializer(ForceSerializer):
    """Query parameters."""

    hard = FlagField(default=False, help_text="Erase it for good. It needs `confirm`.")
    confirm = TextField(
        max_length=100, required=False, help_text="With `hard`: the id of the memory again."
    )


class ErasedSerializer(AnswerSerializer):
    memories = serializers.IntegerField(
        help_text="How many memories were erased, as far as the caller reads them; with what the "
        "service made from them."
    )
    messages = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="Messages from which it was made and which stay; at most 20.",
    )
    made_of_it = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="Memories that somebody made from it and that stay; at most 20.",
    )
    erasure = serializers.UUIDField(
        source="erasure.id", help_text="The id of the erasure, see `/erasures`."
    )
    receipt = serializers.URLField(
        help_text="The address of its receipt. Whoever has it can read the receipt."
    )


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "format": "date-time"},
            {"type": "integer", "minimum": 0, "maximum": MAX_DAYS},
        ]
    }
)
class OlderThanField(serializers.Field[Any, Any, Any, Any]):
    """A time in ISO 8601, or a number of days before now."""

    def to_internal_value(self, data: Any) -> datetime:
        if isinstance(data, int) and not isinstance(data, bool):
            if not 0 <= data <= MAX_DAYS:
                raise serializers.ValidationError(f"Days are between 0 and {MAX_DAYS:,}.")
            return timezone.now() - timedelta(days=data)
        if isinstance(data, float):
            raise serializers.ValidationError("A whole number is required.")
        if not isinstance(data, str):
            raise serializers.ValidationError("A moment in ISO 8601, or a number of days.")
        try:
            return parse_time(data)
        except InvalidTimeError as error:
            raise serializers.ValidationError(str(error)) from error


class PurgeSerializer(StrictSerializer):
    older_than = OlderThanField(
        help_text="Only memories that were forgotten before this time, or more than so many days "
        "ago."
    )
    confirm = FlagField(default=False, help_text="Must be true to erase anything.")
    dry_run = FlagField(default=False, help_text="Count them, and erase nothing.")


class PurgedSerializer(AnswerSerializer):
    memories = serializers.IntegerField(help_text="How many were erased, or would be.")
    more = serializers.BooleanField(help_text="Whether others are left; then call again.")
    dry_run = serializers.BooleanField()


class ForgetContentSerializer(StrictSerializer):
    substring = TextField(
        max_length=1000,
        trim_whitespace=False,
        help_text="It is compared literally, in any letter case and normal form.",
    )
    dry_run = FlagField(default=False, help_text="List them, and forget nothing.")


class ForgottenContentSerializer(AnswerSerializer):
    memories = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="The memories that were forgotten, or would be, the oldest first; at most 200.",
    )
    kept = serializers.IntegerField(
        help_text="How many others with the substring the caller reads and may not forget; at "
        "most 1,000 are counted."
    )
    more = serializers.BooleanField(help_text="Whether others are left; then call again.")
    dry_run = serializers.BooleanField()


class ErasureCreateSerializer(StrictSerializer):
    """Exactly one of member, memory and source; anything else is 400 `one-target`."""

    member = TextField(
        max_length=400,
        required=False,
        help_text="An id; an admin can also send platform:identifier.",
    )
    memory = serializers.UUIDField(required=False)
    source = TextField(
        max_length=60,
        required=False,
        help_text="`robot:<id>`, `key:<id>`, `conversation:<id>`, `import:<id>` or `group:<id>`.",
    )
    confirm = TextField(
        max_length=100, help_text="The id of the member or the memory, or the `source`, again."
    )


class ErasureFiltersSerializer(StrictSerializer):
    """Query parameters of the list."""

    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class ErasureSerializer(AnswerSerializer):
    """One erasure."""

    id = serializers.UUIDField()
    what = ChoiceField(ErasureTarget.choices)
    source = serializers.CharField(
        help_text="The kind of a source, such as robot; empty for a member or a memory."
    )
    target = serializers.UUIDField(help_text="The id of the member, the memory or the source.")
    job = serializers.UUIDField(
        allow_null=True, help_text="The job that does it; null without one."
    )
    state = serializers.CharField(help_text="The state of its job; `done` once it is finished.")
    done = CountField(help_text="How many of its steps are finished.")
    steps = CountField(help_text="How many steps it has.")
    created_at = serializers.DateTimeField(source="at")
    finished_at = serializers.DateTimeField(allow_null=True)
    backups_until = serializers.DateField(
        allow_null=True,
        help_text="From this day on no backup has the data; null until it is finished.",
    )
    mentions = CountField(
        help_text="How many memories of others named the member. The name is hidden, and they "
        "wait for a curator."
    )
    incomplete = serializers.BooleanField(
        help_text="True if older rows may be left, because their key or import was not stored."
    )
    counts = serializers.DictField(
        child=CountField(), help_text="How many rows were deleted or changed, by table."
    )
    receipt = serializers.URLField(
        help_text="The address of its receipt. Whoever has it can read the receipt."
    )

    @staticmethod
    def get_done(known: Receipt) -> int:
        return len(STEPS) if known.finished_at else known.done

    @staticmethod
    def get_steps(known: Receipt) -> int:
        return len(STEPS)
