"""What every row of owed work has: a state, a lease, attempts and a reason."""

from django.db import models

from memories.store.models.memory_part import MemoryPart


class PendingState(models.TextChoices):
    WAITING = "waiting"
    LEASED = "leased"
    DEAD = "dead"


class OwedWork(MemoryPart):
    """Work that is owed to a memory: written with what caused it, gone when it is done."""

    state = models.CharField(
        max_length=8, choices=PendingState.choices, default=PendingState.WAITING
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    reason = models.TextField(blank=True, default="")
    leased_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        abstract = True
