"""What the API takes and gives for proposals and reports."""

from typing import Any

from rest_framework import serializers

from memories.api.serializers.memories import (
    AudienceSerializer,
    MemorySerializer,
    check_content,
    content_field,
)
from memories.api.serializers.reasons import reason_field
from memories.review.models import Cause, State
from orgs.api.serializers import (
    MAX_ITEMS,
    CountField,
    NamedSerializer,
    StrictSerializer,
    TextField,
)

ACTIONS = ("approve", "reject", "merge")


class ProposalFiltersSerializer(StrictSerializer):
    """Query parameters of the list."""

    state = serializers.ChoiceField(State.choices, required=False)
    cause = serializers.ChoiceField(Cause.choices, required=False)
    mine = serializers.BooleanField(
        required=False, help_text="true: what the caller proposed; false: what it may decide."
    )
    assigned = serializers.ChoiceField(["me", "nobody"], required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class ReportFiltersSerializer(StrictSerializer):
    state = serializers.ChoiceField(State.choices, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class ProposeSerializer(StrictSerializer):
    """Another text for a memory; a new memory is proposed by remembering it."""

    memory = serializers.UUIDField()
    content = content_field()
    reason = reason_field(required=False, allow_blank=True)

    def validate_content(self, value: str) -> str:
        return check_content(value)


class ReportRequestSerializer(StrictSerializer):
    memory = serializers.UUIDField()
    reason = reason_field()


class DecisionSerializer(StrictSerializer):
    action = serializers.ChoiceField(ACTIONS)
    content = content_field(required=False, help_text="Another text than the proposed one.")
    reason = reason_field(required=False, allow_blank=True)
    version = CountField(
        min_value=1,
        required=False,
        help_text="The memory's, as it was read; approving and merging need it.",
    )
    into = serializers.UUIDField(required=False, help_text="The memory to merge into.")
    into_version = CountField(
        min_value=1, required=False, help_text="Its version, as it was read; merging needs it."
    )

    def validate_content(self, value: str) -> str:
        return check_content(value)


class AssignSerializer(StrictSerializer):
    member = serializers.UUIDField(allow_null=True)


class TwinSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    content = serializers.CharField()
    version = serializers.IntegerField()


class ProposalSerializer(serializers.Serializer[Any]):
    """An item of the queue, with the memory that it is about as it is now."""

    id = serializers.UUIDField()
    cause = serializers.ChoiceField(Cause.choices)
    state = serializers.ChoiceField(State.choices)
    memory = MemorySerializer()
    version = serializers.IntegerField(help_text="The memory's version; send it when deciding.")
    other = TwinSerializer(allow_null=True)
    target = AudienceSerializer(allow_null=True)
    content = serializers.CharField(help_text="The suggested text of a correction.")
    reason = serializers.CharField()
    details = serializers.DictField(
        help_text="Of what is too many: `tier`, `capacity`, `count`, `chosen` and `summaries`. Of "
        "what a gate holds: `found` (how often each kind), `spans` ([start, end, kind] in the "
        "memory's text), `audience` and `failed`."
    )
    proposed_by = NamedSerializer(allow_null=True)
    robot = NamedSerializer(allow_null=True)
    assignee = NamedSerializer(allow_null=True)
    locked_by = NamedSerializer(allow_null=True)
    locked_until = serializers.DateTimeField(allow_null=True)
    decided_by = NamedSerializer(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    decision = serializers.CharField(help_text="Why it was decided so.")
    created_at = serializers.DateTimeField()
    original = serializers.CharField(
        allow_null=True,
        help_text="Of what a gate holds for something personal: the words as they were written. "
        "For the member alone for whom they were written; null for everybody else.",
    )
