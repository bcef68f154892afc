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
from orgs.support.support_sessions import SUPPORT_ALIAS
from robots.registry.personal_robot_sql import HIDING_AUDIENCE_TYPES
from robots.registry.untold_entries import with_robot_untold

# The only columns that the role may read.
MEMORY_COLUMNS = (
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
CONTRIBUTION_COLUMNS = ("id", "memory_id", "robot_id", "first_at", "last_at", "count")
RECALL_COLUMNS = ("id", "robot_id", "strategy", "took_ms", "created_at")
AUDIT_COLUMNS = ("id", "at", "action", "member", "robot", "staff", "target_type", "target")


@dataclass(frozen=True, slots=True)
class MemoryMetadata:
    """One memory with the robots that said it, and its pending work."""

    memory: Memory
    contributions: list[Contribution]
    owed: Pending | None


def support_memories(organisation_id: UUID) -> "QuerySet[Memory]":
    """Every memory of an organisation; evaluate inside support's scope, like all queries here.

    With `untold`: a profession reads it or may shall, so no robot is shown beside it.
    """
    rows = (
        Memory.objects.using(SUPPORT_ALIAS)
        .only(*MEMORY_COLUMNS)
        .filter(organisation_id=organisation_id)
    )
    taught = Audience.objects.filter(
        organisation_id=organisation_id, id=OuterRef("audience_id"), kind__in=HIDING_AUDIENCE_TYPES
    )
    return rows.annotate(untold=Exists(taught))


def find_memory_metadata(organisation_id: UUID, memory_id: UUID) -> MemoryMetadata | None:
    """The facts of one memory; None if it does not exist."""
    memory = support_memories(organisation_id).filter(id=memory_id).first()
    if memory is None:
        return None
    tenant = {"organisation_id": organisation_id, "memory_id": memory_id}
    said = Contribution.objects.using(SUPPORT_ALIAS).only(*CONTRIBUTION_COLUMNS).filter(**tenant)
    owed = Pending.objects.using(SUPPORT_ALIAS).only(
        "id", "memory_id", "state", "attempts", "reason"
    )
    return MemoryMetadata(
        memory, list(said.order_by("-last_at")[:50]), owed.filter(**tenant).first()
    )


def support_recalls(organisation_id: UUID) -> "QuerySet[Recall]":
    """The recalls: robot, time, strategy and duration; never the question."""
    return (
        Recall.objects.using(SUPPORT_ALIAS)
        .only(*RECALL_COLUMNS)
        .filter(organisation_id=organisation_id)
    )


def support_audit_entries(organisation_id: UUID) -> "QuerySet[AuditEntry]":
    """The audit trail without details; with `untold`, whether who did it stays untold."""
    rows = (
        AuditEntry.objects.using(SUPPORT_ALIAS)
        .only(*AUDIT_COLUMNS)
        .filter(organisation_id=organisation_id)
    )
    return with_robot_untold(rows)
