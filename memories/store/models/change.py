"""What a copy of the memories is kept by: when each came, changed and left."""

from django.db import models

from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantForeignKey, TenantModel


class Change(MemoryPart):
    """A row of each active memory, written by triggers (`memories/sql/change_v1.sql`); what is
    older than the table has none until it changes.

    since: the position at which its present readers got it. at: that of its last change. A position
    is the number of a transaction. expires_at: as of the memory.
    """

    # The memory is the key: a row of its own number would cost an index more.
    id = None
    memory = models.OneToOneField(
        "memories.Memory",
        models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="change",
    )
    since = models.BigIntegerField()
    at = models.BigIntegerField()
    expires_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["organisation", "audience", "at", "memory"], name="change_at"),
            models.Index(
                fields=["organisation", "audience", "expires_at"],
                condition=models.Q(expires_at__isnull=False),
                name="change_expires",
            ),
        ]

    def __str__(self) -> str:
        return f"memory {self.memory_id} changed at {self.at}"


class DepartureReason(models.TextChoices):
    FORGOTTEN = "forgotten"
    ERASED = "erased"
    GONE = "gone"


class Departure(TenantModel):
    """A memory left these readers; written by triggers, never changed, deleted by the worker.

    memory: its id; the memory itself may be gone. since, at: from which position until which they
    had it. expires_at: as the memory had it then, because from that time on no list showed it.
    last_change: the position of its last change before; that may have put its end into the past.
    left_on: the day, in UTC.
    """

    audience = TenantForeignKey("orgs.Audience")
    memory = models.UUIDField()
    since = models.BigIntegerField()
    at = models.BigIntegerField()
    reason = models.CharField(max_length=9)
    expires_at = models.DateTimeField(null=True)
    last_change = models.BigIntegerField(default=0, db_default=0)
    left_on = models.DateField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(reason__in=DepartureReason.values), name="departure_reason_known"
            )
        ]
        indexes = [
            models.Index(fields=["organisation", "audience", "at"], name="departure_at"),
            models.Index(fields=["organisation", "left_on"], name="departure_left_on"),
        ]

    def __str__(self) -> str:
        return f"memory {self.memory} left audience {self.audience_id}"
