"""What the API takes and gives for a working memory."""

from typing import Any

from rest_framework import serializers

from memories.context.models import EvictionReason
from memories.context.token_budget import IMPORTANCE, MEASURES, ORDERS
from orgs.api.serializers import (
    ChoiceField,
    FlagField,
    NamedSerializer,
    StrictSerializer,
    TextField,
)

REMOVED_MEMORY_HELP = "The memory to take out; left out, everything is taken out."


class PlaceSerializer(StrictSerializer):
    """`member` says for whom the robot acts, `group` where."""

    member = TextField(
        max_length=400, required=False, help_text="The member for whom the robot acts."
    )
    group = TextField(
        max_length=300, required=False, help_text="The group in which the robot acts."
    )


class TeamLookSerializer(StrictSerializer):
    """Query parameters. With `order` or `max_tokens` the answer has a text."""

    order = ChoiceField(
        ORDERS,
        required=False,
        help_text="The order of the text. Without `order` and `max_tokens` the answer has no text.",
    )
    by = ChoiceField(MEASURES, default=IMPORTANCE, help_text="What the order `important` sorts by.")
    max_tokens = serializers.IntegerField(
        min_value=1,
        max_value=10_000_000,
        required=False,
        help_text="The most tokens of the text; by default the budget of the working memory.",
    )


class LookSerializer(TeamLookSerializer, PlaceSerializer):
    """The same, for whom and where the robot acts."""


class AddSerializer(PlaceSerializer):
    memory = serializers.UUIDField()


class RemoveSerializer(PlaceSerializer):
    """Query parameters."""

    memory = serializers.UUIDField(required=False, help_text=REMOVED_MEMORY_HELP)


class EntrySerializer(serializers.Serializer[Any]):
    memory = serializers.UUIDField()
    content = serializers.CharField()
    tokens = serializers.IntegerField()
    importance = serializers.FloatField(help_text="0-1.")
    access_count = serializers.IntegerField()
    added_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(help_text="When it was last added or recalled.")


class EvictedSerializer(serializers.Serializer[Any]):
    """A memory that left the working memory."""

    memory = serializers.UUIDField()
    content = serializers.CharField()
    evicted_at = serializers.DateTimeField()
    reason = ChoiceField(EvictionReason.choices)


class HeldSerializer(serializers.Serializer[Any]):
    """The working memory of a robot or a team."""

    budget = serializers.IntegerField(help_text="The most tokens that it holds.")
    tokens = serializers.IntegerField(help_text="The tokens of all memories in it.")
    count = serializers.IntegerField(help_text="The number of memories in it.")
    entries = EntrySerializer(
        many=True,
        help_text="The memories in it that the caller reads; with a text only those in the text.",
    )
    evicted = EvictedSerializer(
        many=True, help_text="The last memories that left it and that the caller reads, at most 20."
    )
    text = serializers.CharField(
        allow_null=True, help_text="Null without `order` and `max_tokens`."
    )
    text_tokens = serializers.IntegerField(allow_null=True, help_text="Null without a text.")


class WorkingMemorySerializer(HeldSerializer):
    robot = NamedSerializer()


class TeamMemorySerializer(HeldSerializer):
    team = NamedSerializer()


class TeamAddSerializer(StrictSerializer):
    memory = serializers.UUIDField()


class TeamRemoveSerializer(StrictSerializer):
    """Query parameters."""

    memory = serializers.UUIDField(required=False, help_text=REMOVED_MEMORY_HELP)


class TransferSerializer(StrictSerializer):
    to = TextField(max_length=100, help_text="The id of the other team.")
    clear_source = FlagField(
        default=True, help_text="Whether the moved memories leave the first team."
    )


class TransferredSerializer(serializers.Serializer[Any]):
    """What was moved. Only memories that the caller reads are listed."""

    moved = serializers.ListField(child=serializers.UUIDField())
    kept = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="Memories that stayed: not every robot of the other team reads them, or they "
        "are larger than its budget.",
    )
    evicted = serializers.ListField(
        child=serializers.UUIDField(), help_text="Memories that left the other team to make room."
    )


class TeamStatusSerializer(serializers.Serializer[Any]):
    team = NamedSerializer()
    active = NamedSerializer(many=True, help_text="In the order in which they joined.")
    passive = NamedSerializer(many=True, help_text="In the order in which they joined.")
    silent = NamedSerializer(
        many=True, help_text="Active and passive robots whose last heartbeat is too long ago."
    )
    in_sync = serializers.BooleanField(
        help_text="Whether at least one robot is active and no active robot is silent."
    )
    budget = serializers.IntegerField(help_text="The most tokens of its working memory.")
    tokens = serializers.IntegerField(help_text="The tokens of all memories in it.")
    count = serializers.IntegerField(help_text="The number of memories in it.")
    utilisation = serializers.FloatField(
        help_text="tokens / budget. It can be above 1 until a robot of the team looks again."
    )


class AddedSerializer(serializers.Serializer[Any]):
    memory = serializers.UUIDField()
    evicted = serializers.ListField(
        child=serializers.UUIDField(), help_text="Memories that left to make room."
    )
