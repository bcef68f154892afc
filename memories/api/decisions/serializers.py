"""What the API takes and gives for decisions."""

from typing import Any

from rest_framework import serializers

from memories.api.serializers.memories import AudienceSerializer
from memories.curation.decisions.models import DissentKind
from memories.curation.decisions.rules import STRENGTHS
from memories.store.models.choices import Status
from orgs.api.serializers import (
    CountField,
    FlagField,
    NamedSerializer,
    NumberField,
    StrictSerializer,
    TextField,
    TextListField,
)

MAX_TOPIC, MAX_TEXT, MOST_PARTS, MOST_VOTES, MOST_LISTED = 300, 5000, 100, 1_000_000, 100
BY = (
    "Whose words these are: a member by id or platform:identifier, a name, or robot:<id or name>. "
    "As with the speaker of a memory, only who may speak for a member names one."
)


class ActingSerializer(StrictSerializer):
    """For whom and where it is asked."""

    group = TextField(max_length=300, required=False)
    member = TextField(max_length=400, required=False)


class ClaimDraftSerializer(StrictSerializer):
    text = TextField(max_length=MAX_TEXT)
    by = TextField(max_length=400, required=False, help_text=BY)


class DissentDraftSerializer(StrictSerializer):
    kind = serializers.ChoiceField(DissentKind.values)
    content = TextField(max_length=MAX_TEXT)
    reasoning = TextField(max_length=MAX_TEXT, required=False, allow_blank=True)
    by = TextField(
        max_length=400, required=False, help_text=f"{BY} Left out, they are the caller's own."
    )
    confidence = NumberField(min_value=0, max_value=1, default=1.0)


class AddDissentSerializer(ActingSerializer, DissentDraftSerializer):
    pass


class AnswerDissentSerializer(ActingSerializer):
    """What is left out stays as it is; of the dissent itself nothing changes."""

    acknowledged = FlagField(required=False)
    rebuttal = TextField(
        max_length=MAX_TEXT, required=False, allow_blank=True, help_text="Empty takes it back."
    )


class ConclusionSerializer(StrictSerializer):
    """A decision without its topic and place."""

    conclusion = TextField(max_length=MAX_TEXT)
    confidence = NumberField(min_value=0, max_value=1, default=1.0)
    participants = TextListField(
        max_length=MOST_PARTS,
        item_length=300,
        required=False,
        help_text="Who took part, named as in `by`. They read no more by that.",
    )
    agree = CountField(min_value=0, max_value=MOST_VOTES, default=0, help_text="Votes for it.")
    disagree = CountField(
        min_value=0, max_value=MOST_VOTES, default=0, help_text="Votes against it."
    )
    claims = ClaimDraftSerializer(many=True, required=False, max_length=MOST_PARTS)
    dissents = DissentDraftSerializer(many=True, required=False, max_length=MOST_PARTS)
    domain = TextField(max_length=100, required=False, allow_blank=True)
    tags = TextListField(max_length=50, item_length=100, required=False)
    decided_at = serializers.DateTimeField(required=False, help_text="Left out, it is now.")
    supersedes = serializers.UUIDField(
        required=False, help_text="The decision for the same readers that it replaces."
    )


class RecordDecisionSerializer(ActingSerializer, ConclusionSerializer):
    topic = TextField(max_length=MAX_TOPIC)
    visibility = TextField(max_length=200, required=False, help_text="As of a memory.")
    based_on = serializers.ListField(
        child=serializers.UUIDField(),
        max_length=MOST_PARTS,
        required=False,
        help_text="Memories that it was made from; what the caller does not read is passed over.",
    )
    key = TextField(
        max_length=300, required=False, help_text="The same again is the same decision."
    )


class RecordedSerializer(serializers.Serializer[Any]):
    """What waits for a review is in no list until it is approved."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(Status.values)
    deduplicated = serializers.BooleanField(
        help_text="It was recorded before; nothing of this call was added to it."
    )


class DecisionListParametersSerializer(ActingSerializer):
    """Query parameters."""

    topic = TextField(
        max_length=MAX_TOPIC, required=False, help_text="Each of these words is in the topic."
    )
    domain = TextField(max_length=100, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MOST_LISTED, default=50)
    cursor = TextField(max_length=2000, required=False)


class SimilarParametersSerializer(ActingSerializer):
    """Query parameters."""

    topic = TextField(max_length=MAX_TOPIC)
    limit = serializers.IntegerField(min_value=1, max_value=50, default=5)


class DissentParametersSerializer(ActingSerializer):
    """Query parameters: a hash, as a decision shows it, or the topic itself, or neither."""

    topic_hash = serializers.RegexField(
        r"\A[0-9a-fA-F]{64}\Z", required=False, help_text="64 hexadecimal digits."
    )
    topic = TextField(max_length=MAX_TOPIC, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=100, default=100)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if "topic_hash" in given and "topic" in given:
            raise serializers.ValidationError("Give topic_hash or topic, not both.")
        return given


class VoiceSerializer(serializers.Serializer[Any]):
    """member, robot: who stands behind the name; both null where nobody is known to."""

    name = serializers.CharField()
    member = NamedSerializer(allow_null=True)
    robot = NamedSerializer(allow_null=True)


class ClaimSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    by = VoiceSerializer(allow_null=True)


class DissentSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    decision = serializers.UUIDField()
    kind = serializers.ChoiceField(DissentKind.values)
    content = serializers.CharField()
    reasoning = serializers.CharField()
    by = VoiceSerializer()
    noted_by = VoiceSerializer(
        allow_null=True, help_text="Who recorded it, perhaps another than who says it."
    )
    confidence = serializers.FloatField()
    acknowledged = serializers.BooleanField()
    rebuttal = serializers.CharField()
    created_at = serializers.DateTimeField()
    answered_at = serializers.DateTimeField(allow_null=True)
    answered_by = VoiceSerializer(allow_null=True)


class DecisionSerializer(serializers.Serializer[Any]):
    """id: also of its memory. confidence: 0-1."""

    id = serializers.UUIDField()
    status = serializers.ChoiceField(Status.values)
    topic = serializers.CharField()
    topic_hash = serializers.CharField(help_text="Equal for the same words in any order.")
    conclusion = serializers.CharField()
    strength = serializers.ChoiceField(STRENGTHS)
    confidence = serializers.FloatField()
    participants = VoiceSerializer(many=True)
    agree = serializers.IntegerField()
    disagree = serializers.IntegerField()
    claims = ClaimSerializer(many=True)
    dissents = DissentSerializer(many=True)
    domain = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    decided_at = serializers.DateTimeField()
    audience = AudienceSerializer()
    superseded_by = serializers.UUIDField(allow_null=True)


class ChainedDecisionSerializer(DecisionSerializer):
    supersedes = serializers.ListField(
        child=serializers.UUIDField(), help_text="What it replaced, and that one's, nearest first."
    )
    successors = serializers.ListField(
        child=serializers.UUIDField(), help_text="What replaced it, and that one, nearest first."
    )


class SimilarDecisionSerializer(DecisionSerializer):
    similarity = serializers.FloatField(help_text="Words in common among all words, 0-1.")


class PreparedCitationSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(help_text="As it stands in the text.")
    section = serializers.CharField()
    decision = serializers.UUIDField()
    dissent = serializers.UUIDField(allow_null=True)


class PreparationSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(help_text="Empty where nothing alike was decided.")
    citations = PreparedCitationSerializer(many=True)
