"""The times of a question: ranges and times in words, and the time for which it is asked."""

from datetime import date, datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from memories.retrieval.recall import AUTO_TIMEFRAME
from memories.retrieval.timeframes.parse_timeframe import TimeframeError, TimeRange, parse_timeframe
from orgs.api.serializers import StrictSerializer, TimeField, UpperTimeField

MAX_RANGES = 20


class RangeSerializer(StrictSerializer):
    def get_fields(self) -> dict[str, Any]:
        return {
            "from": TimeField(required=False, allow_null=True),
            "to": UpperTimeField(required=False, allow_null=True),
        }


_RANGE_SCHEMA = {
    "type": "object",
    "properties": {
        name: {"type": ["string", "null"], "format": "date-time"} for name in ("from", "to")
    },
    "additionalProperties": False,
}


@extend_schema_field(
    {
        "oneOf": [
            _RANGE_SCHEMA,
            {"type": "string"},
            {
                "type": "array",
                "items": {"oneOf": [_RANGE_SCHEMA, {"type": "string"}]},
                "maxItems": MAX_RANGES,
            },
        ]
    }
)
class TimeframeField(serializers.JSONField):
    """A range {"from", "to"}, a time in words, or a list of both; `from` is not after `to`."""


def validate_timeframe(value: Any) -> tuple[str | TimeRange, ...]:
    """The times as a tuple: those in words unchanged, ranges as (from, to)."""
    if value in (None, "none"):
        return ()
    if value == AUTO_TIMEFRAME[0]:
        return AUTO_TIMEFRAME
    parts = value if isinstance(value, list) else [value]
    if len(parts) > MAX_RANGES:
        raise serializers.ValidationError(f"More than {MAX_RANGES} ranges.")
    ranges: list[str | TimeRange] = []
    for part in parts:
        if isinstance(part, str):
            ranges.append(_check_timeframe(part))
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


def _check_timeframe(text: str) -> str:
    """The text, if it names a time at all. Raises ValidationError otherwise."""
    try:
        parse_timeframe(text, now=timezone.now())
    except TimeframeError as error:
        raise serializers.ValidationError(str(error)) from None
    return text


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string", "format": "date"},
            {"type": "string", "format": "date-time"},
        ]
    }
)
class AsOfField(TimeField):
    """A day or a time. A day comes as a date, because its end depends on who asks."""

    def __init__(self) -> None:
        super().__init__(
            required=False,
            help_text="A day or a time: only what was said up to then and was true then, marked as "
            "of then. A day means its end, in the time zone of the member who asks, else in UTC.",
        )

    def to_internal_value(self, data: Any) -> datetime | date:
        found = super().to_internal_value(data)
        is_day = isinstance(data, str) and len(data.strip()) == len("2026-03-31")
        return found.date() if is_day else found
