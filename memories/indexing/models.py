"""The narrow rows that recall searches, and the durable work that fills them."""

from django.contrib.postgres.search import SearchVectorField
from django.db import models
from pgvector.django import HalfVectorField

from memories.jobs.owed_work import OwedWork
from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantKey


class Text(MemoryPart):
    """The words of a memory as lexemes, with those of the neighbouring turns.

    `own` is what the memory itself says, with speaker and date. `lexemes` has each lexeme once,
    labelled A where it is the memory's own, B, C or D where a neighbouring turn of the same
    conversation and audience lends it. `length` counts the lexemes of the content. `speaker_key`
    is the speaker in lower case; `asks` marks a short question, `timed` a word of time.
    """

    group = TenantKey("orgs.Group", null=True)
    own = SearchVectorField()
    lexemes = SearchVectorField()
    length = models.PositiveIntegerField()
    speaker_key = models.CharField(max_length=300, blank=True, default="")
    asks = models.BooleanField(default=False)
    timed = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organisation", "memory"], name="text_once")]
        indexes = [
            models.Index(fields=["organisation", "audience", "speaker_key"], name="text_audience"),
            # Whether anybody of that name speaks in the scope: one look for each name.
            models.Index(
                fields=["organisation", "speaker_key", "audience"],
                condition=~models.Q(speaker_key=""),
                name="text_speaker",
            ),
        ]


class Embedding(MemoryPart):
    """A memory's meaning under one model, in half-precision numbers.

    `own` is the text's vector of unit length. The one that is searched, the own one plus what the
    neighbouring turns add, lies in the narrow row (memories_search).
    """

    group = TenantKey("orgs.Group", null=True)
    model = models.PositiveSmallIntegerField()
    own = HalfVectorField(dimensions=384)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "model"], name="embedding_once"
            )
        ]


class Reading(models.TextChoices):
    """Whether a memory is still to be read: for its restatement and for what the graph notes."""

    DONE = ""
    FRESH = "fresh"
    AGAIN = "again"


class Pending(OwedWork):
    """The vector that a memory is owed, and before it the reading.

    reading: `fresh` if nothing was noted of the memory before, `again` if it was findable before.
    """

    reading = models.CharField(
        max_length=5, choices=Reading.choices, blank=True, default=Reading.DONE, db_default=""
    )

    class Meta:
        verbose_name = "pending embedding"
        constraints = [
            models.UniqueConstraint(fields=["organisation", "memory"], name="pending_once")
        ]
        indexes = [
            models.Index(fields=["organisation", "state", "created_at"], name="pending_queue"),
            models.Index(
                fields=["organisation", "created_at"],
                condition=~models.Q(reading=""),
                name="pending_unread",
            ),
        ]
