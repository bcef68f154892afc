"""Metadata of one organisation's memories for support, with names and never a text."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from memories.indexing.models import Pending
from memories.retrieval.models import Recall
from memories.store.models.contribution import Contribution
from memories.store.models.memory import Memory
from orgs.models.audiences import Audience
from orgs.models.audit import AuditEntry
from orgs.support.looks import ALIAS
from robots.registry.untold_entries import with_robot_untold
from robots.registry.who_taught_sql import UNTOLD

# The only columns that the role may read.
MEMORY = (
    "id",
    "status",
    "kind",
    "type",
    "category",
    "first_tier",
    "robot_id",
    "group_id",
    "member_id",
    "importance",
    "remember_count",
    "created_at",
    "updated_at",
    "version",
)
CONTRIBUTION = ("id", "memory_id", "robot_id", "first_at", "last_at", "count")
RECALL = ("id", "robot_id", "strategy", "took_ms", "created_at")
ENTRY = ("id", "at", "action", "member", "robot", "staff", "target_type", "target")


@dataclass(frozen=True, slots=True)
class MemoryFacts:
    """One memory with the robots that said it, and its pending work."""

    memory: Memory
    contributions: list[Contribution]
    owed: Pending | None


def memories_of(organisation_id: UUID) -> "QuerySet[Memory]":
    """Every memory of an organisation; evaluate inside support's scope, like all queries here.

    With `untold`: a profession reads it or may shall, so no robot is shown beside it.
    """
    rows = Memory.objects.using(ALIAS).only(*MEMORY).filter(organisation_id=organisation_id)
    taught = Audience.objects.filter(
        organisation_id=organisation_id, id=OuterRef("audience_id"), kind__in=UNTOLD
    )
    return rows.annotate(untold=Exists(taught))


def facts_of(organisation_id: UUID, memory_id: UUID) -> MemoryFacts | None:
    """The facts of one memory; None if it does not exist."""
    memory = memories_of(organisation_id).filter(id=memory_id).first()
    if memory is None:
        return None
    tenant = {"organisation_id": organisation_id, "memory_id": memory_id}
    said = Contribution.objects.using(ALIAS).only(*CONTRIBUTION).filter(**tenant)
    owed = Pending.objects.using(ALIAS).only("id", "memory_id", "state", "attempts", "reason")
    return MemoryFacts(memory, list(said.order_by("-last_at")[:50]), owed.filter(**tenant).first())


def recalls_of(organisation_id: UUID) -> "QuerySet[Recall]":
    """The recalls: robot, time, strategy and duration; never the question."""
    return Recall.objects.using(ALIAS).only(*RECALL).filter(organisation_id=organisation_id)


def trail_of(organisation_id: UUID) -> "QuerySet[AuditEntry]":
    """The audit trail without details; with `untold`, whether who did it stays untold."""
    rows = AuditEntry.objects.using(ALIAS).only(*ENTRY).filter(organisation_id=organisation_id)
    return with_robot_untold(rows)
