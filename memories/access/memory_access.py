"""A memory by its id for who may read or change it, and the audit line of a change."""

from datetime import datetime
from typing import Any
from uuid import UUID

from memories.access.permissions import ChangeForbiddenError, may_change, may_restore
from memories.store.models.choices import Status
from memories.store.models.memory import Memory, MemoryQuerySet
from memories.store.speakers.authorship import two_facts
from orgs import audit
from orgs.database.compiled_queries import CompiledQuery
from orgs.errors import NotFoundError
from orgs.principals import Principal
from robots.registry.robots import record_activity


def _memory_query(lock: bool, organisation_id: UUID, memory_id: UUID) -> MemoryQuerySet:
    rows = Memory.objects.filter(organisation_id=organisation_id, id=memory_id)
    if lock:
        # FOR NO KEY UPDATE: rows that refer to the memory may be written meanwhile.
        rows = rows.select_for_update(of=("self",), no_key=True)
    return rows.with_names()


_MEMORY_BY_ID = CompiledQuery(_memory_query)


def get_readable_memory(principal: Principal, memory_id: UUID, *, lock: bool = False) -> Memory:
    """One readable memory; call inside the principal's scope. Raises NotFoundError.

    A forgotten memory is found only for those who may restore it.
    """
    wanted = {"organisation_id": principal.organisation_id, "memory_id": memory_id}
    memory: Memory | None = next(_MEMORY_BY_ID.rows(lock, **wanted), None)
    if memory is None or (memory.status == Status.FORGOTTEN and not may_restore(principal, memory)):
        raise NotFoundError("no such memory")
    return memory


def lock_changeable_memory(principal: Principal, memory_id: UUID) -> Memory:
    """The memory, locked. Raises NotFoundError, and ChangeForbiddenError for one that is only
    readable."""
    memory = get_readable_memory(principal, memory_id, lock=True)
    if not may_change(principal, memory):
        raise ChangeForbiddenError("You may read this memory, but it is not yours to change.")
    return memory


def record_memory_audit(
    principal: Principal, action: str, memory: Memory, now: datetime, **detail: Any
) -> None:
    """Record an act on a memory in the audit trail. If the writer is not the speaker, both are
    noted."""
    audit.record_entry(
        action,
        actor=principal.actor,
        now=now,
        target=memory.id,
        target_type="memory",
        **two_facts(memory),
        **detail,
    )
    if principal.actor.robot_id:
        record_activity(
            organisation_id=memory.organisation_id, robot_id=principal.actor.robot_id, now=now
        )
