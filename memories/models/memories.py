"""The canonical memory: one row, one audience."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memories.querysets import MemoryQuerySet
from orgs.models import AudienceKind, Group, TenantKey, TenantModel


class Kind(models.TextChoices):
    """Between whom it was said."""

    DIRECT = "direct"
    GROUP = "group"
    USER = "user"
    INTERACTION = "interaction"
    ORGANISATION = "organisation"
    INTERNAL = "internal"


class Level(models.TextChoices):
    """How far it reaches; derived from group and member, never stored."""

    INDIVIDUAL = "individual"
    GROUP = "group"
    CROSS_GROUP = "cross_group"


class Type(models.TextChoices):
    CONVERSATION = "conversation"
    FACT = "fact"
    PREFERENCE = "preference"
    EXPERTISE = "expertise"
    ANNOUNCEMENT = "announcement"
    INTERACTION = "interaction"


class Category(models.TextChoices):
    PREFERENCE = "preference"
    FACT = "fact"
    EVENT = "event"
    DECISION = "decision"
    SENTIMENT = "sentiment"
    REMINDER = "reminder"
    RELATIONSHIP = "relationship"
    ORG_FACT = "org_fact"
    ORG_POLICY = "org_policy"
    TEAM_MEMBER = "team_member"
    PROJECT_INFO = "project_info"
    ORG_DECISION = "org_decision"


class Tier(models.TextChoices):
    FAST = "fast"
    MEDIUM = "medium"
    SLOW = "slow"
    GLACIAL = "glacial"


class Status(models.TextChoices):
    ACTIVE = "active"
    PENDING_REVIEW = "pending_review"
    QUARANTINED = "quarantined"
    ARCHIVED = "archived"
    FORGOTTEN = "forgotten"


class Memory(TenantModel):
    """What was learnt, by whom, about whom, and who may read it.

    Importance and confidence are in 0-1. `member` is whom it is about or belongs to. Who wrote it
    and whose words it gives are two facts: `robot` and `author` (the person, where one wrote it)
    are set by the server, `speaker` is a name, and a member only where `speaker_member` says so;
    none of them changes. `reworded_by` gave it its present words in the place of who said it.
    The audience changes only by sharing. `position` orders the turns of one conversation.
    `content_hash` covers text, speaker and subject. `red_line`: kept as it is, for a reason.
    """

    audience = TenantKey("orgs.Audience")
    status = models.CharField(max_length=14, choices=Status.choices, default=Status.ACTIVE)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    type = models.CharField(max_length=12, choices=Type.choices, default=Type.FACT)
    category = models.CharField(max_length=12, choices=Category.choices, blank=True, default="")
    tier = models.CharField(max_length=7, choices=Tier.choices, default=Tier.SLOW)

    content = models.TextField()
    content_hash = models.BinaryField(max_length=32)
    key = models.CharField(max_length=300, null=True, blank=True)  # noqa: DJ001
    topic = models.CharField(max_length=300, blank=True, default="")
    tags = ArrayField(models.CharField(max_length=100), default=list, blank=True)
    metadata = models.JSONField(default=dict, blank=True)
    source = models.JSONField(default=dict, blank=True)

    robot = TenantKey("robots.Robot")
    group = TenantKey("orgs.Group", null=True, blank=True)
    member = TenantKey("orgs.Member", null=True, blank=True)
    author = TenantKey("orgs.Member", null=True, blank=True)
    speaker = models.CharField(max_length=300, blank=True, default="")
    speaker_member = TenantKey("orgs.Member", null=True, blank=True)
    reworded_by = TenantKey("orgs.Member", null=True, blank=True)
    reworded_by_robot = TenantKey("robots.Robot", null=True, blank=True)
    listeners = ArrayField(models.UUIDField(), default=list, blank=True)
    conversation = models.CharField(max_length=300, null=True, blank=True)  # noqa: DJ001
    position = models.BigIntegerField()
    deposited_by = models.UUIDField(null=True, blank=True)
    proposed_audience = TenantKey("orgs.Audience", null=True, blank=True)

    importance = models.FloatField(default=0.5)
    confidence = models.FloatField(default=1.0)
    sensitive = models.BooleanField(default=False)
    shareable = models.BooleanField(default=False)
    red_line = models.BooleanField(default=False)
    red_line_reason = models.TextField(blank=True, default="")
    red_line_by = TenantKey("orgs.Member", null=True, blank=True)
    red_line_at = models.DateTimeField(null=True, blank=True)

    access_count = models.PositiveIntegerField(default=0)
    last_accessed_at = models.DateTimeField(null=True, blank=True)
    remember_count = models.PositiveIntegerField(default=1)

    occurred_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    forgotten_at = models.DateTimeField(null=True, blank=True)
    forgotten_by_subject = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=1)
    editor = TenantKey("orgs.Member", null=True, blank=True)
    editor_robot = TenantKey("robots.Robot", null=True, blank=True)

    objects = MemoryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "memories"
        constraints = [
            # A deposit may not learn what lies in an audience it cannot read, so each depositor
            # has a space of its own in these.
            models.UniqueConstraint(
                fields=["organisation", "audience", "key", "deposited_by"],
                condition=models.Q(key__isnull=False),
                name="memory_key_once",
                nulls_distinct=False,
            ),
            models.UniqueConstraint(
                fields=[
                    "organisation",
                    "audience",
                    "content_hash",
                    "key",
                    "conversation",
                    "occurred_at",
                    "deposited_by",
                ],
                name="memory_content_once",
                nulls_distinct=False,
            ),
            models.UniqueConstraint(
                fields=["organisation", "id", "audience", "kind"], name="memory_narrow_key"
            ),
            models.CheckConstraint(
                condition=models.Q(kind="group", group__isnull=False, member__isnull=True)
                | models.Q(
                    kind__in=("user", "interaction"), group__isnull=False, member__isnull=False
                )
                | models.Q(kind="direct", group__isnull=True)
                | models.Q(kind__in=("organisation", "internal")),
                name="memory_kind_fits",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=Kind.values)
                & models.Q(type__in=Type.values)
                & models.Q(tier__in=Tier.values)
                & models.Q(status__in=Status.values)
                & models.Q(category__in=["", *Category.values]),
                name="memory_words_known",
            ),
            models.CheckConstraint(
                condition=models.Q(importance__range=(0, 1), confidence__range=(0, 1)),
                name="memory_weights_in_range",
            ),
        ]
        indexes = [
            # The lists with their filters read this index alone: a filter that nothing fits has
            # to look at everything that is readable.
            models.Index(
                fields=["organisation", "audience", "-id"],
                include=[
                    *("status", "kind", "type", "category", "tier"),
                    *("robot", "group", "member", "author", "speaker_member"),
                    *("expires_at", "occurred_at", "created_at"),
                ],
                name="memory_listed",
            ),
            models.Index(
                fields=["organisation", "id"],
                condition=models.Q(shareable=True),
                name="memory_shareable",
            ),
            # With the id, for turns that came at one moment have one position.
            models.Index(
                fields=["organisation", "conversation", "position", "id"],
                condition=models.Q(conversation__isnull=False),
                name="memory_turn_order",
            ),
        ]

    def __str__(self) -> str:
        return f"memory {self.id}"

    @property
    def level(self) -> str:
        """individual with a member, else group, else cross_group."""
        if self.member_id:
            return Level.INDIVIDUAL
        return Level.GROUP if self.group_id else Level.CROSS_GROUP

    @property
    def place(self) -> Group | None:
        """The group as far as whoever asks may know of it.

        Needs `with_names`; without it only what all of a group reads tells of the group.
        """
        known = getattr(self, "group_known", None)
        if known is None:
            known = self.audience.kind == AudienceKind.GROUP
        return self.group if known and self.group_id else None

    @property
    def open_conversation(self) -> str | None:
        """The conversation likewise: its name often holds the group's."""
        return self.conversation if self.place or not self.group_id else None
