"""What the API takes and gives for webhooks."""

from rest_framework import serializers

from memories.webhooks.models import (
    SUBSCRIBED_TYPES,
    DeliveryError,
    DeliveryState,
    DisabledReason,
    EventType,
    WebhookDelivery,
    WebhookEndpoint,
)
from memories.webhooks.signatures import format_message_id
from orgs.api.serializers import (
    MAX_ITEMS,
    AnswerSerializer,
    ChoiceField,
    CountField,
    FlagField,
    StrictSerializer,
    TextField,
)
from orgs.outbound.url_rules import MAX_URL_CHARACTERS

URL_HELP = "Where events are sent: https, without a user, to a host of the public internet."
TEXT_HELP = (
    "Whether events about a memory carry its text, as the owner may read it when it is sent; never "
    "one that is kept encrypted."
)


def _events_field(**kwargs: bool) -> serializers.ListField:
    return serializers.ListField(
        child=ChoiceField([str(one) for one in SUBSCRIBED_TYPES]),
        min_length=1,
        max_length=len(SUBSCRIBED_TYPES),
        help_text="Which events are sent.",
        **kwargs,
    )


class WebhookCreateSerializer(StrictSerializer):
    url = TextField(max_length=MAX_URL_CHARACTERS, help_text=URL_HELP)
    events = _events_field()
    with_text = FlagField(default=False, help_text=TEXT_HELP)


class WebhookChangeSerializer(StrictSerializer):
    """What is left out stays as it is."""

    url = TextField(max_length=MAX_URL_CHARACTERS, required=False, help_text=URL_HELP)
    events = _events_field(required=False)
    with_text = FlagField(required=False, help_text=TEXT_HELP)
    enabled = FlagField(
        required=False,
        help_text="False switches it off; true switches it on again, and what happened meanwhile "
        "is sent.",
    )


class WebhookSerializer(AnswerSerializer):
    """A webhook without its secret."""

    id = serializers.UUIDField()
    url = serializers.CharField()
    events = serializers.ListField(child=ChoiceField([str(one) for one in SUBSCRIBED_TYPES]))
    with_text = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    previous_secret_until = serializers.DateTimeField(
        source="previous_expires_at",
        allow_null=True,
        help_text="Until when the secret before the last rotation signs as well.",
    )
    failures = CountField(help_text="Failed attempts since the last one that was taken.")
    paused_until = serializers.DateTimeField(
        allow_null=True, help_text="After a failure nothing is sent before this time."
    )
    enabled = serializers.BooleanField()
    disabled_at = serializers.DateTimeField(allow_null=True)
    disabled_for = ChoiceField(
        DisabledReason.choices,
        allow_null=True,
        help_text="Why nothing is sent: it was asked for; the robot's key is not valid, cannot "
        "read or was limited; the owner is no admin any more; the receiver answered 410; the "
        "server forbids the address now; its secret is lost.",
    )

    @staticmethod
    def get_enabled(row: WebhookEndpoint) -> bool:
        return row.disabled_at is None

    @staticmethod
    def get_disabled_for(row: WebhookEndpoint) -> str | None:
        return row.disabled_for or None


class WebhookWithSecretSerializer(WebhookSerializer):
    secret = serializers.CharField(
        help_text="What signs, `whsec_` and base64. It is in this answer alone."
    )


class DeliveriesQuerySerializer(StrictSerializer):
    """Query parameters."""

    state = ChoiceField(DeliveryState.choices, required=False)
    event = ChoiceField(EventType.choices, required=False)
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ITEMS, default=50)
    cursor = TextField(max_length=2000, required=False)


class DeliverySerializer(AnswerSerializer):
    """One event for one webhook, and what became of it."""

    id = serializers.UUIDField()
    message = serializers.CharField(help_text="The header `webhook-id` of each attempt.")
    event = ChoiceField(EventType.choices)
    subject = serializers.UUIDField(
        allow_null=True,
        help_text="The memory, job, proposal, key or member; null for a test or a lost audience.",
    )
    state = ChoiceField(
        DeliveryState.choices,
        help_text="waiting; sent; withheld: its owner might not know of it any more when it was to "
        "be sent; dead: twelve attempts failed.",
    )
    attempts = CountField()
    status = CountField(allow_null=True, help_text="Of the last answer; null if there was none.")
    error = ChoiceField(
        DeliveryError.choices,
        allow_null=True,
        help_text="Why the last attempt failed. unreachable: also for an address in a private "
        "network.",
    )
    created_at = serializers.DateTimeField()
    attempted_at = serializers.DateTimeField(allow_null=True)
    next_attempt_at = serializers.DateTimeField(
        allow_null=True, help_text="Null if it is not sent again."
    )

    @staticmethod
    def get_message(row: WebhookDelivery) -> str:
        return format_message_id(row.id)

    @staticmethod
    def get_error(row: WebhookDelivery) -> str | None:
        return row.error or None

    @staticmethod
    def get_next_attempt_at(row: WebhookDelivery) -> object:
        return row.next_attempt_at if row.state == DeliveryState.WAITING else None
