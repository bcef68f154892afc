"""The narrow rows that recall searches, and the pending work that fills them."""

from collections.abc import Sequence
from uuid import UUID

from django.contrib.postgres.search import SearchVectorField
from django.db import models
from pgvector.django import HalfVectorField

from memories.jobs.leases import PendingState, PendingWork
from memories.store.models.memory import Memory
from memories.store.models.memory_part import MemoryPart
from orgs.models.base import TenantForeignKey


class Text(MemoryPart):
    """The words of a memory as lexemes, with those of the neighbouring turns.

    `own` has the words of the memory itself, with speaker and date. `lexemes` has each lexeme once,
    labelled A if it is the memory's own, B, C or D if it comes from a neighbouring turn of the same
    conversation and audience. `length` is the number of lexemes of the content. `speaker_key` is
    the speaker in lower case; `asks` marks a short question, `timed` a word of time.
    """

    group = TenantForeignKey("orgs.Group", null=True)
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
            # For the question whether somebody of a name speaks in the scope: one lookup for each
            # name.
            models.Index(
                fields=["organisation", "speaker_key", "audience"],
                condition=~models.Q(speaker_key=""),
                name="text_speaker",
            ),
        ]


# The searched vectors of whole memories, of whichever model, wherever they stand.
SEARCHED_VECTORS_SQL = """(
    SELECT organisation_id, memory_id, audience_id, model, embedding FROM memories_search
    WHERE embedding IS NOT NULL
    UNION ALL
    SELECT organisation_id, memory_id, audience_id, model, embedding FROM memories_vector
    WHERE part = 0)"""


class Embedding(MemoryPart):
    """A memory's vector of one model, in half precision.

    `own` is the text's vector, of unit length. The searched vector, which adds the neighbouring
    turns, is in the narrow row (memories_search), or beside it (memories_vector).
    """

    group = TenantForeignKey("orgs.Group", null=True)
    model = models.PositiveSmallIntegerField()
    own = HalfVectorField(dimensions=384)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organisation", "memory", "model"], name="embedding_once"
            )
        ]


class EnrichmentState(models.TextChoices):
    """Whether a memory still has to be read, for its restatement and the graph."""

    DONE = ""
    FRESH = "fresh"
    AGAIN = "again"


class Pending(PendingWork):
    """A memory that waits to be read and then embedded.

    reading: `fresh` if the memory is new, `again` if it was indexed before, empty once it was read.
    """

    reading = models.CharField(
        max_length=5,
        choices=EnrichmentState.choices,
        blank=True,
        default=EnrichmentState.DONE,
        db_default="",
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


def list_owed(organisation_id: UUID, memory_ids: Sequence[UUID]) -> set[UUID]:
    """Those of these memories whose vector is still to be made; inside a scope that reads them."""
    rows = Pending.objects.filter(organisation_id=organisation_id, memory_id__in=memory_ids)
    return set(rows.values_list("memory_id", flat=True)) if memory_ids else set()


def embedding_state(memory: Memory) -> str:
    """none for a memory that gets no vector: a sensitive one, or one whose work was dropped; else
    pending or ready."""
    if memory.sensitive:
        return "none"
    rows = Pending.objects.filter(organisation_id=memory.organisation_id, memory_id=memory.id)
    match rows.values_list("state", flat=True).first():
        case None:
            return "ready"
        case PendingState.DROPPED:
            return "none"
        case _:
            return "pending"
