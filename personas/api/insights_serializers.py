"""What the API takes and gives for what personas learn over time."""

from typing import Any

from rest_framework import serializers

from orgs.api.serializers import StrictSerializer, TextField
from personas.learning.mann_kendall import TRENDS
from personas.models.suggestions import SuggestionState


class SuggestionQuerySerializer(StrictSerializer):
    """Query parameters."""

    state = serializers.ChoiceField(
        [*SuggestionState.values, "all"], default=SuggestionState.OPEN.value
    )
    persona = TextField(
        max_length=300, required=False, help_text="Only those for the persona of this handle."
    )
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = TextField(max_length=2000, required=False)


class SuggestedLessonSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="Of the suggestion.")
    text = serializers.CharField()
    origin = serializers.CharField(help_text="The handle of the persona that learned it.")
    persona = serializers.CharField(help_text="The handle of the one to whom it is suggested.")
    memory = serializers.UUIDField(help_text="The entry in the block of the origin.")
    state = serializers.ChoiceField(SuggestionState.choices)
    suggested_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    made = serializers.UUIDField(
        allow_null=True, help_text="The entry that was made of it, once it is accepted."
    )


class LessonAcceptedSerializer(SuggestedLessonSerializer):
    status = serializers.CharField(
        help_text="Of the entry: active, or pending_review or quarantined where a gate holds it."
    )


class TopicTrendSerializer(serializers.Serializer[Any]):
    topic = serializers.CharField()
    counts = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="How often it was said or confirmed in each window, the oldest first.",
    )
    tau = serializers.FloatField(help_text="Kendall's tau-b, -1 to 1.")
    p = serializers.FloatField(help_text="Of the test of Mann and Kendall, both sides.")
    trend = serializers.ChoiceField(TRENDS, help_text="rising or falling where p is below .05.")


class TrendsSerializer(serializers.Serializer[Any]):
    persona = serializers.CharField()
    windows = serializers.ListField(
        child=serializers.DateTimeField(),
        help_text="When each window of seven days ends, the oldest first.",
    )
    topics = TopicTrendSerializer(many=True)


class BlockGrowthSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField(help_text="The end of the week.")
    entries = serializers.IntegerField()
    characters = serializers.IntegerField()


class BlockFiguresSerializer(serializers.Serializer[Any]):
    persona = serializers.CharField()
    label = serializers.CharField()
    limit = serializers.IntegerField(help_text="In characters.")
    reads = serializers.IntegerField(help_text="How often an entry was served in an answer.")
    writes = serializers.IntegerField(help_text="How often an entry was said or confirmed.")
    reads_a_write = serializers.FloatField(allow_null=True, help_text="Null without a write.")
    weeks = BlockGrowthSerializer(many=True)


class MembersWithPersonasSerializer(serializers.Serializer[Any]):
    personas = serializers.IntegerField()
    members = serializers.IntegerField(help_text="How many have just so many personas.")


class GateVerdictsSerializer(serializers.Serializer[Any]):
    passed = serializers.IntegerField()
    sanitised = serializers.IntegerField()
    held = serializers.IntegerField()
    quarantined = serializers.IntegerField()


class AssociationOutcomesSerializer(serializers.Serializer[Any]):
    made = serializers.IntegerField()
    confirmed = serializers.IntegerField()
    removed = serializers.IntegerField()


class ConversationFiguresSerializer(serializers.Serializer[Any]):
    persona = serializers.CharField()
    members = serializers.IntegerField(
        allow_null=True, help_text="Null, as the others, where fewer than three members talked."
    )
    conversations = serializers.IntegerField(allow_null=True)
    messages_each = serializers.FloatField(allow_null=True)


class PersonaFiguresSerializer(serializers.Serializer[Any]):
    since = serializers.DateTimeField(help_text="Counts are of the eight weeks from then on.")
    personas_each = serializers.FloatField(help_text="The mean over the members who share.")
    members = MembersWithPersonasSerializer(many=True)
    blocks = BlockFiguresSerializer(many=True)
    gate = GateVerdictsSerializer(help_text="Verdicts of the gates, of all audiences.")
    associations = AssociationOutcomesSerializer()
    conversations = ConversationFiguresSerializer(many=True)
