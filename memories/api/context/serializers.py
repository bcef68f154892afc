"""What the API takes and gives for a working memory."""

from typing import Any

from rest_framework import serializers

from memories.context.models import Reason
from memories.context.token_budget import IMPORTANCE, MEASURES, ORDERS
from orgs.api.serializers import FlagField, NamedSerializer, StrictSerializer, TextField


class PlaceSerializer(StrictSerializer):
    """For whom and where the robot acts."""

    member = TextField(max_length=400, required=False)
    group = TextField(max_length=300, required=False)


class TeamLookSerializer(StrictSerializer):
    """Query parameters. With `order` or `max_tokens` the answer has a text."""

    order = serializers.ChoiceField(ORDERS, required=False)
    by = serializers.ChoiceField(
        MEASURES, default=IMPORTANCE, help_text="What `important` goes by."
    )
    max_tokens = serializers.IntegerField(
        min_value=1, max_value=10_000_000, required=False, help_text="By default the budget."
    )


class LookSerializer(TeamLookSerializer, PlaceSerializer):
    """The same, for whom and where the robot acts."""


class AddSerializer(PlaceSerializer):
    memory = serializers.UUIDField()


class RemoveSerializer(PlaceSerializer):
    """Query parameters: the memory that is taken out, or everything where none is named."""

    memory = serializers.UUIDField(required=False)


class EntrySerializer(serializers.Serializer[Any]):
    memory = serializers.UUIDField()
    content = serializers.CharField()
    tokens = serializers.IntegerField()
    importance = serializers.FloatField()
    access_count = serializers.IntegerField()
    added_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField()


class EvictedSerializer(serializers.Serializer[Any]):
    memory = serializers.UUIDField()
    content = serializers.CharField()
    evicted_at = serializers.DateTimeField()
    reason = serializers.ChoiceField(Reason.choices)


class HeldSerializer(serializers.Serializer[Any]):
    """What a robot or a team has at hand."""

    budget = serializers.IntegerField(help_text="In tokens.")
    tokens = serializers.IntegerField(help_text="Of all that is in it.")
    count = serializers.IntegerField(help_text="How many memories are in it.")
    entries = EntrySerializer(
        many=True, help_text="Those that the caller reads; with a text those that are in it."
    )
    evicted = EvictedSerializer(many=True, help_text="What left lately and is readable.")
    text = serializers.CharField(allow_null=True)
    text_tokens = serializers.IntegerField(allow_null=True)


class WorkingMemorySerializer(HeldSerializer):
    robot = NamedSerializer()


class TeamMemorySerializer(HeldSerializer):
    team = NamedSerializer()


class TeamAddSerializer(StrictSerializer):
    memory = serializers.UUIDField()


class TeamRemoveSerializer(StrictSerializer):
    """Query parameters: the memory that is taken out, or everything where none is named."""

    memory = serializers.UUIDField(required=False)


class TransferSerializer(StrictSerializer):
    to = TextField(max_length=100, help_text="The other team.")
    clear_source = FlagField(
        default=True, help_text="Whether what moved leaves the team that hands it over."
    )


class TransferredSerializer(serializers.Serializer[Any]):
    moved = serializers.ListField(child=serializers.UUIDField())
    kept = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="What not every robot of the other team reads, or its budget cannot hold.",
    )
    evicted = serializers.ListField(
        child=serializers.UUIDField(), help_text="What made room in the other team."
    )


class TeamStatusSerializer(serializers.Serializer[Any]):
    team = NamedSerializer()
    active = NamedSerializer(many=True, help_text="By joining.")
    passive = NamedSerializer(many=True, help_text="By joining.")
    silent = NamedSerializer(many=True, help_text="Those of both that are not heard from.")
    in_sync = serializers.BooleanField(
        help_text="Whether a robot is active and every active one is heard from."
    )
    budget = serializers.IntegerField(help_text="In tokens.")
    tokens = serializers.IntegerField()
    count = serializers.IntegerField(help_text="How many memories are at hand.")
    utilisation = serializers.FloatField(help_text="tokens / budget, in 0-1.")


class AddedSerializer(serializers.Serializer[Any]):
    memory = serializers.UUIDField()
    evicted = serializers.ListField(child=serializers.UUIDField())
