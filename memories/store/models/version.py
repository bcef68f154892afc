"""What a memory was before it was changed."""

from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import QuerySet

from memories.store.models.memory_part import MemoryPart
from memories.store.models.sealed import SealedRow, SealedTextField
from orgs.models.base import TenantForeignKey

# Who contributed a memory (a robot, or a person through a robot): first, last, how often.


class Contribution(MemoryPart):
    robot = TenantForeignKey("robots.Robot")
    member = TenantForeignKey("orgs.Member", null=True, blank=True)
    # By which key, and by which import, it came first; empty for what is older than the columns.
    key = TenantForeignKey("robots.Key", null=True, blank=True)
    import_job = models.UUIDField(null=True, blank=True)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()
    count = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "robot", "member"],
                name="contribution_once",
                nulls_distinct=False,
            )
        ]
        indexes = [
            models.Index(fields=["organisation", "audience", "robot"], name="contribution_robot")
        ]


def imported_memory_ids(organisation_id: UUID, job_id: UUID) -> "QuerySet[Contribution, UUID]":
    """The ids of the memories that an import brought, for a subquery; evaluate inside a scope."""
    rows = Contribution.objects.filter(organisation_id=organisation_id, import_job=job_id)
    return rows.values_list("memory_id", flat=True)


# What a memory was made from.


class Derivation(MemoryPart):
    """The memory was made from `source`; known to those who may read both.

    `source_audience` and `source_kind` follow the source as `audience` and `kind` follow the
    memory.
    """

    source = TenantForeignKey("memories.Memory")
    source_audience = TenantForeignKey("orgs.Audience")
    source_kind = models.CharField(max_length=12)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "source"], name="derivation_once"
            )
        ]
        indexes = [models.Index(fields=["organisation", "source"], name="derivation_source")]

    def __str__(self) -> str:
        return f"memory {self.memory_id} made from {self.source_id}"


# What was done with a memory, by which robot, and when.


class OperationVerb(models.TextChoices):
    REMEMBER = "remember"
    RECALL = "recall"
    EVICT = "evict"
    FORGET = "forget"


class Operation(MemoryPart):
    """One line of the log: no text, no question, and nobody's name but the robot's.

    robot: who wrote, asked, evicted or forgot; empty where a person did without one. The line is
    readable like its memory, follows it to other readers, and goes with it. reader: who was served,
    and who alone is shown a line of that (`orgs.principals.reader_of`); empty for what was written
    and for a robot that asked for nobody. folded: it was served as what does not answer, which is
    no use of the memory.
    """

    robot = TenantForeignKey("robots.Robot", null=True)
    verb = models.CharField(max_length=8)
    at = models.DateTimeField()
    reader = models.UUIDField(null=True)
    folded = models.BooleanField(default=False, db_default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(verb__in=OperationVerb.values), name="operation_verb_known"
            )
        ]
        indexes = [
            models.Index(fields=["organisation", "memory"], name="operation_memory"),
            models.Index(fields=["organisation", "at", "id"], name="operation_at"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} memory {self.memory_id}"


class Version(SealedRow, MemoryPart):
    """A memory as it was until somebody changed it; written by a trigger, never changed;
    only encrypted.

    The current version is the memory itself. A reader needs both audiences: `audience`, which is
    the memory's own and moves with it, and `audience_then`, who could read this version at its
    time. So sharing a memory opens no older text, and narrowing it closes all of them.
    """

    number = models.PositiveIntegerField()
    content = SealedTextField()
    category = models.CharField(max_length=12, blank=True, default="")
    importance = models.FloatField()
    tags = ArrayField(models.CharField(max_length=100), default=list)
    metadata = models.JSONField(default=dict)
    expires_at = models.DateTimeField(null=True)
    audience_then = TenantForeignKey("orgs.Audience")
    group_then = TenantForeignKey("orgs.Group", null=True)
    editor = TenantForeignKey("orgs.Member", null=True)
    editor_robot = TenantForeignKey("robots.Robot", null=True)
    written_at = models.DateTimeField()
    replaced_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "number"], name="version_once"
            ),
            models.CheckConstraint(
                condition=models.Q(sealed=None) | models.Q(content=""),
                name="version_sealed_alone",
            ),
        ]

    @property
    def sealed_for(self) -> UUID:
        return self.memory_id

    def __str__(self) -> str:
        return f"version {self.number} of memory {self.memory_id}"
