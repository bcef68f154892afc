"""The memories that everyone in the organisation reads, by category."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count

from memories.browsing.memory_pages import PAGE_SIZE, ListedMemory, to_listed_memories
from memories.store.models.memory import Memory, MemoryQuerySet
from orgs.principals import Actor, Principal, resolve_principal


@dataclass(frozen=True, slots=True)
class SharedKnowledgePage:
    """A page of shared knowledge. counts: {category: how many}, "" for none."""

    rows: list[ListedMemory]
    counts: dict[str, int]
    before: UUID | None = None


def _organisation_memories(principal: Principal, now: datetime) -> MemoryQuerySet:
    rows = Memory.objects.filter(
        organisation_id=principal.organisation_id, audience_id=principal.organisation_audience
    )
    return rows.active(now).for_people()


def list_shared_knowledge(
    actor: Actor,
    *,
    organisation: str,
    category: str | None,
    before: UUID | None = None,
    now: datetime,
) -> SharedKnowledgePage:
    """A page of memories for everyone, the newest first. category: None for all, "" for those
    without one."""
    principal = resolve_principal(actor)
    with principal.scope():
        everything = _organisation_memories(principal, now)
        rows = everything if category is None else everything.filter(category=category)
        if before:
            rows = rows.filter(id__lt=before)
        found, more = rows.with_names().newest(PAGE_SIZE)
        counts = everything.order_by().values_list("category").annotate(n=Count("id"))
        return SharedKnowledgePage(
            to_listed_memories(principal, found, organisation),
            dict(counts),
            found[-1].id if more else None,
        )
