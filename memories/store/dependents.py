"""Propositions follow the memory that they were taken from; call inside a scope that reads it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from memories.store.models.choices import Status
from memories.store.models.derivation import Derivation
from memories.store.models.memory import Memory, MemoryQuerySet

# In a memory's `source`: the id of the one that it is a proposition of.
OF = "proposition_of"
# What of a memory its propositions have as it has it now.
FOLLOWED = ("shareable", "expires_at")


def is_proposition(memory: Memory) -> bool:
    """Whether it was taken from another memory as one fact of it."""
    return isinstance(memory.source, dict) and OF in memory.source


def followers(rows: Sequence[Memory]) -> MemoryQuerySet:
    """The propositions of these memories, whatever their state."""
    organisation_id = rows[0].organisation_id
    links = Derivation.objects.filter(
        organisation_id=organisation_id, source_id__in=[row.id for row in rows]
    )
    return Memory.objects.filter(
        organisation_id=organisation_id, id__in=links.values("memory_id"), source__has_key=OF
    )


def follow(memory: Memory, changed: Mapping[str, Any]) -> None:
    """Propositions last as long as their memory, and go no further than it."""
    new = {name: value for name, value in changed.items() if name in FOLLOWED}
    if new:
        followers([memory]).update(**new)


def take_along(rows: Sequence[Memory], now: datetime, *, by_subject: bool) -> list[Memory]:
    """Forget the propositions of memories that go; they are still to be taken from the search."""
    gone = list(followers(rows).filter(status=Status.ACTIVE).select_for_update().order_by("id"))
    for row in gone:
        row.status, row.forgotten_at, row.updated_at = Status.FORGOTTEN, now, now
        row.forgotten_by_subject = by_subject
    Memory.objects.bulk_update(
        gone, ["status", "forgotten_at", "updated_at", "forgotten_by_subject"]
    )
    return gone


def bring_along(memory: Memory, went_at: datetime, now: datetime) -> list[Memory]:
    """The propositions that went together with a memory, active again and still to be indexed."""
    back = list(
        followers([memory])
        .filter(status=Status.FORGOTTEN, forgotten_at=went_at, audience_id=memory.audience_id)
        .select_for_update()
        .order_by("id")
    )
    for row in back:
        row.status, row.forgotten_at, row.updated_at = Status.ACTIVE, None, now
        row.forgotten_by_subject = False
    Memory.objects.bulk_update(
        back, ["status", "forgotten_at", "updated_at", "forgotten_by_subject"]
    )
    return back
