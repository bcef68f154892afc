"""How a memory is used by one reader, and what each reader may know of its use."""

from django.db import models

from memories.store.models.choices import Tier
from orgs.models.base import TenantForeignKey, TenantModel


class ReaderUse(TenantModel):
    """What one reader was served of a memory, exact and for that reader alone.

    reader: see `orgs.principals.reader_of`; row-level security shows the row to no other, and the
    worker adds to what all readers know (`lifecycle.publish_uses`). member: whose it is, if it is a
    member's.

    access_count and last_accessed_at, and the feedback in updates, successes, failures and
    surprise: all of it. The other columns are what others may learn, in days of UTC. counted_for:
    the audience of the last use. day, day_count: the last day with a use, and its uses that others
    may learn of. shared_count: such uses of earlier days. published: how many of them were added
    for all readers. top_day, earlier_top_day: the last day on which it was among the first hits,
    and the one before. due_day: the first day that is not added yet; empty if all is. once_a_day:
    whether the reader is the robot that alone brought the memory; its day counts once.
    """

    # The memory and the reader are the key.
    id = None
    memory = models.OneToOneField(
        "memories.Memory",
        models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="+",
    )
    reader = models.UUIDField()
    member = TenantForeignKey("orgs.Member", null=True)
    access_count = models.PositiveIntegerField(default=0, db_default=0)
    last_accessed_at = models.DateTimeField(null=True)
    updates = models.PositiveIntegerField(default=0, db_default=0)
    successes = models.PositiveIntegerField(default=0, db_default=0)
    failures = models.PositiveIntegerField(default=0, db_default=0)
    surprise = models.FloatField(default=0.0, db_default=0.0)
    counted_for = models.UUIDField(null=True)
    day = models.DateField(null=True)
    day_count = models.PositiveIntegerField(default=0, db_default=0)
    shared_count = models.PositiveIntegerField(default=0, db_default=0)
    published = models.PositiveIntegerField(default=0, db_default=0)
    top_day = models.DateField(null=True)
    earlier_top_day = models.DateField(null=True)
    due_day = models.DateField(null=True)
    once_a_day = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = [
            models.Index(
                fields=["organisation", "due_day"],
                condition=models.Q(due_day__isnull=False),
                name="reader_use_due",
            ),
        ]

    def __str__(self) -> str:
        return f"use of memory {self.memory_id} by one reader"


class KnownUse(models.Model):
    """A view: the use of a memory as whoever reads it may know it (`sql/known_use_v1.sql`).

    Their own uses exactly; those of others by the day, and in powers of two. Whatever shows, orders
    or scores by use reads this. The tier is the same for all.
    """

    memory = models.OneToOneField(
        "memories.Memory",
        models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="known_use",
    )
    organisation = models.ForeignKey(
        "orgs.Organisation",
        models.DO_NOTHING,
        db_constraint=False,
        db_index=False,
        related_name="+",
    )
    tier = models.CharField(max_length=7, choices=Tier.choices)
    tier_since = models.DateTimeField(null=True)
    access_count = models.PositiveIntegerField(default=0)
    last_accessed_at = models.DateTimeField(null=True)
    updates = models.PositiveIntegerField(default=0)
    successes = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    surprise = models.FloatField(default=0.0)

    class Meta:
        managed = False
        db_table = "memories_known_use"

    def __str__(self) -> str:
        return f"known use of memory {self.memory_id}"
