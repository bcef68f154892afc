"""The tier of a memory, and of its use what all readers may know."""

from django.db import models

from memories.store.models.choices import Tier
from memories.store.models.memory_part import MemoryPart


class Use(MemoryPart):
    """One slim row, made when a memory is first served, reported on or moved, or is not slow.

    A memory without one was never used: it is slow and its counts are 0. What each reader was
    served is in `ReaderUse`; the worker adds to this row what enough others could have read, by the
    day (`lifecycle.publish_uses`). `KnownUse` joins both for whoever reads.

    tier_since: when it came into its tier; empty until the first move, so the memory's creation
    counts. given_tier, given_since: where its writer or an act has put it, and when; there it is
    again when other readers get the memory. last_accessed_at: the start of the last day of use, in
    UTC. since_*: what happened since tier_since; feedback of a robot that alone contributed the
    memory is left out there, and its accesses count once a day. updates, successes, failures: all
    feedback. surprise: see `lifecycle.surprise`.
    """

    # The memory is the key: a row of its own number would cost an index more.
    id = None
    memory = models.OneToOneField(
        "memories.Memory",
        models.DO_NOTHING,
        primary_key=True,
        db_constraint=False,
        related_name="use",
    )
    tier = models.CharField(max_length=7, choices=Tier.choices)
    tier_since = models.DateTimeField(null=True)
    given_tier = models.CharField(
        max_length=7, choices=Tier.choices, default=Tier.SLOW, db_default=Tier.SLOW
    )
    given_since = models.DateTimeField(null=True)
    access_count = models.PositiveIntegerField(default=0, db_default=0)
    last_accessed_at = models.DateTimeField(null=True)
    since_accesses = models.PositiveIntegerField(default=0, db_default=0)
    since_successes = models.PositiveIntegerField(default=0, db_default=0)
    since_feedback = models.PositiveIntegerField(default=0, db_default=0)
    updates = models.PositiveIntegerField(default=0, db_default=0)
    successes = models.PositiveIntegerField(default=0, db_default=0)
    failures = models.PositiveIntegerField(default=0, db_default=0)
    surprise = models.FloatField(default=0.0, db_default=0.0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(tier__in=Tier.values, surprise__range=(0, 1)),
                name="use_in_range",
            )
        ]
        # The tier first, and the memory last: an index of organisation and tier was taken for the
        # look-up of one use while the table was small, and read every use of the organisation.
        indexes = [
            models.Index(fields=["tier", "organisation", "memory"], name="use_of_tier_and_key")
        ]

    def __str__(self) -> str:
        return f"use of memory {self.memory_id}"


class Transition(MemoryPart):
    """One move of a memory from a tier to the next, and why.

    moved_for: the audience whose uses moved it, and which alone is shown the move; empty for a move
    on request.
    """

    from_tier = models.CharField(max_length=7, choices=Tier.choices)
    to_tier = models.CharField(max_length=7, choices=Tier.choices)
    reason = models.CharField(max_length=9)
    surprise = models.FloatField()
    moved_at = models.DateTimeField()
    moved_for = models.UUIDField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["organisation", "-moved_at"], name="transition_recent"),
            models.Index(fields=["organisation", "memory"], name="transition_memory"),
        ]

    def __str__(self) -> str:
        return f"memory {self.memory_id}: {self.from_tier} to {self.to_tier}"
