"""Forget, archive or restore one memory, for somebody who may; recorded in the audit trail."""

from datetime import datetime
from uuid import UUID

from memories.access.permissions import (
    ChangeForbiddenError,
    check_red_line,
    is_red_line_exempt,
    is_subject,
    lock_changeable_memory,
    may_forget,
    record_memory_audit,
)
from memories.access.writer_rights import check_still_written, resolve_row_principal
from memories.state.transitions import archive_memories, forget_memories, restore_memories
from memories.store.dependents import is_summary, is_summary_current
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.principals import Actor, resolve_principal

SUMMARY_NOT_CURRENT_MESSAGE = (
    "Something that this was made of was forgotten, changed or given other readers. The others can "
    "be brought back one by one."
)


def forget_memory(
    actor: Actor, memory_id: UUID, *, now: datetime, force: str | None = None
) -> Memory:
    """Forget a memory: take it out of every answer; it can be restored.

    The robot that wrote it for a list of readers may forget it as well. If its subject forgets it,
    remembering it again does not bring it back, and no red line prevents it. force: an admin's
    reason to forget a protected memory. Raises NotFoundError, ChangeForbiddenError, RedLineError,
    and PermissionError if `force` comes from anybody but an admin.
    """
    row = resolve_row_principal(actor, memory_id)
    principal = row.principal
    with principal.scope():
        memory = lock_changeable_memory(principal, memory_id)
        check_still_written(row, memory)
        if memory.status == Status.FORGOTTEN:
            raise NotFoundError("it is forgotten already")
        if not may_forget(principal, memory):
            raise ChangeForbiddenError("You may read this memory, but it is not yours to forget.")
        if not is_red_line_exempt(actor, memory):
            check_red_line(principal, memory, "forget", now, force=force)
        forget_memories([memory], now, by_subject=is_subject(actor, memory), actor=actor)
        record_memory_audit(principal, "memory.forgotten", memory, now)
    return memory


def archive_memory(
    actor: Actor, memory_id: UUID, *, now: datetime, force: str | None = None
) -> Memory:
    """Archive a memory: take it out of default recall; it can be restored. force, raises: as in
    `forget_memory`; AlreadyExistsError if it is not active."""
    principal = resolve_principal(actor.naming_a_row())
    with principal.scope():
        memory = lock_changeable_memory(principal, memory_id)
        if memory.status != Status.ACTIVE:
            raise AlreadyExistsError(f"The memory is {memory.status}, not active.")
        check_red_line(principal, memory, "archive", now, force=force)
        archive_memories([memory], now)
        record_memory_audit(principal, "memory.archived", memory, now)
    return memory


def restore_memory(actor: Actor, memory_id: UUID, *, now: datetime) -> Memory:
    """Restore a forgotten or archived memory. What its subject forgot, only they restore.

    Raises NotFoundError, ChangeForbiddenError, and AlreadyExistsError for a memory that is neither
    forgotten nor archived, and for a summary with a source that may no longer be said.
    """
    principal = resolve_principal(actor.naming_a_row())
    with principal.scope():
        memory = lock_changeable_memory(principal, memory_id)
        if not may_forget(principal, memory):
            raise ChangeForbiddenError(
                "You may read this memory, but it is not yours to bring back."
            )
        if memory.status not in (Status.FORGOTTEN, Status.ARCHIVED):
            raise AlreadyExistsError("The memory is neither forgotten nor archived.")
        if is_summary(memory) and not is_summary_current(memory):
            raise AlreadyExistsError(SUMMARY_NOT_CURRENT_MESSAGE)
        restore_memories([memory], now, actor=actor)
        record_memory_audit(principal, "memory.restored", memory, now)
    return memory
