"""What the API takes and gives for conversations and messages."""

from copy import deepcopy
from typing import Any

from rest_framework import serializers

from orgs.api.serializers import (
    MAX_ITEMS,
    ChoiceField,
    DocumentField,
    NamedSerializer,
    ReferenceListField,
    StrictSerializer,
    SupersedesField,
    TextField,
    TimeField,
    valid_from_field,
    valid_until_field,
)
from robots.api.serializers.robots import PageSerializer
from robots.conversations.conversations import FAIL, IF_MISSING
from robots.conversations.earlier_conversations import BANDS
from robots.conversations.message_types import MAX_CONTENT_BYTES, NewMessage
from robots.models.conversations import MessageRole

# What other products call an agent's own reply.
ASSISTANT = "assistant"


class ConversationCreateSerializer(StrictSerializer):
    external_id = TextField(max_length=300, required=False, help_text="An id of your own choice.")
    group = TextField(max_length=300, required=False, help_text="By id or external id.")
    member = TextField(
        max_length=400, required=False, help_text="By id or platform:identifier; for robots."
    )
    if_missing = ChoiceField(
        IF_MISSING,
        default=FAIL,
        help_text="`create`: a member (platform:identifier) or a group (external id) that is not "
        "there is made; if one of the two is new, the member comes into the group. For keys that "
        "manage.",
    )
    member_name = TextField(
        max_length=200, required=False, help_text="Of a member who is made; else the identifier."
    )
    group_name = TextField(
        max_length=200, required=False, help_text="Of a group that is made; else the external id."
    )
    title = TextField(
        max_length=300, required=False, help_text="By default made from its first message."
    )
    metadata = DocumentField(required=False)


class ConversationFiltersSerializer(PageSerializer):
    member = TextField(
        max_length=400,
        required=False,
        help_text="Only direct conversations with this member; a robot that names nobody is shown "
        "no direct conversation.",
    )
    group = TextField(max_length=300, required=False, help_text="By id or external id.")
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
    last_message_at = serializers.DateTimeField(
        allow_null=True, help_text="Of the messages that all its readers read; null without any."
    )


class EarlierMessageSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    role = ChoiceField(MessageRole.choices)
    speaker = serializers.CharField()
    content = serializers.CharField()
    sent_at = serializers.DateTimeField()


class EarlierSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    external_id = serializers.CharField(allow_null=True)
    title = serializers.CharField()
    last_message_at = serializers.DateTimeField()
    band = ChoiceField(
        [band.name for band in BANDS],
        help_text="The age of its last message: hot is less than 24 hours, warm less than 7 days, "
        "cold less than 30 days, archive more.",
    )
    tokens = serializers.IntegerField(help_text="About how many tokens these messages have.")
    messages = EarlierMessageSerializer(
        many=True, help_text="The latest that fit into the budget, in the order in which they came."
    )


class EarlierAnswerSerializer(serializers.Serializer[Any]):
    conversations = EarlierSerializer(many=True)
    tokens = serializers.IntegerField(help_text="The sum over the conversations.")


class MessageCreateSerializer(StrictSerializer):
    content = TextField(trim_whitespace=False, help_text="At most 1,000,000 bytes in UTF-8.")
    external_id = TextField(
        max_length=300,
        required=False,
        help_text="An id of your own choice, so that the call can be repeated.",
    )
    role = ChoiceField(
        [*MessageRole.values, ASSISTANT],
        required=False,
        help_text="`assistant` is the same as `agent`.",
    )
    speaker = TextField(
        max_length=400,
        required=False,
        help_text="Who said it: a member by id or platform:identifier, or a name. By default the "
        "caller.",
    )
    speaker_name = TextField(
        max_length=300, required=False, help_text="The name under which the speaker was shown."
    )
    mentions = ReferenceListField(
        required=False,
        item_length=400,
        help_text="Whom it addresses, as `speaker`.",
    )
    reply_to = TextField(
        max_length=300,
        required=False,
        help_text="The id or external id of a message; it may also arrive later.",
    )
    sent_at = TimeField(
        required=False,
        help_text="By default now. A time more than 5 minutes ahead is replaced by the time of "
        "arrival.",
    )
    metadata = DocumentField(required=False)
    valid_from = valid_from_field()
    valid_until = valid_until_field()
    supersedes = SupersedesField(required=False)

    def validate_role(self, value: str) -> str:
        return MessageRole.AGENT if value == ASSISTANT else value

    def validate_content(self, value: str) -> str:
        if not value.strip():
            raise serializers.ValidationError("This field may not be blank.")
        if len(value.encode()) > MAX_CONTENT_BYTES:
            raise serializers.ValidationError(f"Longer than {MAX_CONTENT_BYTES} bytes.")
        return value


def to_new_message(data: dict[str, Any]) -> NewMessage:
    """A validated message as the service takes it."""
    return NewMessage(**{**data, "mentions": tuple(data.get("mentions", ()))})


class MessageBatchSerializer(StrictSerializer):
    """Messages are validated one by one, so that an invalid one stops no other."""

    items = serializers.ListField(
        child=serializers.JSONField(allow_null=True), min_length=1, max_length=MAX_ITEMS
    )

    def get_fields(self) -> dict[str, Any]:
        # `items` is also a method of the mapping that a serializer's data is.
        return {"items": deepcopy(self._declared_fields["items"])}


class MessageBatchRequestSerializer(StrictSerializer):
    """A batch of messages."""

    items = serializers.ListField(
        child=MessageCreateSerializer(), min_length=1, max_length=MAX_ITEMS
    )


class KeptSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.CharField(help_text="kept, or known if it was posted before.")
    memory = serializers.UUIDField(allow_null=True, help_text="The memory that was made from it.")
    reason = serializers.CharField(
        help_text="Why there is no memory: chatter, system, learning-paused, quarantined, "
        "too-long, refused or erased; else empty."
    )
    notes = serializers.ListField(
        child=serializers.CharField(),
        help_text="Sentences about what was stored differently from what was sent.",
    )


class MessageBatchResultSerializer(serializers.Serializer[Any]):
    index = serializers.IntegerField(help_text="The place of the message, counted from 0.")
    status = serializers.CharField(help_text="kept, known or refused.")
    id = serializers.UUIDField(required=False)
    memory = serializers.UUIDField(required=False, allow_null=True)
    reason = serializers.CharField(required=False)
    notes = serializers.ListField(child=serializers.CharField(), required=False)
    problem = serializers.DictField(
        required=False, help_text="For `refused` alone: problem details (RFC 9457)."
    )


class MessageBatchAnswerSerializer(serializers.Serializer[Any]):
    results = MessageBatchResultSerializer(many=True)


class MessageSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    external_id = serializers.CharField(allow_null=True)
    role = ChoiceField(MessageRole.choices)
    content = serializers.CharField()
    speaker = serializers.CharField()
    member = NamedSerializer(
        allow_null=True, help_text="The member who said it; null if `speaker` is only a name."
    )
    author = NamedSerializer(
        allow_null=True, help_text="The person who posted it; null if a robot did."
    )
    robot = NamedSerializer(allow_null=True)
    mentions = serializers.ListField(child=serializers.CharField())
    reply_to = serializers.UUIDField(
        allow_null=True, help_text="The message that it answers, if the caller reads it."
    )
    type = serializers.CharField(
        help_text="announcement, expertise, preference, interaction or conversation."
    )
    kind = serializers.CharField(help_text="As of a memory.")
    audience = serializers.CharField(help_text="Who reads it: group, explicit, member or robot.")
    reason = serializers.CharField(help_text="Why it became no memory; empty if it did.")
    metadata = serializers.DictField()
    sent_at = serializers.DateTimeField()
    received_at = serializers.DateTimeField()
    withdrawn_at = serializers.DateTimeField(
        allow_null=True,
        help_text="When it was withdrawn; since then its text is shown to nobody. Else null.",
    )
