"""What the API takes and gives for decisions."""

from typing import Any
from uuid import UUID

from rest_framework import serializers

from memories.api.serializers.attribution import AttributionSerializer
from memories.api.serializers.memories import AudienceSerializer, MemorySerializer
from memories.curation.decision_records.decision_queries import DecisionRecord
from memories.curation.decision_records.models import Claim, Dissent, DissentType, Participant
from memories.curation.decision_records.prepare_decision import PreparationCitation
from memories.curation.decision_records.topic_rules import STRENGTHS
from memories.store.models.choices import Status
from orgs.api.serializers import (
    MAX_REFERENCES,
    AnswerSerializer,
    ChoiceField,
    CountField,
    FlagField,
    NamedSerializer,
    NumberField,
    ReferenceListField,
    StrictSerializer,
    TextField,
    TextListField,
    TimeField,
)
from orgs.models.memberships import Member
from robots.models.robots import Robot

MAX_TOPIC, MAX_TEXT, MAX_PARTS, MAX_VOTES, MAX_LISTED = 300, 5000, 100, 1_000_000, 100
BY_HELP = (
    "Whose words these are: a member by id or platform:identifier, a name, or robot:<id or name>. "
    "Only a caller who may speak for a member can name that member."
)


class ActingSerializer(StrictSerializer):
    """`group` says where it is asked, `member` for whom a robot asks."""

    group = TextField(max_length=300, required=False, help_text="The group in which it is asked.")
    member = TextField(
        max_length=400, required=False, help_text="The member for whom a robot asks."
    )


class ClaimDraftSerializer(StrictSerializer):
    text = TextField(max_length=MAX_TEXT)
    by = TextField(max_length=400, required=False, help_text=BY_HELP)


class DissentDraftSerializer(StrictSerializer):
    kind = ChoiceField(DissentType.values)
    content = TextField(max_length=MAX_TEXT)
    reasoning = TextField(max_length=MAX_TEXT, required=False, allow_blank=True)
    by = TextField(
        max_length=400, required=False, help_text=f"{BY_HELP} Left out: the caller's own words."
    )
    confidence = NumberField(min_value=0, max_value=1, default=1.0)


class AddDissentSerializer(ActingSerializer, DissentDraftSerializer):
    pass


class AnswerDissentSerializer(ActingSerializer):
    """An answer to a dissent. Fields that are left out stay as they are."""

    acknowledged = FlagField(required=False)
    rebuttal = TextField(
        max_length=MAX_TEXT, required=False, allow_blank=True, help_text="An empty text removes it."
    )


class ConclusionSerializer(StrictSerializer):
    """A decision without its topic and place."""

    conclusion = TextField(max_length=MAX_TEXT)
    confidence = NumberField(min_value=0, max_value=1, default=1.0)
    participants = ReferenceListField(
        item_length=300,
        required=False,
        help_text="Who took part, named as in `by`. It does not change who reads the decision.",
    )
    agree = CountField(min_value=0, max_value=MAX_VOTES, default=0, help_text="Votes for it.")
    disagree = CountField(
        min_value=0, max_value=MAX_VOTES, default=0, help_text="Votes against it."
    )
    claims = ClaimDraftSerializer(many=True, required=False, max_length=MAX_PARTS)
    dissents = DissentDraftSerializer(many=True, required=False, max_length=MAX_PARTS)
    domain = TextField(
        max_length=100, required=False, allow_blank=True, help_text="The field that it belongs to."
    )
    tags = TextListField(max_length=50, item_length=100, required=False)
    decided_at = TimeField(required=False, help_text="By default now.")
    supersedes = serializers.UUIDField(
        required=False,
        help_text="The older decision that it replaces; both must have the same readers.",
    )


class RecordDecisionSerializer(ActingSerializer, ConclusionSerializer):
    topic = TextField(max_length=MAX_TOPIC)
    visibility = TextField(max_length=200, required=False, help_text="As for a memory.")
    based_on = serializers.ListField(
        child=serializers.UUIDField(),
        max_length=MAX_REFERENCES,
        required=False,
        help_text="Memories from which it was made. Those that the caller does not read are "
        "skipped.",
    )
    key = TextField(
        max_length=300,
        required=False,
        help_text="The same key with the same topic and conclusion is the same decision; with "
        "others it is 409 `key-taken`. By default topic, conclusion and `decided_at` are the key.",
    )


class RecordedSerializer(AnswerSerializer):
    """A recorded decision. While it waits for a review, it is in no list."""

    id = serializers.UUIDField()
    status = ChoiceField(Status.values)
    deduplicated = serializers.BooleanField(
        help_text="True if it was recorded before. Then nothing of this call is stored but "
        "`supersedes`."
    )


class DecisionListParametersSerializer(ActingSerializer):
    """Query parameters."""

    topic = TextField(
        max_length=MAX_TOPIC, required=False, help_text="Words that must all be in the topic."
    )
    domain = TextField(max_length=100, required=False, help_text="In any letter case.")
    limit = serializers.IntegerField(min_value=1, max_value=MAX_LISTED, default=50)
    cursor = TextField(max_length=2000, required=False)


class SimilarParametersSerializer(ActingSerializer):
    """Query parameters."""

    topic = TextField(max_length=MAX_TOPIC)
    limit = serializers.IntegerField(min_value=1, max_value=50, default=5)


class DissentParametersSerializer(ActingSerializer):
    """Query parameters: `topic_hash` or `topic` or neither."""

    topic_hash = serializers.RegexField(
        r"\A[0-9a-fA-F]{64}\Z", required=False, help_text="64 hexadecimal digits, as in a decision."
    )
    topic = TextField(
        max_length=MAX_TOPIC, required=False, help_text="Exactly these words, in any order."
    )
    limit = serializers.IntegerField(min_value=1, max_value=100, default=100)

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if "topic_hash" in given and "topic" in given:
            raise serializers.ValidationError("Give topic_hash or topic, not both.")
        return given


class VoiceSerializer(AnswerSerializer):
    """A person or robot in the record of a decision. Of a mere name, member and robot are null."""

    name = serializers.CharField(help_text="The present name.")
    member = NamedSerializer(allow_null=True)
    robot = NamedSerializer(allow_null=True)


def _render_visible(member: Member | None, robot: Robot | None) -> dict[str, Any] | None:
    who = member or robot
    return who and VoiceSerializer.render(who, member=member, robot=robot)


def _render_by(row: Participant | Claim | Dissent) -> dict[str, Any]:
    """The person or robot in the record of a decision, with their present name."""
    nobody = {"name": row.called, "member": None, "robot": None}
    return _render_visible(row.member, row.known(row.robot)) or nobody


class ClaimSerializer(AnswerSerializer):
    text = serializers.CharField()
    by = VoiceSerializer(allow_null=True, help_text="Null if nobody was named.")

    @staticmethod
    def get_by(row: Claim) -> dict[str, Any] | None:
        return _render_by(row) if row.name else None


class DissentSerializer(AnswerSerializer):
    id = serializers.UUIDField()
    decision = serializers.UUIDField(source="memory_id")
    kind = ChoiceField(DissentType.values, source="form")
    content = serializers.CharField()
    reasoning = serializers.CharField()
    by = VoiceSerializer()
    noted_by = VoiceSerializer(
        allow_null=True, help_text="Who recorded it; this may be another than `by`."
    )
    confidence = serializers.FloatField(help_text="0-1.")
    acknowledged = serializers.BooleanField()
    rebuttal = serializers.CharField(help_text="What was said against it; empty without one.")
    created_at = serializers.DateTimeField()
    answered_at = serializers.DateTimeField(allow_null=True)
    answered_by = VoiceSerializer(allow_null=True)

    get_by = staticmethod(_render_by)

    @staticmethod
    def get_noted_by(row: Dissent) -> dict[str, Any] | None:
        return _render_visible(row.noted_by, row.known(row.noted_by_robot))

    @staticmethod
    def get_answered_by(row: Dissent) -> dict[str, Any] | None:
        return _render_visible(row.answered_by, row.known(row.answered_by_robot))


class DecisionSerializer(AnswerSerializer):
    """A decision with its whole record, as far as the caller reads it.

    `strength` follows from agree / (agree + disagree): 1 is unanimous, above .8 strong, from .6
    moderate, above .5 weak, .5 or no votes split, below .5 contested.
    """

    id = serializers.UUIDField(source="memory.id", help_text="Also the id of its memory.")
    status = ChoiceField(Status.values, source="memory.status")
    topic = serializers.CharField(source="memory.topic")
    topic_hash = serializers.CharField(
        source="record.topic_hash", help_text="SHA-256 of the sorted words of the topic."
    )
    conclusion = serializers.CharField()
    strength = ChoiceField(STRENGTHS)
    confidence = serializers.FloatField(source="memory.confidence", help_text="0-1.")
    participants = VoiceSerializer(many=True)
    agree = serializers.IntegerField(source="record.agree")
    disagree = serializers.IntegerField(source="record.disagree")
    claims = ClaimSerializer(many=True)
    dissents = DissentSerializer(many=True)
    domain = serializers.CharField(source="record.domain")
    tags = serializers.ListField(child=serializers.CharField(), source="memory.tags")
    decided_at = serializers.DateTimeField(source="place.decided_at")
    audience = AudienceSerializer()
    superseded_by = serializers.UUIDField(
        source="memory.holds_now",
        allow_null=True,
        help_text="The memory that is true since then, if the caller reads it.",
    )

    @staticmethod
    def get_participants(one: DecisionRecord) -> list[dict[str, Any]]:
        return [_render_by(row) for row in one.participants]

    @staticmethod
    def get_audience(one: DecisionRecord) -> dict[str, str]:
        return MemorySerializer.get_audience(one.memory)


class ChainedDecisionSerializer(DecisionSerializer):
    supersedes = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="The decisions that it replaced, directly or not, the nearest first, at most "
        "100 steps away.",
    )
    successors = serializers.ListField(
        child=serializers.UUIDField(),
        help_text="The decisions that replaced it, directly or not, the nearest first, at most "
        "100 steps away.",
    )

    @staticmethod
    def get_supersedes(one: DecisionRecord) -> list[UUID]:
        return [other.memory.id for other in one.earlier]

    @staticmethod
    def get_successors(one: DecisionRecord) -> list[UUID]:
        return [other.memory.id for other in one.later]


class SimilarDecisionSerializer(DecisionSerializer):
    similarity = serializers.FloatField(
        help_text="The Jaccard index of the words of both topics, 0-1."
    )

    @staticmethod
    def get_similarity(one: DecisionRecord) -> float:
        return round(one.similarity or 0.0, 6)


class PreparedCitationSerializer(AttributionSerializer):
    """What a number of the text cites, and whose words these are."""

    number = serializers.IntegerField(help_text="The number in brackets in the text.")
    section = serializers.CharField(help_text="risks, open_dissents or decisions.")
    decision = serializers.UUIDField()
    dissent = serializers.UUIDField(
        allow_null=True, help_text="Null if the decision itself is cited."
    )

    @classmethod
    def render(cls, row: PreparationCitation, /, **values: Any) -> Any:
        return super().render(row, **row.said.citation, **values)


class PreparationSerializer(AnswerSerializer):
    text = serializers.CharField(help_text="Empty without a similar decision.")
    citations = PreparedCitationSerializer(many=True)
