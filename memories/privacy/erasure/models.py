"""What was erased for good, how far it is, and which ids may not come back. No text is in it."""

from django.db import models

from orgs.models.base import TenantKey, TenantModel


class Target(models.TextChoices):
    MEMBER = "member", "A member"
    MEMORY = "memory", "A memory"
    SOURCE = "source", "A source"


class SourceKind(models.TextChoices):
    ROBOT = "robot", "Robot"
    KEY = "key", "Key"
    CONVERSATION = "conversation", "Conversation"
    IMPORT = "import", "Import"
    GROUP = "group", "Group"


class Erasure(TenantModel):
    """One erasure. Of a member or a source curators read it, of a memory who asked; besides it is
    read by the link of its receipt.

    target: the id of the member, the memory or the source. asked_by: who asked; the member
    themself stays as an id. counts: rows by table that are gone or were changed. backups_until: the
    day from which no backup holds it any more. mentions: memories of others that named the member
    and wait for a curator. incomplete: what the receipt says could not be told from older rows.
    """

    audience = TenantKey("orgs.Audience")
    what = models.CharField(max_length=6, choices=Target.choices)
    source = models.CharField(max_length=12, choices=SourceKind.choices, blank=True, default="")
    target = models.UUIDField()
    asked_by = models.UUIDField(null=True)
    job = TenantKey("memories.Job", null=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    backups_until = models.DateField(null=True)
    mentions = models.PositiveIntegerField(default=0)
    incomplete = models.BooleanField(default=False)
    counts = models.JSONField(default=dict)

    class Meta:
        indexes = [
            models.Index(fields=["organisation", "audience", "-id"], name="erasure_recent"),
            models.Index(fields=["organisation", "target"], name="erasure_target"),
            models.Index(
                fields=["organisation", "job"],
                condition=models.Q(job__isnull=False),
                name="erasure_job",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(what__in=Target.values)
                & models.Q(source__in=["", *SourceKind.values]),
                name="erasure_words_known",
            )
        ]

    def __str__(self) -> str:
        return f"erasure {self.id}"


class ErasureStep(TenantModel):
    """A step that is done: a run that breaks off goes on behind it."""

    erasure = TenantKey("memories.Erasure")
    name = models.CharField(max_length=20)
    at = models.DateTimeField()
    counts = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "erasure", "name"], name="erasure_step_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.erasure_id}"


class Gone(models.TextChoices):
    """What a tombstone stands for."""

    MEMORY = "memory"
    MESSAGE = "message"
    CONVERSATION = "conversation"
    JOB = "job"
    MEMBER = "member"


class Tombstone(TenantModel):
    """The id of something that is erased or is being erased: no write brings it back.

    derived: it was made of what was to be erased. gone_at: since when its row is not there.
    """

    erasure = TenantKey("memories.Erasure")
    kind = models.CharField(max_length=12, choices=Gone.choices)
    target = models.UUIDField()
    derived = models.BooleanField(default=False)
    at = models.DateTimeField()
    gone_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organisation", "target"], name="tombstone_once")
        ]
        indexes = [
            models.Index(
                fields=["organisation", "erasure", "kind", "target"],
                condition=models.Q(gone_at__isnull=True),
                name="tombstone_due",
            ),
            models.Index(fields=["organisation", "erasure"], name="tombstone_erasure"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.target}"
