"""What the API takes and gives for conversations and messages."""

from copy import deepcopy
from typing import Any

from rest_framework import serializers

from orgs.api.serializers import (
    MAX_ITEMS,
    DocumentField,
    NamedSerializer,
    StrictSerializer,
    TextField,
    TextListField,
)
from robots.api.serializers.robots import PageSerializer
from robots.conversations.drafts import MAX_CONTENT_BYTES, Utterance
from robots.conversations.earlier import BANDS
from robots.conversations.mentions import MOST
from robots.models.conversations import MessageRole


class ConversationCreateSerializer(StrictSerializer):
    external_id = TextField(max_length=300, required=False)
    group = TextField(max_length=300, required=False)
    member = TextField(max_length=400, required=False)
    title = TextField(max_length=300, required=False)
    metadata = DocumentField(required=False)


class ConversationFiltersSerializer(PageSerializer):
    group = TextField(max_length=300, required=False)
    external_id = TextField(max_length=300, required=False)


class ConversationSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    external_id = serializers.CharField(allow_null=True)
    title = serializers.CharField()
    group = NamedSerializer(allow_null=True)
    member = NamedSerializer(allow_null=True)
    robot = NamedSerializer(allow_null=True)
    metadata = serializers.DictField()
    created_at = serializers.DateTimeField()
    last_message_at = serializers.DateTimeField(allow_null=True)


class EarlierMessageSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    role = serializers.ChoiceField(MessageRole.choices)
    speaker = serializers.CharField()
    content = serializers.CharField()
    sent_at = serializers.DateTimeField()


class EarlierSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    external_id = serializers.CharField(allow_null=True)
    title = serializers.CharField()
    last_message_at = serializers.DateTimeField()
    band = serializers.ChoiceField(
        [band.name for band in BANDS],
        help_text="By its last message: hot (less than 24 hours), warm (7 days), cold (30 days), "
        "archive.",
    )
    tokens = serializers.IntegerField(help_text="About how many its messages here have.")
    messages = EarlierMessageSerializer(
        many=True, help_text="The latest that fit, in the order in which they came."
    )


class EarlierAnswerSerializer(serializers.Serializer[Any]):
    conversations = EarlierSerializer(many=True)
    tokens = serializers.IntegerField()


class MessageCreateSerializer(StrictSerializer):
    content = TextField(trim_whitespace=False)
    external_id = TextField(max_length=300, required=False)
    role = serializers.ChoiceField(MessageRole.choices, required=False)
    speaker = TextField(
        max_length=400,
        required=False,
        help_text="A member's id or platform:identifier, else a name. Left out: the caller.",
    )
    speaker_name = TextField(
        max_length=300, required=False, help_text="How the speaker was shown at the time."
    )
    mentions = TextListField(required=False, max_length=MOST, item_length=400)
    reply_to = TextField(
        max_length=300, required=False, help_text="A message's id or external id, even to come."
    )
    sent_at = serializers.DateTimeField(required=False)
    metadata = DocumentField(required=False)

    def validate_content(self, value: str) -> str:
        if not value.strip():
            raise serializers.ValidationError("This field may not be blank.")
        if len(value.encode()) > MAX_CONTENT_BYTES:
            raise serializers.ValidationError(f"Longer than {MAX_CONTENT_BYTES} bytes.")
        return value


def utterance(data: dict[str, Any]) -> Utterance:
    """A validated message as the service takes it."""
    return Utterance(**{**data, "mentions": tuple(data.get("mentions", ()))})


class MessageBatchSerializer(StrictSerializer):
    """Messages are checked one by one, so that a bad one takes no other with it."""

    items = serializers.ListField(
        child=serializers.JSONField(allow_null=True), min_length=1, max_length=MAX_ITEMS
    )

    def get_fields(self) -> dict[str, Any]:
        # `items` is also a method of the mapping that a serializer's data is.
        return {"items": deepcopy(self._declared_fields["items"])}


class MessageBatchRequestSerializer(StrictSerializer):
    """For the description: the items are messages."""

    items = serializers.ListField(
        child=MessageCreateSerializer(), min_length=1, max_length=MAX_ITEMS
    )


class KeptSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.CharField(help_text="kept, or known when it had come before")
    memory = serializers.UUIDField(allow_null=True, help_text="The memory that was made of it.")
    reason = serializers.CharField(
        help_text="Why there is no memory: chatter, system, learning-paused, erased; or empty."
    )
    notes = serializers.ListField(
        child=serializers.CharField(), help_text="What was taken otherwise than it was sent."
    )


class MessageBatchResultSerializer(serializers.Serializer[Any]):
    index = serializers.IntegerField()
    status = serializers.CharField(help_text="kept, known or refused")
    id = serializers.UUIDField(required=False)
    memory = serializers.UUIDField(required=False, allow_null=True)
    reason = serializers.CharField(required=False)
    notes = serializers.ListField(child=serializers.CharField(), required=False)
    problem = serializers.DictField(required=False)


class MessageBatchAnswerSerializer(serializers.Serializer[Any]):
    results = MessageBatchResultSerializer(many=True)


class MessageSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    external_id = serializers.CharField(allow_null=True)
    role = serializers.ChoiceField(MessageRole.choices)
    content = serializers.CharField()
    speaker = serializers.CharField()
    member = NamedSerializer(
        allow_null=True, help_text="The member who said it; null where `speaker` is only a name."
    )
    author = NamedSerializer(
        allow_null=True, help_text="The person who posted it; null where a robot did."
    )
    robot = NamedSerializer(allow_null=True)
    mentions = serializers.ListField(child=serializers.CharField())
    reply_to = serializers.UUIDField(allow_null=True)
    type = serializers.CharField()
    kind = serializers.CharField()
    audience = serializers.CharField(help_text="group, explicit, member or robot")
    reason = serializers.CharField()
    metadata = serializers.DictField()
    sent_at = serializers.DateTimeField()
    received_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(
        allow_null=True, help_text="Since then its words are shown to nobody."
    )
