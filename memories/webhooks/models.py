"""Endpoints of webhooks, and what they are sent."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from orgs.models.base import TenantForeignKey, TenantModel


class EventType(models.TextChoices):
    """What an endpoint can be told. memory.gone: its owner reads it no longer, for whatever
    reason. webhook.test: somebody asked for it; it needs no subscription."""

    MEMORY_CREATED = "memory.created"
    MEMORY_CHANGED = "memory.changed"
    MEMORY_FORGOTTEN = "memory.forgotten"
    MEMORY_ERASED = "memory.erased"
    MEMORY_GONE = "memory.gone"
    DECISION_RECORDED = "decision.recorded"
    JOB_FINISHED = "job.finished"
    PROPOSAL_OPENED = "proposal.opened"
    PROPOSAL_DECIDED = "proposal.decided"
    KEY_EXPIRING = "key.expiring"
    MEMBER_OPTED_OUT = "member.opted_out"
    TEST = "webhook.test"


SUBSCRIBED_TYPES = tuple(one for one in EventType if one is not EventType.TEST)


class DisabledReason(models.TextChoices):
    """Why nothing is sent. asked: the owner switched it off. key: the key that it sends by is not
    valid any more, as that of a retired robot, cannot read, or was limited. owner: the member is no
    admin any more. gone: the receiver answered 410. address: the settings of the server
    forbid it now. secret: it cannot be decrypted."""

    ASKED = "asked"
    KEY = "key"
    OWNER = "owner"
    GONE = "gone"
    ADDRESS = "address"
    UNSIGNED = "secret"


class DeliveryState(models.TextChoices):
    """waiting: to be sent, for the first time or again. withheld: when it was to be sent, its owner
    might not know of it any more. dead: every attempt failed."""

    WAITING = "waiting"
    SENT = "sent"
    WITHHELD = "withheld"
    DEAD = "dead"


class DeliveryError(models.TextChoices):
    """Why the last attempt failed. unreachable: also for an address in a private network."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    STATUS = "status"


class WebhookEndpoint(TenantModel):
    """An address of a robot or an admin to which events are sent.

    audience: that of the owner alone, who alone reads the row. key: of a robot, the key whose
    rights count. secret, previous_secret: encrypted (`signatures`); the previous one also signs
    until previous_expires_at. position: how far the feed of changes was read (`FeedPosition`).
    jobs_seen_at: acts before (jobs that ended, proposals, members who opted out) were told.
    failures: failed attempts since the last one that was taken; paused_until: until then none is
    made after them.
    """

    audience = TenantForeignKey("orgs.Audience")
    member = TenantForeignKey("orgs.Member", null=True)
    robot = TenantForeignKey("robots.Robot", null=True)
    key = TenantForeignKey("robots.Key", null=True)
    url = models.CharField(max_length=2_000)
    events = ArrayField(models.CharField(max_length=20, choices=EventType.choices))
    with_text = models.BooleanField(default=False)
    secret = models.TextField()
    previous_secret = models.TextField(blank=True, default="")
    previous_expires_at = models.DateTimeField(null=True)
    position = models.BinaryField()
    jobs_seen_at = models.DateTimeField()
    created_at = models.DateTimeField()
    failures = models.PositiveIntegerField(default=0)
    paused_until = models.DateTimeField(null=True)
    disabled_at = models.DateTimeField(null=True)
    disabled_for = models.CharField(
        max_length=7, choices=DisabledReason.choices, blank=True, default=""
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(member__isnull=False, robot=None, key=None)
                | Q(member=None, robot__isnull=False),
                name="webhook_of_one_owner",
            ),
            models.CheckConstraint(
                condition=Q(disabled_at=None, disabled_for="")
                | Q(disabled_at__isnull=False) & ~Q(disabled_for=""),
                name="webhook_disabled_for_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"webhook {self.id}"


class WebhookDelivery(TenantModel):
    """One event for one endpoint: ids and figures, never a text, which is read when it is sent.

    owner_audience: that of the endpoint. audience: whose readers may know of the event; the row is
    shown only to an owner who is one of them. subject: the id of a memory, a job, a proposal, a key
    or a member; None for all memories of an audience that the owner lost. facts: of fixed words.
    occurred_at: when a job ended, a proposal opened or was decided, a key ends or a member opted
    out. leased_until: a worker sends it. status: the last one of HTTP.
    """

    endpoint = TenantForeignKey("memories.WebhookEndpoint")
    owner_audience = TenantForeignKey("orgs.Audience")
    audience = TenantForeignKey("orgs.Audience")
    event = models.CharField(max_length=20, choices=EventType.choices)
    subject = models.UUIDField(null=True)
    facts = models.JSONField(default=dict)
    occurred_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    state = models.CharField(
        max_length=8, choices=DeliveryState.choices, default=DeliveryState.WAITING
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    leased_until = models.DateTimeField(null=True)
    attempted_at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=11, choices=DeliveryError.choices, blank=True, default="")

    class Meta:
        verbose_name_plural = "webhook deliveries"
        indexes = [
            models.Index(
                fields=["organisation", "endpoint", "next_attempt_at"],
                condition=Q(state="waiting"),
                name="webhookdelivery_waiting",
            ),
            models.Index(fields=["organisation", "endpoint", "id"], name="webhookdelivery_log"),
            models.Index(fields=["organisation", "created_at"], name="webhookdelivery_age"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "endpoint", "subject", "occurred_at"],
                condition=Q(occurred_at__isnull=False),
                name="webhookdelivery_once_a_job",
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.id}"
