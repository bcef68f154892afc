"""What was done with a memory, by which robot, and when."""

from django.db import models

from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantForeignKey


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
    and for a robot that asked for nobody.
    """

    robot = TenantForeignKey("robots.Robot", null=True)
    verb = models.CharField(max_length=8)
    at = models.DateTimeField()
    reader = models.UUIDField(null=True)

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
