"""Conversations and their messages: the raw source that memories cite."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from orgs.models.base import TenantForeignKey, TenantModel


class Conversation(TenantModel):
    """A chat of a group, of a robot with a member, or of one asker alone.

    `audience` reads the conversation itself; a message may be for fewer (`Message.audience`).
    `next_position` numbers the messages in the order in which they came. It is never shown, because
    it also counts messages that the asker may not read.
    """

    audience = TenantForeignKey("orgs.Audience")
    external_id = models.CharField(max_length=300, null=True, blank=True)  # noqa: DJ001
    group = TenantForeignKey("orgs.Group", null=True, blank=True)
    member = TenantForeignKey("orgs.Member", null=True, blank=True)
    robot = TenantForeignKey("robots.Robot", null=True, blank=True)
    title = models.CharField(max_length=300, blank=True, default="")
    metadata = models.JSONField(default=dict, blank=True)
    next_position = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    last_message_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "audience", "external_id"],
                condition=models.Q(external_id__isnull=False),
                name="conversation_external_id",
            )
        ]
        indexes = [
            models.Index(fields=["organisation", "audience", "-id"], name="conversation_recent")
        ]

    def __str__(self) -> str:
        return f"conversation {self.id}"


class MessageRole(models.TextChoices):
    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"


class Message(TenantModel):
    """What was said, word for word.

    `speaker` is the name as shown at the time, `speaker_key` the stable reference that the
    poster gave (a nickname may change, `irc:4711` does not), `speaker_member` the member behind
    it where it is one of the group. `listeners` are members among `mentions`. `reply_to_key`
    names what is replied to as the poster did; `reply_to` is set once that has come. `reason`
    says why the message became no memory, or is empty. `withdrawn_at`: since then its words are
    shown to nobody, and a later post of the same external id is still the same message.
    """

    audience = TenantForeignKey("orgs.Audience")
    conversation = TenantForeignKey("robots.Conversation", related_name="messages")
    external_id = models.CharField(max_length=300, null=True, blank=True)  # noqa: DJ001
    position = models.BigIntegerField()
    role = models.CharField(max_length=6, choices=MessageRole.choices)
    content = models.TextField()
    robot = TenantForeignKey("robots.Robot", null=True, blank=True)
    author = TenantForeignKey("orgs.Member", null=True, blank=True)
    speaker = models.CharField(max_length=400, blank=True, default="")
    speaker_key = models.CharField(max_length=400, blank=True, default="")
    speaker_member = TenantForeignKey("orgs.Member", null=True, blank=True)
    mentions = ArrayField(models.CharField(max_length=400), default=list, blank=True)
    listeners = ArrayField(models.UUIDField(), default=list, blank=True)
    reply_to = TenantForeignKey("robots.Message", null=True, blank=True)
    reply_to_key = models.CharField(max_length=300, null=True, blank=True)  # noqa: DJ001
    type = models.CharField(max_length=12)
    kind = models.CharField(max_length=12)
    reason = models.CharField(max_length=20, blank=True, default="")
    metadata = models.JSONField(default=dict, blank=True)
    sent_at = models.DateTimeField()
    received_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "conversation", "audience", "external_id"],
                condition=models.Q(external_id__isnull=False),
                name="message_external_id",
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=MessageRole.values), name="message_role_known"
            ),
        ]
        indexes = [
            models.Index(fields=["organisation", "conversation", "-id"], name="message_recent"),
            models.Index(
                fields=["organisation", "conversation", "external_id"],
                condition=models.Q(external_id__isnull=False),
                name="message_by_key",
            ),
            models.Index(
                fields=["organisation", "conversation", "reply_to_key"],
                condition=models.Q(reply_to__isnull=True, reply_to_key__isnull=False),
                name="message_waits",
            ),
            models.Index(
                fields=["organisation", "speaker_member", "id"],
                condition=models.Q(speaker_member__isnull=False),
                name="message_speaker",
            ),
        ]

    def __str__(self) -> str:
        return f"message {self.id}"
