"""Erasures, their progress, and tombstones of erased ids. No row has a text."""

from django.db import models

from orgs.models.base import TenantForeignKey, TenantModel


class ErasureTarget(models.TextChoices):
    MEMBER = "member", "A member"
    MEMORY = "memory", "A memory"
    SOURCE = "source", "A source"


class ErasureSource(models.TextChoices):
    ROBOT = "robot", "Robot"
    KEY = "key", "Key"
    CONVERSATION = "conversation", "Conversation"
    IMPORT = "import", "Import"
    GROUP = "group", "Group"


class Erasure(TenantModel):
    """One erasure. That of a member or a source is readable by curators, that of a memory by
    whoever asked; anybody with the link can read its receipt.

    target: the id of the member, the memory or the source. asked_by: who asked, as an id. counts:
    deleted or changed rows by table. backups_until: the day from which no backup has the data.
    mentions: memories of others that named the member and wait for a curator. incomplete: whether
    older rows may be missed, because they do not have their key or import.
    """

    audience = TenantForeignKey("orgs.Audience")
    what = models.CharField(max_length=6, choices=ErasureTarget.choices)
    source = models.CharField(max_length=12, choices=ErasureSource.choices, blank=True, default="")
    target = models.UUIDField()
    asked_by = models.UUIDField(null=True)
    job = TenantForeignKey("memories.Job", null=True)
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
                condition=models.Q(what__in=ErasureTarget.values)
                & models.Q(source__in=["", *ErasureSource.values]),
                name="erasure_words_known",
            )
        ]

    def __str__(self) -> str:
        return f"erasure {self.id}"


class ErasureStep(TenantModel):
    """A finished step; a resumed run continues after it."""

    erasure = TenantForeignKey("memories.Erasure")
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


class TombstoneType(models.TextChoices):
    """The kind of row of a tombstone."""

    MEMORY = "memory"
    MESSAGE = "message"
    CONVERSATION = "conversation"
    JOB = "job"
    MEMBER = "member"


class Tombstone(TenantModel):
    """The id of an erased row, or one that is being erased; it cannot be written again.

    derived: it was made from another erased row. gone_at: when its row was deleted.
    """

    erasure = TenantForeignKey("memories.Erasure")
    kind = models.CharField(max_length=12, choices=TombstoneType.choices)
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
