"""Forget, archive and restore memories.

`mark_forgotten` and `restore_source_messages` check no rights: call them inside a scope that
reads the memory.
"""

from collections.abc import Sequence
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
from memories.indexing import search_index
from memories.review.propose import reenqueue, withdraw_items
from memories.store import dependents
from memories.store.conversation_turns import source_message_id
from memories.store.dependents import is_summary, is_summary_current, restore_propositions
from memories.store.models.choices import Status
from memories.store.models.memory import Memory
from memories.store.models.version import OperationVerb
from memories.store.operation_log import record_operations
from orgs.errors import AlreadyExistsError, NotFoundError
from orgs.principals import Actor, resolve_principal
from robots.conversations.message_withdrawal import restore_messages, withdraw_messages

SUMMARY_NOT_CURRENT_MESSAGE = (
    "Something that this was made of was forgotten, changed or given other readers. The others can "
    "be brought back one by one."
)


def forget_memory(
    actor: Actor, memory_id: UUID, *, now: datetime, force: str | None = None
) -> Memory:
    """Forget a memory: take it out of every answer; it can be restored.

    If its subject forgets it, remembering it again does not bring it back, and no red line prevents
    it. force: an admin's reason to forget a protected memory. Raises NotFoundError,
    ChangeForbiddenError, RedLineError, and PermissionError if `force` comes from anybody but an
    admin.
    """
    principal = resolve_principal(actor)
    with principal.scope():
        memory = lock_changeable_memory(principal, memory_id)
        if memory.status == Status.FORGOTTEN:
            raise NotFoundError("it is forgotten already")
        if not may_forget(principal, memory):
            raise ChangeForbiddenError("You may read this memory, but it is not yours to forget.")
        if not is_red_line_exempt(actor, memory):
            check_red_line(principal, memory, "forget", now, force=force)
        mark_forgotten(actor, memory, by_subject=is_subject(actor, memory), now=now)
        withdraw_items(memory.organisation_id, memory.id, now)
        record_memory_audit(principal, "memory.forgotten", memory, now)
    return memory


def archive_memory(
    actor: Actor, memory_id: UUID, *, now: datetime, force: str | None = None
) -> Memory:
    """Archive a memory: take it out of default recall; it can be restored. force, raises: as in
    `forget_memory`; AlreadyExistsError if it is not active."""
    principal = resolve_principal(actor)
    with principal.scope():
        memory = lock_changeable_memory(principal, memory_id)
        if memory.status != Status.ACTIVE:
            raise AlreadyExistsError(f"The memory is {memory.status}, not active.")
        check_red_line(principal, memory, "archive", now, force=force)
        memory.status, memory.archived_at, memory.updated_at = Status.ARCHIVED, now, now
        memory.save(update_fields=["status", "archived_at", "updated_at"])
        search_index.unindex_memories([memory], now, archived=True)
        withdraw_items(memory.organisation_id, memory.id, now)
        record_memory_audit(principal, "memory.archived", memory, now)
    return memory


def restore_memory(actor: Actor, memory_id: UUID, *, now: datetime) -> Memory:
    """Restore a forgotten or archived memory. What its subject forgot, only they restore.

    Raises NotFoundError, ChangeForbiddenError, and AlreadyExistsError for a memory that is neither
    forgotten nor archived, and for a summary with a source that may no longer be said.
    """
    principal = resolve_principal(actor)
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
        if memory.forgotten_by_subject:
            restore_source_messages(actor, [memory])
        went_at = memory.forgotten_at or memory.archived_at or now
        dependents.mark_restored(memory, dependents.restored_status(memory), now)
        memory.save(update_fields=dependents.RESTORED_FIELDS)
        if memory.status == Status.ACTIVE:
            search_index.reindex_memory(memory, now)
            for follower in restore_propositions(memory, went_at, now):
                search_index.reindex_memory(follower, now)
        reenqueue(memory, now)
        record_memory_audit(principal, "memory.restored", memory, now)
    return memory


def mark_forgotten(actor: Actor | None, memory: Memory, *, by_subject: bool, now: datetime) -> None:
    """Forget one memory. by_subject: remembering it again does not bring it back, and the message
    that it was made from is withdrawn as well."""
    if actor and by_subject and (message := source_message_id(memory)):
        withdraw_messages(actor, [message], now)
    search_index.unindex_memories([memory], now, by_subject=by_subject)
    memory.status, memory.forgotten_at, memory.updated_at = Status.FORGOTTEN, now, now
    memory.forgotten_by_subject = by_subject
    memory.save(update_fields=["status", "forgotten_at", "forgotten_by_subject", "updated_at"])
    record_operations(
        OperationVerb.FORGET,
        memory.organisation_id,
        [memory.id],
        robot_id=actor.robot_id if actor else None,
        now=now,
    )


def restore_source_messages(actor: Actor, rows: Sequence[Memory]) -> None:
    """Restore the actor's own messages behind restored memories."""
    restore_messages(actor, [id_ for row in rows if (id_ := source_message_id(row))])
