"""What the API takes and gives for what personas learn over time."""

from typing import Any

from rest_framework import serializers

from orgs.api.serializers import ChoiceField, StrictSerializer, TextField
from personas.learning.mann_kendall import TRENDS
from personas.models.suggestions import SuggestionState


class SuggestionQuerySerializer(StrictSerializer):
    """Query parameters."""

    state = ChoiceField([*SuggestionState.values, "all"], default=SuggestionState.OPEN.value)
    persona = TextField(
        max_length=300,
        required=False,
        help_text="The handle of the persona to whom they are suggested.",
    )
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = TextField(max_length=2000, required=False)


class SuggestedLessonSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="The id of the suggestion.")
    text = serializers.CharField()
    origin = serializers.CharField(
        help_text="The handle of the persona from which it comes; empty if that is gone."
    )
    persona = serializers.CharField(help_text="The handle of the persona to whom it is suggested.")
    memory = serializers.UUIDField(help_text="The entry in the block of `origin`.")
    state = ChoiceField(SuggestionState.choices)
    suggested_at = serializers.DateTimeField()
    decided_at = serializers.DateTimeField(allow_null=True)
    made = serializers.UUIDField(
        allow_null=True, help_text="The entry in the block of `persona`; null until it is accepted."
    )


class LessonAcceptedSerializer(SuggestedLessonSerializer):
    status = serializers.CharField(
        help_text="The status of the entry: active, or pending_review or quarantined if a gate "
        "holds it."
    )


class TopicTrendSerializer(serializers.Serializer[Any]):
    topic = serializers.CharField()
    counts = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="How often it was said or confirmed, for each of `windows`.",
    )
    tau = serializers.FloatField(help_text="Kendall's tau-b, -1 to 1.")
    p = serializers.FloatField(help_text="The p-value of the two-sided Mann-Kendall test, 0-1.")
    trend = ChoiceField(TRENDS, help_text="rising or falling if p is below 0.05, else flat.")


class TrendsSerializer(serializers.Serializer[Any]):
    persona = serializers.CharField()
    windows = serializers.ListField(
        child=serializers.DateTimeField(),
        help_text="The end of each window of seven days, the oldest first; at most eight.",
    )
    topics = TopicTrendSerializer(many=True)
    few_teachers = serializers.BooleanField(
        help_text="Whether fewer than three people taught the persona; then no topic is listed."
    )


class BlockGrowthSerializer(serializers.Serializer[Any]):
    at = serializers.DateTimeField(help_text="The end of the week.")
    entries = serializers.IntegerField(help_text="How many entries the block had then.")
    characters = serializers.IntegerField(help_text="How long its text was then.")


class BlockFiguresSerializer(serializers.Serializer[Any]):
    persona = serializers.CharField()
    industry = serializers.CharField(help_text="As people write it.")
    role = serializers.CharField(help_text="As people write it.")
    label = serializers.CharField()
    limit = serializers.IntegerField(help_text="The most characters of its text.")
    few_teachers = serializers.BooleanField(
        help_text="Whether fewer than three people taught the persona; then its figures are null "
        "and `weeks` is empty."
    )
    reads = serializers.IntegerField(
        allow_null=True, help_text="How often an entry was served in an answer."
    )
    writes = serializers.IntegerField(
        allow_null=True, help_text="How often an entry was said or confirmed."
    )
    reads_a_write = serializers.FloatField(
        allow_null=True, help_text="reads / writes; null without a write."
    )
    weeks = BlockGrowthSerializer(many=True, help_text="The last eight weeks, the oldest first.")


class MembersWithPersonasSerializer(serializers.Serializer[Any]):
    personas = serializers.IntegerField(help_text="A number of personas.")
    members = serializers.IntegerField(help_text="How many members have exactly that many.")


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
        allow_null=True,
        help_text="How many members with the persona talked. All three figures are null below "
        "three.",
    )
    conversations = serializers.IntegerField(allow_null=True)
    messages_each = serializers.FloatField(
        allow_null=True, help_text="The mean number of messages of a conversation."
    )


class ToolRateSerializer(serializers.Serializer[Any]):
    tool = serializers.CharField(
        help_text="Its name; `other` for all that are not counted by name."
    )
    successes = serializers.IntegerField()
    failures = serializers.IntegerField()
    success_rate = serializers.FloatField(help_text="successes / (successes + failures), 0-1.")


class ToolFiguresSerializer(serializers.Serializer[Any]):
    persona = serializers.CharField()
    few_people = serializers.BooleanField(
        help_text="Whether fewer than three people have the persona and share, or taught it; then "
        "no tool is listed."
    )
    tools = ToolRateSerializer(many=True, help_text="The most used first.")


class PersonaFiguresSerializer(serializers.Serializer[Any]):
    since = serializers.DateTimeField(
        help_text="All counts are of the eight weeks since this time."
    )
    personas_each = serializers.FloatField(
        help_text="The mean number of personas of a member who has not opted out of sharing."
    )
    members = MembersWithPersonasSerializer(many=True)
    blocks = BlockFiguresSerializer(many=True)
    gate = GateVerdictsSerializer(
        help_text="How often the gates gave each verdict, for all audiences."
    )
    associations = AssociationOutcomesSerializer()
    conversations = ConversationFiguresSerializer(many=True)
    tools = ToolFiguresSerializer(
        many=True,
        help_text="How calls of tools turned out, as robots reported them, of whole days (UTC) "
        "before today.",
    )
