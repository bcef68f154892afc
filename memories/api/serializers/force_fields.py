"""The fields `reason` and `force` of requests."""

from typing import Any

from rest_framework import serializers

from orgs.api.serializers import FlagField, StrictSerializer, TextField


def force_field() -> FlagField:
    return FlagField(
        required=False,
        help_text="Change a protected memory all the same. For admins alone; it needs `reason`, "
        "and both are recorded.",
    )


def reason_field(**kwargs: Any) -> TextField:
    return TextField(max_length=2000, **kwargs)


def pop_force_reason(data: dict[str, Any]) -> str | None:
    """Take `force` and `reason` out of validated data: the reason, None without force."""
    force, reason = data.pop("force", False), data.pop("reason", "")
    if force and not reason.strip():
        raise serializers.ValidationError({"reason": ["Say why you force it."]})
    return reason.strip() if force else None


class ForceSerializer(StrictSerializer):
    force = force_field()
    reason = reason_field(required=False)


class ReasonSerializer(StrictSerializer):
    reason = reason_field()
