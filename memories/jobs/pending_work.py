"""The columns of every row of pending work: state, lease, attempts and reason."""

from django.db import models

from memories.store.models.memory_part import MemoryPart


class PendingState(models.TextChoices):
    WAITING = "waiting"
    LEASED = "leased"
    DEAD = "dead"


class PendingWork(MemoryPart):
    """Pending work of a memory: stored in the transaction that causes it, deleted when it is
    done."""

    state = models.CharField(
        max_length=8, choices=PendingState.choices, default=PendingState.WAITING
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    reason = models.TextField(blank=True, default="")
    leased_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        abstract = True
